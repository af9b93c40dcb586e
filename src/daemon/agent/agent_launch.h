/* SPDX-License-Identifier: ISC */
/*
 * Starts the program of an agent in a window of its own: in a session of its own, of the size asked
 * for, whichever clients attach, with the history asked for; or again in another window of that
 * session. Its output is followed from the first byte, and its pane stays when it ends.
 */
#pragma once

#include "daemon/agent/agent_state.h"

/* The parts of the daemon that a launch needs. */
struct agent_launch_parts {
	struct event_base *base;
	struct tmux *tmux;
	struct reporter_set *reporters; /* NULL: no reports of programs */
	struct pane_ref parent; /* for notices of the program */
	char **command; /* instead of the plan's, taken; NULL: that */
};

struct agent_launch_handlers {
	/* The pane is there, without its program: who wants its output asks for it now. */
	void (*made)(void *data, const struct pane_ref *pane);
	/* Its program runs; error NULL. Or it cannot: error in words. Frees the launch. */
	void (*done)(void *data, const struct pane_ref *pane, const char *error);
};

/*
 * pane NULL: in a new session; else in that of this pane, which is closed. *ret_launch is set before
 * any handler is called. It and the plan last until done is called, or the launch is cancelled. False
 * if tmux is not followed.
 */
bool agent_launch_start(const struct agent_launch_parts *parts, const struct agent_spec *plan,
    const struct pane_ref *pane, const struct agent_launch_handlers *handlers, void *data,
    struct agent_launch **ret_launch);

/* The output of the pane that was made flows: its program may be started. */
void agent_launch_flows(struct agent_launch *launch);

/* Drops a launch: its handlers are not called any more, and its window is closed. */
void agent_launch_cancel(struct agent_launch *launch);

/*
 * Failure of an agent's program: its end in words, its last lines, and the end of its pane. The
 * window of a program that never was ready is closed.
 */

/* Keeps the exit status of a dead pane. False if the pane's program has not ended. */
bool agent_failure_note(struct agent *agent);

/* Whether it is known how its program ended. */
bool agent_failure_is_known(struct agent *agent);

/* Writes how the program of a dead pane ended. */
void agent_failure_describe(const struct agent *agent, char *out, size_t size);

/*
 * Reads the last lines of a dead pane, tmux's own left out, into agent->output, and calls done.
 * tmux drops what a program wrote right before its end, but shows it. False if tmux is not followed.
 */
bool agent_failure_read(struct agent *agent, void (*done)(struct agent *agent));
/* The agent is no more: done is not called. */
void agent_failure_forget(struct agent *agent);

/* Closes the pane of an agent, and leaves the agent without one. */
void agent_failure_close(struct agent *agent);

/* Notifies who made it of a crash: is_last: it is not started again. */
void agent_failure_notify(const struct agent *agent, bool is_last);
