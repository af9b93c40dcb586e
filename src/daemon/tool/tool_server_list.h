/* SPDX-License-Identifier: ISC */
/* The tools that a server lists: their names, and the arguments that each requires. */
#ifndef DAEMON_TOOL_TOOL_SERVER_LIST_H
#define DAEMON_TOOL_TOOL_SERVER_LIST_H

#include <stddef.h>

#define TOOL_SERVER_TOOLS_MAX 1024
#define TOOL_SERVER_REQUIRED_MAX 64 /* arguments of one tool */
#define TOOL_SERVER_NAME_MAX 256 /* bytes, of a tool or an argument */
#define TOOL_SERVER_PAGES_MAX 64
#define TOOL_SERVER_CURSOR_MAX 4096 /* bytes */

struct json;
struct tool_server_entry;

struct tool_server_list {
	struct tool_server_entry *entries;
	size_t count;
	size_t pages;
	char *cursor; /* of the next page; NULL: the list is whole */
};

/* Frees the content; the list is empty then. */
void tool_server_list_finish(struct tool_server_list *list);

/* Adds a page, the result of tools/list. Returns 0, or -1 with a reason: the list is of no use. */
int tool_server_list_add(
    struct tool_server_list *list, const struct json *result, char *ret_reason, size_t size);

/*
 * Whether the server has a tool that requires no more than these arguments (NULL-terminated).
 * Returns 0, or -1 with a reason that names what is missing.
 */
int tool_server_list_check(const struct tool_server_list *list, const char *tool,
    const char *const *arguments, char *ret_reason, size_t size);

#endif
