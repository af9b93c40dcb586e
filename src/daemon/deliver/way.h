/* SPDX-License-Identifier: ISC */
/*
 * Ways: how a notification reaches the agent of an address, or the person in a pane without an
 * agent. A way is a row (struct way) in the file that implements it. way_find() asks the rows of
 * the table in way.c in turn. The answer that promises a way and the engine that delivers
 * (delivery.h) both call way_find(), so that promise and delivery agree.
 *
 * To add a way:
 *   1. Write its row, and declare it below. use() decides whether the way takes the address now.
 *      start() delivers the mail of the address, and gives the receipt with the row's name and
 *      result (mail.h). A way that starts by itself, such as a follower, has no start().
 *   2. Name the row in the table of way.c, before the rows that are to be asked after it.
 *   3. Add a situation to tests/test_way.c: it compares the promise, the start and the receipt.
 *   4. Name the way in muxbus-protocol(7), and in WAKE_RESULTS of wake.h.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

#define WAY_TEXT_SIZE 256

struct foreground_program;
struct mail;

/* The address to find a way for, and facts about it. */
struct way_place {
	const struct daemon *parts;
	const struct pane_ref *address;
	const char *failure; /* why the agent's queue command is not tried now; NULL: try it */
	bool runs_on_notify; /* on_notify is configured */
	bool needs_start; /* skip the ways without start() */
};

struct way_found {
	const struct way *way; /* the promised way; way_none: no way, because of text */
	const struct way *by; /* the row that accepted the address, or else way_typed */
	char text[WAY_TEXT_SIZE]; /* "typed into pane %4" */
	bool is_final; /* with way_none: never, so the notification is refused */
};

enum way_use {
	WAY_PASSES, /* ask the next row */
	WAY_TAKES,
	WAY_WAITS, /* no other row; cannot deliver now */
	WAY_REFUSES, /* no other row; can never deliver */
};

struct way {
	const char *name; /* in answers, receipts and events */
	const char *result; /* result in the receipt of a delivered notification */
	const char *when; /* suffix of the promise: " when that is ready"; NULL: at once */
	bool is_for_person; /* asked only for panes without an agent; wakes no agent */
	enum way_use (*use)(const struct way_place *place, struct way_found *found);
	/*
	 * Starts or continues to deliver the mail. May set mail->work until it is done. NULL: the
	 * way starts by itself.
	 */
	void (*start)(struct mail *mail, const struct way_found *found);
	/* Releases the mail, to another way or before it is freed. May be NULL. */
	void (*cancel)(struct mail *mail);
	/* Finds the program whose end ends the way; none: ret_program is unchanged. May be NULL. */
	void (*program)(const struct daemon *parts, const struct pane_ref *address,
	    struct foreground_program *ret_program);
};

/* The rows, in the order in which they are asked; NULL ends. */
extern const struct way *const ways[];

extern const struct way way_follow;
extern const struct way way_hook;
extern const struct way way_queue_command;
extern const struct way way_shown;
extern const struct way way_on_notify;
extern const struct way way_typed;
extern const struct way way_none; /* not in the table, never in way_found.by */

/* Returns true if the way wakes an agent, not only a person. */
bool way_wakes(const struct way *way);
void way_find(const struct way_place *place, struct way_found *ret_found);
