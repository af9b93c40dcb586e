/* SPDX-License-Identifier: ISC */
/*
 * The way "typed": lines that report notifications are typed into a pane. A line is stored before
 * it is typed, so that the next daemon can find it at the prompt and submit it, or type it again.
 *
 * A line that the agent did not take is typed again, a bounded number of times (option nudges): if
 * Enter was not seen to submit it, or if the agent reports turns and has begun none. A turn or an
 * acknowledgement ends this.
 */
#pragma once

struct mail;
struct mail_office;
struct pane_ref;
struct queue;

/* Maximum number of typed lines that are not taken yet; with more, the oldest is given up. */
#define TYPED_RETRIES_MAX 256

/* Deletes invalid lines from the store. typed_open() loads the others. */
void typed_load(struct queue *queue);
/* Makes the submit of a mail. Resumes a line that an earlier daemon typed, or was about to type. */
void typed_open(struct mail *mail);
void typed_close(struct mail *mail);
/* Call this after a report of a pane's agent: a new turn shows that the line was taken. */
void typed_reported(struct mail_office *office, const struct pane_ref *pane);
/* Frees all lines that wait to be typed again. */
void typed_forget(struct mail_office *office);
