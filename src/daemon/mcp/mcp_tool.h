/* SPDX-License-Identifier: ISC */
/*
 * Tools are methods. A call goes through the checks and handlers of the method. Its answer is
 * written here. Text and structuredContent have the same facts and a maximum size. Errors say what
 * to do. An answer comes before the agent's timeout.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

#define MCP_TOOLS_MAX 15 /* tools in the default list */
#define MCP_TOOLS_TOKENS_MAX 3000 /* size of the default list, as o200k counts tokens */

/* Writes the array "tools". */
void mcp_tool_write_list(
    struct json_writer *writer, const struct mcp_tool_set *set, enum role role, bool has_tasks);

/* Writes a result, given as JSON, in the form of tools/call: content and structuredContent. */
void mcp_tool_write_result(
    struct mcp *mcp, const struct method *tool, struct json_writer *writer, const struct buf *json);
