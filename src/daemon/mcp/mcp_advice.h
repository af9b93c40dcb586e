/* SPDX-License-Identifier: ISC */
/* Advice for a model in an answer: what exists, and what to call next. */
#pragma once

#include "daemon/server/method.h"

struct daemon;
struct mcp_tool_set;

/* Reduces max_bytes and "detail" in the arguments of a tool, so that its result need not be cut. */
void mcp_advice_narrow(const struct method *tool, void *args);

/*
 * Writes an error as text: what was wrong, what exists, what to call. "See NAME" at the end of the
 * text is left out if the agent has no such tool.
 */
void mcp_advice_write(struct buf *out, const struct daemon *daemon, const struct method *tool,
    const struct mcp_tool_set *tools, enum message_error error, const char *text);
