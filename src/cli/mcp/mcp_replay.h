/* SPDX-License-Identifier: ISC */
/*
 * The state of the bridge between an agent and muxbusd, which hides restarts of the daemon from
 * the agent. No I/O: bytes of both sides go in, bytes for both come out, and the caller reports
 * when a connection is made or lost.
 *
 * After a lost connection, requests that were not written yet, that only read or that list
 * something, and waits with a name go to the next connection. Other calls are answered: the daemon
 * restarted, and the answer says where to look before repeating the call. A new connection first
 * gets the state of the old one: the greeting, initialize, the log level, subscriptions.
 */
#pragma once

#include "base/base.h"

#define MCP_REPLAY_LINE_MAX ((size_t)4 * 1024 * 1024) /* of the agent; as the daemon's limit */
#define MCP_REPLAY_ANSWER_MAX ((size_t)64 * 1024 * 1024) /* of the daemon */
#define MCP_REPLAY_PENDING_MAX 1000 /* unanswered requests; more are refused */
#define MCP_REPLAY_HELD_MAX ((size_t)8 * 1024 * 1024) /* bytes; then the agent must wait */
#define MCP_REPLAY_UNREAD_MAX ((size_t)1024 * 1024) /* bytes; then the daemon must wait */
#define MCP_REPLAY_KEPT_MAX 64 /* subscriptions that are repeated */

struct mcp_replay_config {
	const char *greeting; /* lines that each daemon gets first, without an answer; or NULL */
	bool is_legacy; /* server/discover is refused, so that clients fall back to initialize */
};

/* Like all of these, ends the process if memory is exhausted. config is copied, its string lent. */
struct mcp_replay *mcp_replay_new(const struct mcp_replay_config *config);
void mcp_replay_free(struct mcp_replay *replay);

/* Takes bytes from the agent, and the end of its input, where the last line may lack a newline. */
void mcp_replay_from_agent(struct mcp_replay *replay, const void *bytes, size_t len);
void mcp_replay_agent_ended(struct mcp_replay *replay);

/* Takes bytes from the daemon. Returns false if they are not JSON-RPC: then close the link. */
bool mcp_replay_from_daemon(struct mcp_replay *replay, const void *bytes, size_t len);

/* A connection was made; allowed only after the last one was lost. */
void mcp_replay_connected(struct mcp_replay *replay);
/* The connection was lost. */
void mcp_replay_lost(struct mcp_replay *replay);
/* There will be no connection: waiting requests are answered with the reason, a sentence. */
void mcp_replay_refused(struct mcp_replay *replay, const char *reason);

/* Bytes to write, and the number of bytes written. */
const struct buf *mcp_replay_to_agent(const struct mcp_replay *replay);
void mcp_replay_wrote_agent(struct mcp_replay *replay, size_t len);
const struct buf *mcp_replay_to_daemon(const struct mcp_replay *replay);
void mcp_replay_wrote_daemon(struct mcp_replay *replay, size_t len);

/* Whether to read on: buffers for a side that does not read stay bounded. */
bool mcp_replay_wants_agent(const struct mcp_replay *replay);
bool mcp_replay_wants_daemon(const struct mcp_replay *replay);

/* Whether requests wait for a connection. */
bool mcp_replay_is_waiting(const struct mcp_replay *replay);
/* Whether no request waits for an answer, except for streams that end with their reader. */
bool mcp_replay_is_done(const struct mcp_replay *replay);
