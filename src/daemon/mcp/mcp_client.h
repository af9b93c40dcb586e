/* SPDX-License-Identifier: ISC */
/*
 * Known MCP clients (agents): their call timeouts, and the instructions for their models. An
 * agent is known by its clientInfo.name. Measured, not guessed.
 */
#ifndef DAEMON_MCP_MCP_CLIENT_H
#define DAEMON_MCP_MCP_CLIENT_H

#include <stdbool.h>

#include "base/buf.h"

#define MCP_INSTRUCTIONS_MAX 2000 /* bytes: some agents cut there */

struct mcp_client {
	const char *name; /* beginning of its name; "" for all others */
	const char *agent; /* whose thread is in _meta.threadId of each call; NULL: it is not */
	int wait_sec; /* calls are answered before this; 0: no limit */
	const char *waiting; /* about waiting, for the instructions */
};

/* The row of a name; never NULL. */
const struct mcp_client *mcp_client_find(const char *name);

/* Appends the instructions for a model. pane: NULL if the agent is in none. */
void mcp_client_instructions(struct buf *out, const struct mcp_client *client, const char *pane);

#endif
