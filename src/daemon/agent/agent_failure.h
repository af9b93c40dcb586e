/* SPDX-License-Identifier: ISC */
/*
 * Failure of an agent's program: its end in words, and the end of its pane. The window of a program
 * that never was ready is closed.
 */
#ifndef DAEMON_AGENT_AGENT_FAILURE_H
#define DAEMON_AGENT_AGENT_FAILURE_H

#include <stddef.h>

struct agent;

/* Writes how the program of a dead pane ended. */
void agent_failure_describe(const struct agent *agent, char *out, size_t size);

/* Closes the pane of an agent, and leaves the agent without one. */
void agent_failure_close(struct agent *agent);

#endif
