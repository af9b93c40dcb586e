/* SPDX-License-Identifier: ISC */
#include "daemon/tool/tool_server_list.h"

#include "wire/json.h"

struct tool_server_entry {
	char *name;
	char *required[TOOL_SERVER_REQUIRED_MAX];
	size_t count;
};

void tool_server_list_finish(struct tool_server_list *list)
{
	for (size_t at = 0; at < list->count; at++) {
		struct tool_server_entry *entry = &list->entries[at];
		for (size_t i = 0; i < entry->count; i++)
			mem_free(entry->required[i]);
		mem_free(entry->name);
	}
	mem_free(list->entries);
	*list = (struct tool_server_list){0};
}

/* Returns a copy of a name; NULL: it is missing or too long. */
static char *keep_name(const struct json *value)
{
	bool is_name =
	    value != NULL && value->type == JSON_STRING && value->len <= TOOL_SERVER_NAME_MAX;
	return is_name ? xstrdup(value->text) : NULL;
}

static int add_tool(
    struct tool_server_list *list, const struct json *tool, char *ret_reason, size_t size)
{
	const struct json *required = json_member(json_member(tool, "parameters"), "required");
	char *name = keep_name(json_member(tool, "name"));
	struct tool_server_entry *entry;
	if (name == NULL)
		return str_refuse(ret_reason, size,
		    "it lists a tool without a name, or with one of more than %d bytes",
		    TOOL_SERVER_NAME_MAX);
	list->entries = xrealloc(list->entries, (list->count + 1) * sizeof *list->entries);
	entry = &list->entries[list->count++];
	*entry = (struct tool_server_entry){.name = name};
	if (required == NULL || required->type != JSON_ARRAY)
		return 0;
	json_each (at, required) {
		if (entry->count == TOOL_SERVER_REQUIRED_MAX ||
		    (entry->required[entry->count] = keep_name(at)) == NULL)
			return str_refuse(ret_reason, size,
			    "its tool \"%s\" requires more than %d arguments, or one without a "
			    "usable name",
			    name, TOOL_SERVER_REQUIRED_MAX);
		entry->count++;
	}
	return 0;
}

int tool_server_list_read(
    struct tool_server_list *list, const struct json *rows, char *ret_reason, size_t size)
{
	tool_server_list_finish(list);
	if (rows != NULL && rows->count > TOOL_SERVER_TOOLS_MAX)
		return str_refuse(
		    ret_reason, size, "it lists more than %d tools", TOOL_SERVER_TOOLS_MAX);
	json_each (at, rows)
		if (add_tool(list, at, ret_reason, size) < 0)
			return -1;
	list->is_read = true;
	return 0;
}

static int refuse_tool(
    const struct tool_server_list *list, const char *tool, char *ret_reason, size_t size)
{
	const char **names = xcalloc(list->count + 1, sizeof *names), *nearest;
	for (size_t at = 0; at < list->count; at++)
		names[at] = list->entries[at].name;
	nearest = str_nearest(tool, names);
	mem_free(names);
	return nearest == NULL ? str_refuse(ret_reason, size, "it has no tool \"%s\"", tool)
			       : str_refuse(ret_reason, size,
				     "it has no tool \"%s\"; the nearest is \"%s\"", tool, nearest);
}

int tool_server_list_check(const struct tool_server_list *list, const char *tool,
    const char *const *arguments, char *ret_reason, size_t size)
{
	const struct tool_server_entry *entry = list->entries;
	const struct tool_server_entry *end = entry + list->count;
	struct buf missing;
	while (entry != end && strcmp(entry->name, tool) != 0)
		entry++;
	if (entry == end)
		return refuse_tool(list, tool, ret_reason, size);
	buf_init(&missing, size);
	for (size_t at = 0; at < entry->count; at++)
		if (!str_is_in(entry->required[at], arguments))
			(void)buf_printf(&missing, "%s\"%s\"", missing.len > 0 ? ", " : "",
			    entry->required[at]); /* a name without room is left out */
	if (missing.len == 0)
		return 0;
	(void)str_refuse(ret_reason, size,
	    "its tool \"%s\" requires what the declaration does not give: %s", tool,
	    (char *)missing.data);
	buf_finish(&missing);
	return -1;
}
