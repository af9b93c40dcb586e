/* SPDX-License-Identifier: ISC */
/*
 * MCP as a dialect on the socket: initialize, server/discover, ping, cancel; methods are tools. The
 * revision belongs to the request, not to the connection: if _meta has a protocol version, the
 * request is of 2026-07-28 and needs no session; else it is of a revision that begins with
 * initialize. Native requests may come between them.
 *
 * A tool is a method, so tools/call goes through the same checks and handlers as a request for the
 * method. Only the response has another format.
 */
#pragma once

#include "base/base.h"

struct daemon;
struct dispatch;

/* Makes MCP the dialect of dispatch. Never returns NULL. */
struct mcp *mcp_new(struct daemon *daemon, struct dispatch *dispatch);
/* Declared tools have changed; if is_listed, sessions that list declared tools are notified. */
void mcp_tools_changed(struct mcp *mcp, bool is_listed);
/* Call after server_free(). NULL is ignored. */
void mcp_free(struct mcp *mcp);
