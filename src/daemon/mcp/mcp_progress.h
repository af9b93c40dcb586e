/* SPDX-License-Identifier: ISC */
/*
 * Signs of life while a call waits: one every ten seconds to whoever gave a token,
 * counted in seconds. None comes with the result or behind it.
 */
#ifndef DAEMON_MCP_MCP_PROGRESS_H
#define DAEMON_MCP_MCP_PROGRESS_H

#include "daemon/mcp/mcp_exchange.h"

#define MCP_PROGRESS_MS 10000

struct mcp_progress;

/* meta is that of the request. NULL if it wants none. what is said with it. */
struct mcp_progress *mcp_progress_new(
    struct mcp *mcp, struct request *request, const struct json *meta, const char *what);
void mcp_progress_free(struct mcp_progress *progress);

#endif
