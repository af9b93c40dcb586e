/* SPDX-License-Identifier: ISC */
/*
 * The makers of panes: a program may do more with a pane that it made. Kept in the store, so that a
 * restart does not forget them. A pane that was respawned since, or that another server has made
 * under the same number, is none of theirs.
 */
#pragma once

#include "daemon/core/pane_ref.h"

#define MAKERS_MAX 1000 /* panes whose makers are known: further ones have none */

struct queue;
struct tmux;

/* A program that asks: its pane; outside of tmux the session of the kernel that it is in. */
struct pane_caller {
	struct pane_ref pane; /* cleared: none */
	pid_t session; /* 0: not known, or not needed; -1: one outside of this PID namespace */
	uint64_t
	    session_start; /* of its first process, in clock ticks since boot; 0: it has ended */
};

/* Loads what the store holds. */
struct maker_set *maker_set_new(struct queue *queue, struct tmux *tmux);
void maker_set_free(struct maker_set *set); /* NULL is accepted */

/* Notes that a caller has made a pane, with the program that is in it now. set may be NULL. */
void maker_note(
    struct maker_set *set, const struct pane_caller *caller, const struct pane_ref *pane);
/* Whether a caller made the pane of this number, and its program is still the same. */
bool maker_is(const struct maker_set *set, const struct pane_caller *caller, uint32_t pane);
