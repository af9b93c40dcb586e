/* SPDX-License-Identifier: ISC */
/*
 * Notifications to an MCP client about changed lists and resources. A session of the older
 * revisions gets those of lists after initialize, and of the resources it subscribes to; the
 * newest revision listens with a request that stays open, whose id marks its notifications. At
 * most one per target and second.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

struct event_entry;

/* NULL: nothing. */
void mcp_listening_free(struct mcp_listening *listening);

/* Starts notifications of lists for a session of the older revisions. */
void mcp_listen_lists(struct mcp_session *session);

/* The session's list of tools has changed. */
void mcp_listen_tools_changed(struct mcp_session *session);

/*
 * For a session with a log level: calls log with each event of these kinds (bit per enum
 * event_kind; 0: none).
 */
typedef void mcp_listen_log_fn(const struct mcp_session *session, const struct event_entry *event);

/* The daemon stops: answers open requests to listen. */
void mcp_listen_end(struct mcp_session *session);

/*
 * Log messages (notifications/message) for MCP clients: outcomes of calls, server events. The
 * older revisions set a level for the connection; in the newest one each request sets a level
 * for its own messages.
 */

enum mcp_level { MCP_DEBUG, MCP_INFO, MCP_NOTICE, MCP_WARNING, MCP_ERROR, MCP_LEVEL_COUNT_ = 8 };

/* The log state of one call. */
struct mcp_log {
	struct request *request;
	int level; /* below 0: none */
	int64_t began_ms;
};

void mcp_log_begin(struct mcp_log *log, const struct mcp_exchange *exchange);
/* Logs the end of a call: a result, or an error if not NULL. */
void mcp_log_call(const struct mcp_log *log, const struct method *tool, const char *error);
