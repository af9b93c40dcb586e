/* SPDX-License-Identifier: ISC */
/*
 * Ways: how a notification for an address reaches its agent, or the person in whose pane no agent
 * lives. A way is one row, in the file of its noun. way_find() asks the rows of the table in way.c
 * one after the other. The answer that promises a way and the engine that delivers (delivery.h)
 * both call it, so the promise and the delivery do not differ.
 *
 * To add a way:
 *   1. Write its row where its noun is, and declare it below. use() looks whether the way takes the
 *      address now. start() takes what waits there, and gives the receipt with the row's name and
 *      result (mail.h). A way that starts by itself, as a follower does, has no start().
 *   2. Name the row in the table of way.c, before the rows that are to be asked after it.
 *   3. Add a situation to tests/test_way.c: it compares the promise, the start and the receipt.
 *   4. Name the way in muxbus-protocol(7), and in WAKE_RESULTS of wake.h.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

#define WAY_TEXT_SIZE 256

struct foreground_program;
struct mail;

/* An address for which a way is looked for. */
struct way_place {
	const struct daemon *parts;
	const struct pane_ref *address;
	const char *failure; /* why the agent's queue command is not asked now; NULL: it is */
	bool runs_on_notify; /* on_notify has a program */
	bool is_left; /* the ways that start by themselves have left what waits */
};

struct way_found {
	const struct way *way; /* that is promised; way_none: none, because of text */
	const struct way *by; /* the row that has the address, also while it cannot take anything */
	char text[WAY_TEXT_SIZE]; /* "typed into pane %4" */
	bool is_final; /* way_none: for ever, so the notification is refused */
};

enum way_use {
	WAY_PASSES, /* the address is for the next row */
	WAY_TAKES,
	WAY_WAITS, /* the address is this row's, but nothing can be done for now */
	WAY_REFUSES, /* nothing can be done, ever */
};

struct way {
	const char *name; /* in answers, receipts and events */
	const char *result; /* of the receipt of what has arrived */
	const char *when; /* of the promise: " when that is ready"; NULL: at once */
	bool is_for_person; /* not asked for the pane of an agent; wakes no agent */
	enum way_use (*use)(const struct way_place *place, struct way_found *found);
	/* Takes what waits, or goes on. NULL: it starts by itself. mail->work: it is not done yet. */
	void (*start)(struct mail *mail, const struct way_found *found);
	/* Lets go of the mail, for another way or for ever. NULL: there is nothing to let go of. */
	void (*cancel)(struct mail *mail);
	/* The program to which the way leads, and with which it ends. NULL: the requester says. */
	void (*program)(const struct daemon *parts, const struct pane_ref *address,
	    struct foreground_program *ret_program);
};

/* The rows, in the order in which they are asked; NULL ends. */
extern const struct way *const ways[];

extern const struct way way_follow; /* puller.c */
extern const struct way way_hook; /* puller.c */
extern const struct way way_queue_command; /* queue_command.c */
extern const struct way way_shown; /* show.c */
extern const struct way way_on_notify; /* on_notify.c */
extern const struct way way_typed; /* typed.c */
extern const struct way way_none; /* mail.c: no row of the table, and never by */

/* Whether a way ends at an agent, which wakes. */
bool way_wakes(const struct way *way);
void way_find(const struct way_place *place, struct way_found *ret_found);
