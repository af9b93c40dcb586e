/* SPDX-License-Identifier: ISC */
/*
 * A mail: the notifications that wait for one pane or thread. The functions here are steps that
 * ways (way.h) share: gather the notifications, defer them, try again. They reach delivery.c by the
 * callbacks of mail_office.
 */
#pragma once

#include "daemon/deliver/receipt.h"
#include "daemon/deliver/way.h"

enum {
	MAIL_BATCH_MAX = 32, /* notifications that one line reports */
	MAIL_TURN_MAX = 64, /* receipts that a deferral or a show gives in one turn of the loop */
};

/* The data and functions that all mails share. */
struct mail_office {
	const struct daemon *parts;
	struct list mails;
	struct list retries; /* typed lines that the agent has not taken yet, oldest first */
	int64_t shown_ms; /* time of the last message to a person (CLOCK_MONOTONIC); 0: none */
	/* Goes on with a mail after its way has ended or failed; may free the mail. */
	void (*go)(struct mail *mail);
	/* Finds the way that would be promised now. */
	void (*find)(const struct mail *mail, struct way_found *ret_found);
	/* Looks at a pane or thread at once. Returns its mail, or NULL if nothing waits for it. */
	struct mail *(*look)(struct mail_office *office, const struct pane_ref *pane);
	/* Called when ways may have changed; may be NULL. */
	void (*changed)(void *data);
	void *changed_data;
};

struct mail {
	struct list link;
	struct mail_office *office;
	struct pane_ref pane;
	const struct way *way; /* the started way; NULL: none */
	void *work; /* data of the way at work; NULL: none, or the way "typed", which uses submit */
	struct loop_timer *soon; /* looks at the mail soon, for example after a post */
	struct loop_timer *again; /* tries again after a failure, or for a person */
	size_t tries;
	uint64_t batch[MAIL_BATCH_MAX]; /* sequence numbers of the notifications in delivery */
	size_t batch_count;

	char reason[WAY_TEXT_SIZE]; /* why the mail is deferred */
	const char *reason_way; /* name of the way in the receipt of the deferral; NULL: none */
	uint64_t deferred_to; /* number of the last notification that the deferral has looked at */
	bool is_new_reason; /* give the receipt also to notifications that have one */
	bool has_passed_over; /* some notifications were skipped, for example for a puller */
	struct loop_timer *deferral; /* gives further receipts in the next turn */

	/* of the way "typed" */
	struct submit *submit;
	uint64_t turns; /* number of turns that the agent had reported before the line was typed */
	struct buf line; /* the typed line */

	bool has_failed; /* the agent's queue command failed, and is not tried again yet */
	bool waits_for_person; /* for a client to attach, or for on_notify to take it */
};

/*
 * Returns true if a notification is for this mail: it is queued or being delivered, has the mail's
 * address, and no puller has it on a lease. While a follower is armed, queued notifications are for
 * the follower, unless a puller gave them back.
 */
bool mail_is_for(const struct mail *mail, const struct notification *note);
/*
 * Returns true if a way should start now: none is at work, and the mail has an unfinished batch, or
 * notifications that no wake policy holds.
 */
bool mail_is_wanted(const struct mail *mail);

/* Puts notifications of the mail into mail->batch and ret_notes, urgent ones first. */
void mail_gather(struct mail *mail, const struct notification *ret_notes[MAIL_BATCH_MAX]);
void mail_set_delivering(const struct mail *mail);

/*
 * Gives the receipt "deferred" to notifications without a receipt, or to all if is_new. way may be
 * NULL. If there are many, the rest get theirs in later turns of the loop, or at once by
 * mail_defer_rest().
 */
void mail_defer(struct mail *mail, const char *way, const char *reason, bool is_new);
void mail_defer_rest(struct mail *mail);
/* Call this when the way is ready: gives no more receipts of the deferral. */
void mail_end_deferral(struct mail *mail);
/* A timer's callback; data is the mail. */
void mail_on_deferral(void *data);

/* Tries again after a delay that grows with `tries`, or earlier, as when the agent reports. */
void mail_try_again(struct mail *mail, size_t tries);
/* Defers a mail for a person. found says why. Looks again after a delay, or at a new client. */
void mail_wait_for_person(struct mail *mail, const struct way_found *found);
