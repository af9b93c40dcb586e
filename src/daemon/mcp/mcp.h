/* SPDX-License-Identifier: ISC */
/*
 * MCP on the same socket: the other face of the method table. A line whose method is MCP's
 * is taken here; which revision speaks is told by each request, not by the connection: one
 * whose _meta names a protocol version is of 2026-07-28 and stands alone, any other is of the
 * revisions that begin with initialize. Native requests may come between them.
 *
 * A tool is a method: tools/call goes through the same checks and handlers, and only its
 * answer is dressed differently.
 */
#ifndef DAEMON_MCP_MCP_H
#define DAEMON_MCP_MCP_H

struct daemon;
struct dispatch;
struct mcp;

/* Speaks on the socket from now on, until the last peer is gone. */
struct mcp *mcp_new(struct daemon *daemon, struct dispatch *dispatch);
/* After the server's end. */
void mcp_free(struct mcp *mcp);

#endif
