/* SPDX-License-Identifier: ISC */
/*
 * What the bridge between an agent and muxbusd remembers, so that the agent need not know
 * when the daemon is another one: without I/O. Bytes of both sides go in, bytes for both
 * come out, and the caller says when a connection is there and when it is gone.
 *
 * Of a connection that is lost, what never left us, what only reads and what is asked for
 * lists goes to the next one; the other calls are answered with what is known: that the
 * daemon restarted, and where to look before doing it again. A new connection is first told
 * what the old one knew: the greeting, initialize, the log level, subscriptions.
 */
#ifndef CLI_MCP_REPLAY_H
#define CLI_MCP_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define MCP_REPLAY_LINE_MAX ((size_t)4 * 1024 * 1024) /* of the agent; as the daemon's */
#define MCP_REPLAY_ANSWER_MAX ((size_t)64 * 1024 * 1024) /* of the daemon */
#define MCP_REPLAY_PENDING_MAX 1000 /* requests without an answer; then they are refused */
#define MCP_REPLAY_HELD_MAX ((size_t)8 * 1024 * 1024) /* bytes; then the agent is not read */
#define MCP_REPLAY_UNREAD_MAX ((size_t)1024 * 1024) /* bytes; then the daemon is not read */
#define MCP_REPLAY_KEPT_MAX 64 /* subscriptions that are made again */

struct mcp_replay;

struct mcp_replay_config {
	const char
	    *greeting; /* what each daemon is told first: lines that are not answered; or NULL */
	bool is_legacy; /* server/discover is refused, so that clients fall back to initialize */
};

/* Ends the process if out of memory, as all of these. config is copied, its string lent. */
struct mcp_replay *mcp_replay_new(const struct mcp_replay_config *config);
void mcp_replay_free(struct mcp_replay *replay);

/* What the agent wrote; and the end of it, where a last line may lack its newline. */
void mcp_replay_from_agent(struct mcp_replay *replay, const void *bytes, size_t len);
void mcp_replay_agent_ended(struct mcp_replay *replay);

/* What the daemon wrote. False if that is no JSON-RPC: the connection is to be given up. */
bool mcp_replay_from_daemon(struct mcp_replay *replay, const void *bytes, size_t len);

/* A connection is there. Only after the last one was lost. */
void mcp_replay_connected(struct mcp_replay *replay);
/* It is gone. */
void mcp_replay_lost(struct mcp_replay *replay);
/* There will be none: what waits for it is answered with the reason, a sentence for a reader. */
void mcp_replay_refused(struct mcp_replay *replay, const char *reason);

/* What is to be written, and how much of it was. */
const struct buf *mcp_replay_to_agent(const struct mcp_replay *replay);
void mcp_replay_wrote_agent(struct mcp_replay *replay, size_t len);
const struct buf *mcp_replay_to_daemon(const struct mcp_replay *replay);
void mcp_replay_wrote_daemon(struct mcp_replay *replay, size_t len);

/* Whether to read on: a side that does not read is not filled without bound. */
bool mcp_replay_wants_agent(const struct mcp_replay *replay);
bool mcp_replay_wants_daemon(const struct mcp_replay *replay);

/* Whether something waits for a connection. */
bool mcp_replay_is_waiting(const struct mcp_replay *replay);
/* Whether nobody is owed an answer, but streams that end with their reader. */
bool mcp_replay_is_done(const struct mcp_replay *replay);

#endif
