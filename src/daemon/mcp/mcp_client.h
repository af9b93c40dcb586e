/* SPDX-License-Identifier: ISC */
/*
 * The agents that are known by the name they give themselves (clientInfo.name): how long a
 * call may last before they give it up, and what they are told of it. Measured, not guessed.
 */
#ifndef DAEMON_MCP_MCP_CLIENT_H
#define DAEMON_MCP_MCP_CLIENT_H

#include <stdbool.h>

#include "base/buf.h"

#define MCP_INSTRUCTIONS_MAX 2000 /* bytes: some agents cut there */

struct mcp_client {
	const char *name; /* what its name begins with; "" for all others */
	int wait_sec; /* a call is answered before this; 0: however long it takes */
	const char *waiting; /* how to wait, for the instructions */
};

/* The row of a name; never NULL. */
const struct mcp_client *mcp_client_find(const char *name);

/* Appends what a model must know, for this agent. pane: NULL if it sits in none. */
void mcp_client_instructions(struct buf *out, const struct mcp_client *client, const char *pane);

#endif
