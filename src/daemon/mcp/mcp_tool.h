/* SPDX-License-Identifier: ISC */
/*
 * Tools are methods. A call goes through the checks and handlers of the method; its answer
 * is made here: text and structuredContent with the same facts, bounded, errors that teach,
 * and an end to waiting before the agent would give the call up.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

#define MCP_TOOLS_MAX 15 /* in the default list */
#define MCP_TOOLS_TOKENS_MAX 3000 /* of that list, as o200k counts them */

/* Writes the array "tools". */
void mcp_tool_write_list(
    struct json_writer *writer, const struct mcp_tool_set *set, enum role role, bool has_tasks);

/* Writes a result, given as JSON, as the answer of a tool has it: content, structuredContent. */
void mcp_tool_write_result(
    struct mcp *mcp, const struct method *tool, struct json_writer *writer, const struct buf *json);
