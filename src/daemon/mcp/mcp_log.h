/* SPDX-License-Identifier: ISC */
/*
 * Log messages to an agent that wants them: what became of its calls, and what happens to
 * the tmux server. The older revisions set a level for the connection; the newest one asks
 * with each request, and is told of that request only.
 */
#ifndef DAEMON_MCP_MCP_LOG_H
#define DAEMON_MCP_MCP_LOG_H

#include "daemon/mcp/mcp_exchange.h"

enum mcp_level {
	MCP_DEBUG,
	MCP_INFO,
	MCP_NOTICE,
	MCP_WARNING,
	MCP_ERROR,
	MCP_LEVEL_COUNT_ = 8,
};

/* What a call needs to tell of itself. */
struct mcp_log {
	struct request *request;
	int level; /* below 0: nothing is wanted */
	int64_t began_ms;
};

void mcp_log_begin(struct mcp_log *log, const struct mcp_exchange *exchange);
/* The call is answered with a result, or with an error if there is one. */
void mcp_log_call(const struct mcp_log *log, const struct method *tool, const char *error);

#endif
