/* SPDX-License-Identifier: ISC */
/* The tools that a session lists: the default ones, all, groups, or single ones. */
#pragma once

#include "daemon/server/method.h"

#define MCP_TOOL_SET_MAX 512 /* methods */
#define MCP_TOOL_SET_REASON 256

struct mcp_tool_set {
	uint64_t bits[MCP_TOOL_SET_MAX / 64]; /* by their place among all methods */
	bool is_full; /* each with all of its parameters */
	bool has_declared; /* a group or tool of declarations, or all */
};

void mcp_tool_set_default(struct mcp_tool_set *set);
void mcp_tool_set_all(struct mcp_tool_set *set);
bool mcp_tool_set_has(const struct mcp_tool_set *set, const struct method *method);

/*
 * Reads "default,agents,send_task": groups and names of tools. False with a reason if a word is
 * neither; the nearest is named, and the other words count.
 */
bool mcp_tool_set_read(
    struct mcp_tool_set *ret_set, const char *text, char ret_reason[MCP_TOOL_SET_REASON]);

/*
 * The method that a name can only mean, or NULL: its name, with any prefix that ends with "muxbus"
 * and separators, as in mcp__muxbus__list_panes or muxbus.list_panes; "-" and "." are read as "_".
 */
const struct method *mcp_tool_named(const char *name);

/* The name that was probably meant, or NULL: behind the prefix of another server too. */
const char *mcp_tool_nearest(const char *name);
