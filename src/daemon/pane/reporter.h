/* SPDX-License-Identifier: ISC */
/*
 * Reporters: panes whose programs report in their output, so also through ssh and out of
 * containers. A reporter has a token, random, which its program finds in the environment. A context
 * (osc_report.h) with this token reports the state of the agent in the pane, its question, and a
 * request to wake an agent; one without it only counts. If the requester of the pane asked for
 * them, notices of the program (osc_report.h) are notifications too.
 *
 * A report is never a reason to type: the presence that it makes is marked, and a notification is
 * delivered as any other. A reporter lives as long as its pane, also over a restart of the daemon.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"

#define REPORTERS_MAX 1024 /* then a new pane has none */
#define REPORTER_VARIABLE "LC_MUXBUS" /* ssh passes on LC_*, as most systems set it up */
#define REPORTER_TOKEN_SIZE 33 /* with its NUL */
#define REPORTER_PENDING_MAX 64 /* reports of one pane in one turn; more are dropped */
#define REPORTER_BURST 10 /* notifications of one pane; then one every REPORTER_EVERY_MS */
#define REPORTER_EVERY_MS 6000
#define REPORTER_UNREAD_MAX 10 /* of one pane; further ones are counted into the oldest */

/* Loads the reporters of the queue's store. */
struct reporter_set *reporter_set_new(const struct daemon *parts);
void reporter_set_free(struct reporter_set *set);
/* tmux is followed, perhaps again. */
void reporter_set_wake(struct reporter_set *set);
/* Whether there is none. */
bool reporter_set_is_idle(const struct reporter_set *set);

void reporter_new_token(char ret_token[REPORTER_TOKEN_SIZE]);

/*
 * Follows the output of a pane whose program does not run yet. parent: the pane to notify,
 * cleared: none.
 */
void reporter_add(struct reporter_set *set, uint32_t pane, const struct pane_ref *parent,
    const char *token, bool wants_notices);
/* The program runs: its reports count from now on, with those that came before. */
void reporter_settle(struct reporter_set *set, uint32_t pane);
