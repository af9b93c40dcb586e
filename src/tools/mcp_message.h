/* SPDX-License-Identifier: ISC */
/*
 * The messages to a tool server, in JSON-RPC as MCP has them: each is one line, in a buffer that
 * the function initialises and the caller finishes. An id that does not fit leaves it empty.
 */
#ifndef TOOLS_MCP_MESSAGE_H
#define TOOLS_MCP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define MCP_MESSAGE_CURSOR_MAX 4096 /* bytes */
#define MCP_MESSAGE_MAX 8192 /* bytes of a message, without a cursor or arguments */

struct json;

/* The versions of the protocol that a server may speak, the oldest first; NULL-terminated. */
extern const char *const mcp_message_versions[];

void mcp_message_initialize(struct buf *out, int64_t id);
void mcp_message_initialized(struct buf *out);
/* cursor NULL: the first page. */
void mcp_message_list(struct buf *out, int64_t id, const char *cursor);
/* arguments: a JSON object on one line. The id is the token of progress, too. */
void mcp_message_call(struct buf *out, int64_t id, const char *tool, const char *arguments,
    size_t arguments_len, bool wants_progress);
void mcp_message_cancelled(struct buf *out, int64_t id, const char *reason);
/* The answer to a request of the server: it may ask whether we live, and nothing else. */
void mcp_message_answer(struct buf *out, const struct json *id, const char *method);

#endif
