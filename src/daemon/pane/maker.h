/* SPDX-License-Identifier: ISC */
/*
 * The makers of panes: a program may do more with a pane that it made. Stored, so that they survive
 * a restart of the daemon. A pane that was respawned, or that another server made with the same id,
 * no longer belongs to its maker.
 */
#pragma once

#include "daemon/core/pane_ref.h"

#define MAKERS_MAX 1000 /* panes whose makers are known; others have none */

struct queue;
struct tmux;

/* A program that makes a request: its pane, or without one its kernel session (setsid(2)). */
struct pane_caller {
	struct pane_ref pane; /* cleared: not in a pane */
	pid_t session; /* 0: unknown or not needed; -1: outside of this PID namespace */
	uint64_t session_start; /* of its first process, in clock ticks since boot; 0: has ended */
};

struct maker_set *maker_set_new(struct queue *queue, struct tmux *tmux);
void maker_set_free(struct maker_set *set); /* set may be NULL */

/* Stores the maker of a pane, with the program that is in it now. set may be NULL. */
void maker_note(
    struct maker_set *set, const struct pane_caller *caller, const struct pane_ref *pane);
/* Returns true if the caller made the pane, whose first process is still the same. */
bool maker_is(const struct maker_set *set, const struct pane_caller *caller, uint32_t pane);
