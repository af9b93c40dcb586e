/* SPDX-License-Identifier: ISC */
/*
 * Answers a waiting MCP call with "pending" before the agent's timeout. The answer is a success
 * that says what wakes the agent and how to resume.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

/* NULL if the agent of this session has no timeout. */
struct mcp_pending *mcp_pending_new(const struct mcp_session *session, struct request *request);
void mcp_pending_free(struct mcp_pending *pending); /* NULL: nothing */

/* Shortens the wait in the arguments, or sets a timer that releases it. */
void mcp_pending_narrow(struct mcp_pending *pending, struct request *request, void *args);

/*
 * If a result exists only because of us: writes it again into out, with members that say
 * "pending". False: the result stays as it is.
 */
bool mcp_pending_write(
    const struct mcp_pending *pending, const struct json *result, struct buf *out);

/*
 * Whether a request has failed only because we released its task, which continues: then writes
 * the result that says so.
 */
bool mcp_pending_write_released(const struct mcp_pending *pending, struct buf *out);
