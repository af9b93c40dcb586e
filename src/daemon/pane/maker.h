/* SPDX-License-Identifier: ISC */
/*
 * The makers of panes: a program has more rights to a pane that it made. The store keeps the makers
 * over a restart of the daemon, and which panes are to close with their programs. A pane loses its
 * maker when it closes or is respawned, or when its tmux server ends.
 */
#pragma once

#include "daemon/core/pane_ref.h"

/* maximum panes whose makers are known; further panes have none */
#define MAKERS_MAX 1000

struct queue;
struct tmux;

/*
 * A caller: a program that makes a request, known by its pane or, without a pane, by its kernel
 * session (setsid(2)).
 */
struct pane_caller {
	struct pane_ref pane; /* cleared: not in a pane */
	pid_t session; /* 0: unknown or not needed; -1: outside of this PID namespace */
	/* start of the session's first process, in clock ticks since boot; 0: it has ended */
	uint64_t session_start;
};

struct maker_set *maker_set_new(struct queue *queue, struct tmux *tmux);
void maker_set_free(struct maker_set *set); /* set may be NULL */

/*
 * Stores the caller as the maker of a pane, with the pane's present program. closes: the pane is to
 * be closed when this program ends, also by a later daemon. set may be NULL.
 */
void maker_note(struct maker_set *set, const struct pane_caller *caller,
    const struct pane_ref *pane, bool closes);
/*
 * Call this when the daemon has found its tmux server. Closes panes whose program ended while no
 * daemon ran, and later those whose program ends.
 */
void maker_set_wake(struct maker_set *set);
/* Returns true if the caller made the pane, and the pane's first process is still the same. */
bool maker_is(const struct maker_set *set, const struct pane_caller *caller, uint32_t pane);
