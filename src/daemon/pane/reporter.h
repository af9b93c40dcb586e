/* SPDX-License-Identifier: ISC */
/*
 * Reporters: panes whose programs report by marks in their output, and so also through ssh and from
 * containers. A reporter has a random token, which its program finds in the environment. A mark
 * with this token (a "context", osc_report.h) reports the agent's state and question, or asks to
 * wake an agent; with another token it is only counted. Notices (notifications of the terminal,
 * such as OSC 9) become notifications if the request that made the pane wants this.
 *
 * A reported state is no reason to type (is_by_mark in presence.h). Notifications of a reporter are
 * delivered like others. A reporter lives as long as its pane has the same first process.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"

#define REPORTERS_MAX 1024 /* maximum number; further panes get none */
/* named LC_* because many systems let ssh pass such variables on */
#define REPORTER_VARIABLE "LC_MUXBUS"
#define REPORTER_TOKEN_SIZE 33 /* with NUL */
/* maximum number of reports of a pane that are not handled yet; more are dropped */
#define REPORTER_PENDING_MAX 64
/* maximum notifications of one pane at once; then one every REPORTER_EVERY_MS */
#define REPORTER_BURST 10
#define REPORTER_EVERY_MS 6000
/* maximum unread notifications of one pane; more are counted into the oldest */
#define REPORTER_UNREAD_MAX 10

struct reporter_set *reporter_set_new(const struct daemon *parts);
void reporter_set_free(struct reporter_set *set);
/* Call this when tmux is connected, for the first time or again. */
void reporter_set_wake(struct reporter_set *set);
bool reporter_set_is_idle(const struct reporter_set *set);

void reporter_new_token(char ret_token[REPORTER_TOKEN_SIZE]);

/*
 * Makes a reporter for a pane whose program does not run yet; with too many reporters only logs
 * that. parent: the pane that gets its notices, and what it sends to its parent; cleared: none.
 */
void reporter_add(struct reporter_set *set, uint32_t pane, const struct pane_ref *parent,
    const char *token, bool wants_notices);
/* Call this when the program runs: reports are handled from now on, also earlier ones. */
void reporter_settle(struct reporter_set *set, uint32_t pane);
