/* SPDX-License-Identifier: ISC */
/*
 * Calls that wait longer than their agent has patience for: they are answered in time, as a
 * success that says "pending", what will wake the agent, and how to go on.
 */
#ifndef DAEMON_MCP_MCP_PENDING_H
#define DAEMON_MCP_MCP_PENDING_H

#include <stdbool.h>

#include "base/buf.h"
#include "daemon/mcp/mcp_exchange.h"

struct mcp_pending;

/* NULL if the agent of this session waits as long as it takes. */
struct mcp_pending *mcp_pending_new(const struct mcp_session *session, struct request *request);
void mcp_pending_free(struct mcp_pending *pending); /* NULL: nothing */

/* The arguments were read: shortens the wait, or sees to it that it is let go of in time. */
void mcp_pending_narrow(struct mcp_pending *pending, struct request *request, void *args);

/*
 * If a result is there only because of us: writes it again into out, with members that say
 * that it is pending. False: it stands as it is.
 */
bool mcp_pending_write(
    const struct mcp_pending *pending, const struct json *result, struct buf *out);

/*
 * Whether a request has failed only because we let go of what it waits for, which goes on:
 * then writes the result that says so.
 */
bool mcp_pending_write_released(const struct mcp_pending *pending, struct buf *out);

#endif
