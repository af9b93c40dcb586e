/* SPDX-License-Identifier: ISC */
/*
 * Failure of an agent's program: its end in words, its last lines, and the end of its pane. The
 * window of a program that never was ready is closed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct agent;

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
