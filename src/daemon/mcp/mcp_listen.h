/* SPDX-License-Identifier: ISC */
/*
 * What an agent is told unasked: that a list has changed, that a resource has. The older
 * revisions are told of lists once they are initialized, and of resources they subscribe
 * to; the newest one listens with a request that stays open, whose id marks what it is told.
 * Nothing is told more often than once a second.
 */
#ifndef DAEMON_MCP_MCP_LISTEN_H
#define DAEMON_MCP_MCP_LISTEN_H

#include "daemon/mcp/mcp_exchange.h"

struct event_entry;

/* NULL: nothing. */
void mcp_listening_free(struct mcp_listening *listening);

/* An older session is to be told of lists from now on. */
void mcp_listen_lists(struct mcp_session *session);

/* The session's list of tools is another one now. */
void mcp_listen_tools_changed(struct mcp_session *session);

/*
 * For a session that set a level of the log: calls log with each event of these kinds (bit
 * per enum event_kind; 0: none).
 */
typedef void mcp_listen_log_fn(const struct mcp_session *session, const struct event_entry *event);
void mcp_listen_log(struct mcp_session *session, uint64_t kinds, mcp_listen_log_fn *log);

/* The daemon ends: open requests to listen are answered. */
void mcp_listen_end(struct mcp_session *session);

#endif
