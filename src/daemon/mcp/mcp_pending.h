/* SPDX-License-Identifier: ISC */
/*
 * Answers a waiting MCP call with "pending" before the agent's timeout. The answer is a success
 * that says how the end of the wait reaches the agent, and how to resume the wait.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

/* NULL if the agent of this session has no timeout. */
struct mcp_pending *mcp_pending_new(const struct mcp_session *session, struct request *request);
void mcp_pending_free(struct mcp_pending *pending); /* NULL is ignored */

/* Shortens timeout_sec in args, or starts a timer that answers before the agent's timeout. */
void mcp_pending_narrow(struct mcp_pending *pending, struct request *request, void *args);

/*
 * If the shortened timeout ended the wait, writes the result with "pending" to out and returns
 * true. Else, or if out is too small, returns false.
 */
bool mcp_pending_write(
    const struct mcp_pending *pending, const struct json *result, struct buf *out);

/*
 * If a request failed only because its wait was ended early, writes a result that replaces the
 * error and returns true. Else, or if out is too small, returns false.
 */
bool mcp_pending_write_released(const struct mcp_pending *pending, struct buf *out);
