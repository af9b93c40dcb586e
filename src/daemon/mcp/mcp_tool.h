/* SPDX-License-Identifier: ISC */
/*
 * Tools are methods. A call goes through the checks and handlers of its method. Its answer gets the
 * form of MCP and a maximum size.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

#define MCP_TOOLS_MAX 15 /* maximum number of tools in the default list */
#define MCP_TOOLS_TOKENS_MAX 3000 /* maximum size of the default list, in tokens of o200k */

void mcp_tool_write_list(
    struct json_writer *writer, const struct mcp_tool_set *set, enum role role, bool has_tasks);

/* Writes a result, given as JSON, in the form of tools/call: content and structuredContent. */
void mcp_tool_write_result(const struct mcp_run *run, const struct method *tool,
    struct json_writer *writer, const struct buf *json);

/* Reduces max_bytes, and detail if it is not given, in a tool's arguments: less must be cut. */
void mcp_advice_narrow(const struct method *tool, void *args);

/* Appends the text for a failed call, without "see NAME" at its end if the agent lacks the tool. */
void mcp_advice_write(struct buf *out, const struct daemon *daemon, const struct method *tool,
    const struct mcp_tool_set *tools, enum message_error error, const char *text);
