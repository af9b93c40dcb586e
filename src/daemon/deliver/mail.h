/* SPDX-License-Identifier: ISC */
/*
 * Mails: the notifications that wait for one pane or thread, and the steps that all ways (way.h)
 * share: gather, defer, try again. They call the engine (delivery.c) by callbacks.
 */
#pragma once

#include "daemon/deliver/receipt.h"
#include "daemon/deliver/way.h"

enum {
	MAIL_BATCH_MAX = 32, /* notifications that one line reports */
	MAIL_TURN_MAX = 64, /* receipts given in one turn of the loop */
};

/* Shared by all mails. */
struct mail_office {
	const struct daemon *parts;
	struct list mails;
	struct list retries; /* typed lines that wait to be taken, oldest first */
	int64_t shown_ms; /* time of the last message to a person (CLOCK_MONOTONIC); 0: none */
	/* Continues with a mail, and may free it. */
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
	void *work; /* data of the started way while it works; or NULL */
	struct loop_timer *soon; /* looks at the mail after a post */
	struct loop_timer *again; /* tries again after a failure */
	size_t tries;
	uint64_t batch[MAIL_BATCH_MAX]; /* sequence numbers of the notifications in delivery */
	size_t batch_count;

	char reason[WAY_TEXT_SIZE]; /* why the mail is deferred */
	const char *reason_way; /* way in the receipt: "none"; NULL: no way is named */
	uint64_t deferred_to; /* number of the last notification that got a receipt */
	bool is_new_reason; /* give the receipt also to notifications that have one */
	bool has_passed_over; /* skipped notifications that a puller may take */
	struct loop_timer *deferral; /* gives further receipts in the next turn */

	/* members of typed.c */
	struct submit *submit;
	uint64_t turns; /* the agent's turns before the line was typed */
	struct buf line; /* the typed line */

	bool has_failed; /* the agent's queue command failed, and only the timer again retries it */
	bool waits_for_person; /* a client must attach first */
};

/*
 * Returns true if a notification is undelivered, for the mail's pane, and not for a puller: no
 * lease, and no follower is armed unless a puller gave the notification back.
 */
bool mail_is_for(const struct mail *mail, const struct notification *note);
/* Returns true if no way is at work, and no policy holds some notification. */
bool mail_is_wanted(const struct mail *mail);

/* Puts the due notifications into mail->batch and ret_notes, urgent ones first. */
void mail_gather(struct mail *mail, const struct notification *ret_notes[MAIL_BATCH_MAX]);
/* Sets the batch to "delivering", or to "delivered" with the receipt of its way. */
void mail_set_delivering(const struct mail *mail);
void mail_arrived(const struct mail *mail, const struct way *way);

/*
 * Gives a deferral's receipt to notifications without one, or to all if is_new. way may be NULL.
 * Receipts of a long queue follow in later turns of the loop, or at once by mail_defer_rest().
 */
void mail_defer(struct mail *mail, const char *way, const char *reason, bool is_new);
void mail_defer_rest(struct mail *mail);
/* The way is ready, so no more receipts of the deferral are given. */
void mail_end_deferral(struct mail *mail);
/* data is the mail. */
void mail_on_deferral(void *data);

/* Tries again after a delay that grows with tries, up to ten minutes, or when the agent calls. */
void mail_try_again(struct mail *mail, size_t tries);
/* Defers the mail until a client attaches or a program takes it. */
void mail_wait_for_person(struct mail *mail, const struct way_found *found);
