/* SPDX-License-Identifier: ISC */
/*
 * Mails: the notifications that wait for one pane or thread, and what the ways (way.h) do for all of
 * them: gather, defer, look again. The engine is above (delivery.c), and is reached by callbacks.
 */
#pragma once

#include "daemon/deliver/receipt.h"
#include "daemon/deliver/way.h"

enum {
	MAIL_BATCH_MAX = 32, /* notifications that one notice tells of */
	MAIL_TURN_MAX = 64, /* that get their receipt in one turn of the loop */
};

/* The state that all mails share. */
struct mail_office {
	const struct daemon *parts;
	struct list mails;
	struct list retries; /* of typed lines, oldest first */
	size_t retry_count;
	int64_t shown_ms; /* CLOCK_MONOTONIC: when people last got a message */
	/* The engine: goes on with a mail, which may be freed. */
	void (*go)(struct mail *mail);
	/* The way that would be promised now. */
	void (*find)(const struct mail *mail, struct way_found *ret_found);
	/* Looks at a pane or thread at once; NULL: nothing waits for it. */
	struct mail *(*look)(struct mail_office *office, const struct pane_ref *pane);
	/* Ways may be others now. NULL: nothing is to be called. */
	void (*changed)(void *data);
	void *changed_data;
};

struct mail {
	struct list link;
	struct mail_office *office;
	struct pane_ref pane;
	const struct way *way; /* that has started; NULL: none */
	void *work; /* of that way; NULL: it is not at work */
	struct loop_timer *soon; /* looks at what was posted */
	struct loop_timer *again; /* tries again what was in vain */
	size_t tries; /* in vain */
	uint64_t batch[MAIL_BATCH_MAX]; /* numbers of the notifications on their way */
	size_t batch_count;

	char reason[WAY_TEXT_SIZE]; /* of the deferral */
	const char *reason_way; /* of the deferral: "none", or NULL: as usual, later */
	uint64_t deferred_to; /* number of the last one that got its receipt */
	bool is_new_reason; /* those that have a receipt get this one too */
	bool has_passed_over; /* some were not to be delivered: they are looked at again */
	struct loop_timer *deferral; /* goes on with the receipts in the next turn */

	/* typed.c */
	struct submit *submit;
	uint64_t turns; /* of the agent, before the line was typed */
	struct buf line; /* that was typed */

	bool has_failed; /* the agent's queue command: it is not asked again, but by again */
	bool waits_for_person; /* until a client attaches */
};

/*
 * Whether a notification is for the pane of a mail, and for a way that is started: it is not
 * delivered, and no puller holds it, or one has tried in vain.
 */
bool mail_is_for(const struct mail *mail, const struct notification *note);
/* Whether anything waits that may be delivered now. No: a way is at work, or a policy holds it. */
bool mail_is_wanted(const struct mail *mail);

/* Gathers what is due for a pane as the batch, urgent ones first; what it gathered is the result. */
void mail_gather(struct mail *mail, const struct notification *ret_notes[MAIL_BATCH_MAX]);
/* The batch is on its way; or it has arrived, and gets the receipt of its way. */
void mail_set_delivering(const struct mail *mail);
void mail_arrived(const struct mail *mail, const struct way *way);

/*
 * Gives the receipts of a deferral; of a new reason also where there is one. way may be NULL. Those
 * of a long queue follow in the next turns, or at once by mail_defer_rest().
 */
void mail_defer(struct mail *mail, const char *way, const char *reason, bool is_new);
void mail_defer_rest(struct mail *mail);
/* The way is ready: the receipts that are left are not given. */
void mail_end_deferral(struct mail *mail);
/* The timer of the deferral. data is the mail. */
void mail_on_deferral(void *data);

/*
 * Tries again after a while, the longer the more tries were in vain: at last every ten minutes.
 * The agent's report or call ends that.
 */
void mail_try_again(struct mail *mail, size_t tries);
/* Defers for a person: no client is attached, or a program takes it. */
void mail_wait_for_person(struct mail *mail, const struct way_found *found);
