/* SPDX-License-Identifier: ISC */
/* Advice for a model beside an answer: what exists, what to call. */
#pragma once

#include "daemon/server/method.h"

struct daemon;
struct mcp_tool_set;

/* Whether the end of its texts matters most. */
bool mcp_advice_keeps_end(const struct method *tool);

/*
 * Narrows the arguments of a tool that reads by offset, so that it gives what fits and says
 * where to go on.
 */
void mcp_advice_narrow(const struct method *tool, void *args);

/*
 * An error as text: what was wrong, what there is, what to call. "See NAME" at its end is left
 * out if the agent has no such tool.
 */
void mcp_advice_write(struct buf *out, const struct daemon *daemon, const struct method *tool,
    const struct mcp_tool_set *tools, enum message_error error, const char *text);
