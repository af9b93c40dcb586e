/* SPDX-License-Identifier: ISC */
/* The tools that a tool server lists by provide, and the arguments that each requires. */
#pragma once

#include "base/base.h"

#define TOOL_SERVER_TOOLS_MAX 1024
#define TOOL_SERVER_REQUIRED_MAX 64 /* maximum number of required arguments of one tool */
#define TOOL_SERVER_NAME_MAX 256 /* maximum bytes of the name of a tool or an argument */

struct json;

struct tool_server_list {
	struct tool_server_entry *entries;
	size_t count;
	bool is_read; /* false: the server has not listed its tools yet */
};

/* Frees the content; the list is empty then. */
void tool_server_list_finish(struct tool_server_list *list);

/* Reads the list from rows, a JSON array; NULL: none. Returns 0, or -1 with a reason. */
int tool_server_list_read(
    struct tool_server_list *list, const struct json *rows, char *ret_reason, size_t size);

/*
 * Checks that the server has a tool, and that the tool requires no other arguments than these
 * (NULL-terminated). Returns 0, or -1 with a reason that names the missing tool or arguments.
 */
int tool_server_list_check(const struct tool_server_list *list, const char *tool,
    const char *const *arguments, char *ret_reason, size_t size);
