/* SPDX-License-Identifier: ISC */
/*
 * Notices: lines that are typed into a pane to report notifications. A notice is stored before it
 * is typed, so that the next daemon can find it at the prompt and submit it, or type it again.
 *
 * A notice that the agent did not take is typed again, a bounded number of times: if Enter was not
 * seen to submit it, or if the agent reports turns and has begun none. A turn or an acknowledgement
 * ends this.
 */
#pragma once

struct mail;
struct mail_office;
struct pane_ref;
struct queue;

/* Typed lines not taken yet; with more, the oldest is not typed again. */
#define TYPED_RETRIES_MAX 256

/* Removes stored notices that cannot be read. typed_open() loads the others. */
void typed_load(struct queue *queue);
/* Resumes a notice that an earlier daemon was about to type. */
void typed_open(struct mail *mail);
void typed_close(struct mail *mail);
/* The agent of a pane has reported a turn, and has so taken its line. */
void typed_reported(struct mail_office *office, const struct pane_ref *pane);
void typed_forget(struct mail_office *office);
