/* SPDX-License-Identifier: ISC */
/*
 * Starts the program of an agent in a new window: in a session of its own, with the requested size
 * and history whichever clients attach, or again in another window of that session. Its output is
 * watched from the first byte, and its pane stays when the program ends.
 */
#pragma once

#include "daemon/agent/agent_state.h"

struct agent_launch_handlers {
	/* The pane exists, its program does not run yet: begin to watch its output now. */
	void (*made)(struct agent *agent, const struct pane_ref *pane);
	/* The program runs (error NULL), or failed to start (error: text). The launch is freed. */
	void (*done)(struct agent *agent, const struct pane_ref *pane, const char *error);
};

/*
 * Makes a session, or, if the agent has a pane, uses the session of this pane, which is closed.
 * Sets agent->launch before any handler is called. The agent's plan must last until done is called
 * or the launch is cancelled. command replaces the plan's, and is freed by the launch; NULL: the
 * plan's. Returns false if tmux is not connected.
 */
bool agent_launch_start(
    struct agent *agent, char **command, const struct agent_launch_handlers *handlers);

/* The output of the new pane is watched: the program may be started. */
void agent_launch_flows(struct agent_launch *launch);

/* Cancels a launch: no handler is called any more, and its window is closed. */
void agent_launch_cancel(struct agent_launch *launch);

/* The failure of a program: its end in words, its last lines, and closing its pane. */

/* Keeps the exit status of a dead pane. Returns false if the pane's program has not ended. */
bool agent_failure_note(struct agent *agent);

bool agent_failure_is_known(struct agent *agent);

/* Describes how the program of a dead pane ended. */
void agent_failure_describe(const struct agent *agent, char *out, size_t size);

/*
 * Reads the last lines of a dead pane, without tmux's own, into agent->output, and calls done. The
 * screen is read, because tmux may not send the last output. False if tmux is not connected.
 */
bool agent_failure_read(struct agent *agent, void (*done)(struct agent *agent));
/* The agent is freed: done is not called. */
void agent_failure_forget(struct agent *agent);

/* Closes the pane of an agent, unless it is the last one of the server. */
void agent_failure_close(struct agent *agent);

/* Notifies the agent's teller of a crash. is_last: the program is not started again. */
void agent_failure_notify(const struct agent *agent, bool is_last);
