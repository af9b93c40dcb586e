/* SPDX-License-Identifier: ISC */
/*
 * One look at the screen of an agent, and its place in the pane's output: what comes at
 * that offset is not on it.
 */
#ifndef DAEMON_PANE_AGENT_LOOK_H
#define DAEMON_PANE_AGENT_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/pane/pane_screen.h"

struct tmux;

struct agent_look {
	struct pane_screen screen;
	uint64_t offset;
	bool is_alternate; /* a full-screen program draws */
};

/* error as of the library; look NULL then. Lent until it returns. */
typedef void agent_look_fn(void *data, int error, const struct agent_look *look);

/* Returns an error, and does not call done, if tmux is not followed. */
int agent_look_take(struct tmux *tmux, uint32_t pane, agent_look_fn *done, void *data);

#endif
