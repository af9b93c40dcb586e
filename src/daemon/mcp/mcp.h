/* SPDX-License-Identifier: ISC */
/*
 * MCP (Model Context Protocol) as a dialect on the socket. A request with a protocol version in
 * _meta must be of revision 2026-07-28, which needs no session. Others are of a revision that
 * begins with initialize. Native requests may come between them.
 *
 * A tool is a method: tools/call goes through its checks and its handler, and gives the answer
 * another form.
 */
#pragma once

#include "base/base.h"

struct daemon;
struct dispatch;

/* Makes MCP the dialect of dispatch. */
struct mcp *mcp_new(struct daemon *daemon, struct dispatch *dispatch);
/*
 * Call this after changes of methods. is_listed: tools that agents see have changed too, so
 * sessions with declared tools are notified.
 */
void mcp_tools_changed(struct mcp *mcp, bool is_listed);
/* Call after server_free(). NULL is accepted. */
void mcp_free(struct mcp *mcp);
