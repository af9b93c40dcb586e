/* SPDX-License-Identifier: ISC */
/*
 * MCP as a dialect on the socket: initialize, server/discover, ping, cancel; methods are tools.
 * Each request names its revision, not the connection: a request whose _meta has a protocol
 * version is of 2026-07-28 and needs no session; any other is of the revisions that begin with
 * initialize. Native requests may come between them.
 *
 * A tool is a method: tools/call goes through the same checks and handlers, and only its
 * response has another format.
 */
#pragma once

#include "base/base.h"

struct daemon;
struct dispatch;

/* Registers MCP with dispatch, until the last peer is gone. */
struct mcp *mcp_new(struct daemon *daemon, struct dispatch *dispatch);
/* Other tools are declared: sessions whose lists differ by that are notified. */
void mcp_tools_changed(struct mcp *mcp, bool is_listed);
/* After server_free(). */
void mcp_free(struct mcp *mcp);
