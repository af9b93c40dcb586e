/* SPDX-License-Identifier: ISC */
/* The tools that a session lists: the default tools, all tools, groups, or single tools. */
#pragma once

#include "daemon/server/method.h"

#define MCP_TOOL_SET_MAX 512 /* maximum number of methods that a set can have */
#define MCP_TOOL_SET_REASON 256

struct mcp_tool_set {
	uint64_t bits[MCP_TOOL_SET_MAX / 64]; /* one for each method of method_next() */
	bool is_full; /* schemas have all parameters */
	bool has_declared; /* the set can contain declared tools */
};

void mcp_tool_set_default(struct mcp_tool_set *set);
void mcp_tool_set_all(struct mcp_tool_set *set);
bool mcp_tool_set_has(const struct mcp_tool_set *set, const struct method *method);

/*
 * Reads a list of groups, sets of groups (methods/group.h) and tools, as "default,agents". If a
 * word is none of these, the others are added, and it returns false with a reason for the first
 * such word.
 */
bool mcp_tool_set_read(
    struct mcp_tool_set *ret_set, const char *text, char ret_reason[MCP_TOOL_SET_REASON]);

/*
 * Finds the method that a name must mean; NULL: none. A prefix that ends with "muxbus" and
 * separators is skipped, as in mcp__muxbus__list_panes; "-" and "." are read as "_".
 */
const struct method *mcp_tool_named(const char *name);

/* Returns the name that was probably meant, or NULL. A prefix of any server is skipped. */
const char *mcp_tool_nearest(const char *name);
