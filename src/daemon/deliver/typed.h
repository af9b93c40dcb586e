/* SPDX-License-Identifier: ISC */
/*
 * Typed notices: the way that types (submit.h). A notice is in the store before it is typed, so
 * that the next daemon finds it at the prompt, and submits it, or types it again.
 *
 * A notice that was not seen to be taken is typed again after a while, a bounded number of times:
 * Enter was not seen to submit it; or the agent reports its turns, and none has begun.
 * Acknowledging ends that, as does a turn.
 */
#pragma once

struct mail;
struct mail_office;
struct pane_ref;
struct queue;

#define TYPED_RETRIES_MAX 256 /* lines that are waited for; then the oldest is not typed again */

/* Looks which notices that the queue's store holds can be read: typed_open() reads them later. */
void typed_load(struct queue *queue);
/* Takes up what an earlier daemon was about to type. */
void typed_open(struct mail *mail);
void typed_close(struct mail *mail);
/* The agent of a pane has reported what it took: its next session does not get it again. */
void typed_reported(struct mail_office *office, const struct pane_ref *pane);
/* No line is typed again. */
void typed_forget(struct mail_office *office);
