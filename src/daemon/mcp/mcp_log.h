/* SPDX-License-Identifier: ISC */
/*
 * Log messages (notifications/message) for MCP clients: outcomes of calls, server events. The
 * older revisions set a level for the connection; in the newest one each request sets a level
 * for its own messages.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

enum mcp_level {
	MCP_DEBUG,
	MCP_INFO,
	MCP_NOTICE,
	MCP_WARNING,
	MCP_ERROR,
	MCP_LEVEL_COUNT_ = 8,
};

/* The log state of one call. */
struct mcp_log {
	struct request *request;
	int level; /* below 0: none */
	int64_t began_ms;
};

void mcp_log_begin(struct mcp_log *log, const struct mcp_exchange *exchange);
/* Logs the end of a call: a result, or an error if not NULL. */
void mcp_log_call(const struct mcp_log *log, const struct method *tool, const char *error);
