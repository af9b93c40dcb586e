/* SPDX-License-Identifier: ISC */
/*
 * Reporters: panes whose programs report in their output, and so also through ssh and from
 * containers. A reporter has a random token, which its program finds in the environment. A context
 * (osc_report.h) with this token reports the agent's state and question, or asks to wake an agent;
 * with another token it is only counted. Notices become notifications if the pane's requester wants
 * them.
 *
 * A report is never a reason to type: its presence is marked as such, and its notification is
 * delivered like any other. A reporter lives as long as its pane, also over a restart of the
 * daemon.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"

#define REPORTERS_MAX 1024 /* with more, new panes get none */
#define REPORTER_VARIABLE "LC_MUXBUS" /* LC_*: most systems let ssh pass it on */
#define REPORTER_TOKEN_SIZE 33 /* with NUL */
#define REPORTER_PENDING_MAX 64 /* reports of a pane in a turn of the loop; more are dropped */
#define REPORTER_BURST 10 /* notifications of one pane at once; then one every REPORTER_EVERY_MS */
#define REPORTER_EVERY_MS 6000
#define REPORTER_UNREAD_MAX 10 /* unread reports of one pane; more are counted into the oldest */

struct reporter_set *reporter_set_new(const struct daemon *parts);
void reporter_set_free(struct reporter_set *set);
/* tmux is connected, perhaps again. */
void reporter_set_wake(struct reporter_set *set);
bool reporter_set_is_idle(const struct reporter_set *set);

void reporter_new_token(char ret_token[REPORTER_TOKEN_SIZE]);

/* Watches a pane whose program does not run yet. parent: the pane to notify, or cleared. */
void reporter_add(struct reporter_set *set, uint32_t pane, const struct pane_ref *parent,
    const char *token, bool wants_notices);
/* The program runs: its reports are handled from now on, with those that came before. */
void reporter_settle(struct reporter_set *set, uint32_t pane);
