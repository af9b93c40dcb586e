/* SPDX-License-Identifier: ISC */
/*
 * Notifies an MCP client about changed lists and resources. A session of an older revision gets
 * notifications about lists after initialize, and about the resources that it subscribes to. In the
 * newest revision a request that stays open subscribes, and its id is in each notification. Each
 * target has at most one notification a second.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

struct event_entry;

/* NULL is ignored. */
void mcp_listening_free(struct mcp_listening *listening);

/* Starts to notify a session of an older revision that lists have changed. */
void mcp_listen_lists(struct mcp_session *session);

/* Notifies the session that its list of tools has changed. */
void mcp_listen_tools_changed(struct mcp_session *session);

/* Called with each event whose kind a session logs. */
typedef void mcp_listen_log_fn(const struct mcp_session *session, const struct event_entry *event);

/* Answers open requests to listen. Call when the daemon stops. */
void mcp_listen_end(struct mcp_session *session);

/*
 * Log messages (notifications/message) for MCP clients: results of calls, and server events. In the
 * older revisions a client sets a level for its connection; in the newest, each request sets the
 * level for its own messages.
 */

enum mcp_level { MCP_DEBUG, MCP_INFO, MCP_NOTICE, MCP_WARNING, MCP_ERROR, MCP_LEVEL_COUNT_ = 8 };

/* Settings for the log messages of a call. */
struct mcp_log {
	struct request *request;
	int level; /* below 0: none */
	int64_t began_ms;
};

void mcp_log_begin(struct mcp_log *log, const struct mcp_exchange *exchange);
/* Logs the end of a call: its error, or, if NULL, that it is done. */
void mcp_log_call(const struct mcp_log *log, const struct method *tool, const char *error);
