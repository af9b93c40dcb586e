/* SPDX-License-Identifier: ISC */
/*
 * The thread of an MCP call: Codex says with each call, in _meta.threadId, in which session the
 * model asks. One process may serve the windows of many panes, so the answers to come are bound
 * to the thread and not to the pane of that process.
 */
#ifndef DAEMON_MCP_MCP_THREAD_H
#define DAEMON_MCP_MCP_THREAD_H

struct mcp_exchange;

/* Binds the request of a call to its thread, if it has one. */
void mcp_thread_bind(const struct mcp_exchange *exchange);

#endif
