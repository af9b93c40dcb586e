/* SPDX-License-Identifier: ISC */
/*
 * The bridge between an agent and muxbusd, which hides restarts of the daemon. It does no I/O: the
 * caller passes bytes in, writes bytes out, and reports connections and their loss.
 *
 * After a lost connection, a request is sent again if it was not written yet. A short one is also
 * sent again if a repeat does no harm: it reads, lists, subscribes or initializes, or is a wait
 * with a name. Other tool calls are answered with advice on what to check, other requests with an
 * error. A new connection first gets the state of the old one: the greeting, initialize, log level
 * and subscriptions.
 */
#pragma once

#include "base/base.h"

#define MCP_REPLAY_LINE_MAX ((size_t)4 * 1024 * 1024) /* bytes of an agent's line, as in muxbusd */
#define MCP_REPLAY_ANSWER_MAX ((size_t)64 * 1024 * 1024) /* bytes of a line of the daemon */
#define MCP_REPLAY_PENDING_MAX 1000 /* unanswered requests; more are refused */
#define MCP_REPLAY_HELD_MAX ((size_t)8 * 1024 * 1024) /* bytes; beyond, the agent is not read */
#define MCP_REPLAY_UNREAD_MAX ((size_t)1024 * 1024) /* bytes; beyond, the daemon is not read */
#define MCP_REPLAY_KEPT_MAX 64 /* subscriptions, and the log level, to repeat */

struct mcp_replay_config {
	const char *greeting; /* lines that each daemon gets first, and does not answer; or NULL */
	bool is_legacy; /* refuse server/discover, so that agents fall back to initialize */
};

/* Copies config, but not its string. */
struct mcp_replay *mcp_replay_new(const struct mcp_replay_config *config);
void mcp_replay_free(struct mcp_replay *replay);

/* Take bytes from the agent, and the end of its input, whose last line may lack a newline. */
void mcp_replay_from_agent(struct mcp_replay *replay, const void *bytes, size_t len);
void mcp_replay_agent_ended(struct mcp_replay *replay);

/* Takes bytes of the daemon. False after a line that is too long or no JSON object: disconnect. */
bool mcp_replay_from_daemon(struct mcp_replay *replay, const void *bytes, size_t len);

/* Call these when a connection was made, and when it was lost. */
void mcp_replay_connected(struct mcp_replay *replay);
void mcp_replay_lost(struct mcp_replay *replay);
/* Call this if no connection can be made. Answers all requests but streams with the reason. */
void mcp_replay_refused(struct mcp_replay *replay, const char *reason);

/* Return the bytes to write to a side. After a write, pass its length to the next function. */
const struct buf *mcp_replay_to_agent(const struct mcp_replay *replay);
void mcp_replay_wrote_agent(struct mcp_replay *replay, size_t len);
const struct buf *mcp_replay_to_daemon(const struct mcp_replay *replay);
void mcp_replay_wrote_daemon(struct mcp_replay *replay, size_t len);

/* Return true if the side may be read; false while too much waits for the other side. */
bool mcp_replay_wants_agent(const struct mcp_replay *replay);
bool mcp_replay_wants_daemon(const struct mcp_replay *replay);

/* Returns true if requests wait for a connection; streams do not count. */
bool mcp_replay_is_waiting(const struct mcp_replay *replay);
/* Returns true if no request waits for an answer; streams that last until closed do not count. */
bool mcp_replay_is_done(const struct mcp_replay *replay);
