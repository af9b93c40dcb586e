/* SPDX-License-Identifier: ISC */
/*
 * Progress notifications (notifications/progress) while an MCP call waits. One comes every ten
 * seconds if the request has a token, counted in seconds, and none after the result.
 */
#ifndef DAEMON_MCP_MCP_PROGRESS_H
#define DAEMON_MCP_MCP_PROGRESS_H

#include "daemon/mcp/mcp_exchange.h"

#define MCP_PROGRESS_MS 10000

struct mcp_progress;

/* meta is that of the request. NULL if it has no token. what is the text. */
struct mcp_progress *mcp_progress_new(
    struct mcp *mcp, struct request *request, const struct json *meta, const char *what);
/* Sends progress, total and message of a server of tools, in place of the time that has passed. */
void mcp_progress_pass(struct mcp_progress *progress, const struct json *params);
void mcp_progress_free(struct mcp_progress *progress);

#endif
