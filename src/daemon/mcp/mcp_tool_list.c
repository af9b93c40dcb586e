/* SPDX-License-Identifier: ISC */
/* The answer of tools/list: rows of the method table in the form of MCP. */
#include "daemon/mcp/mcp_tool.h"

#define SHORT_HELP_MAX 240 /* bytes; lists with short schemas leave out longer help texts */

static bool is_core(const struct method *method)
{
	static const char *const core[] = {"capture_pane", "run_long_command", "wait_for", NULL};
	return str_is_in(method->name, core);
}

static void put_tool(
    struct json_writer *writer, const struct method *method, bool in_short, bool has_tasks)
{
	bool has_help =
	    method->help != NULL && (!in_short || strlen(method->help) <= SHORT_HELP_MAX);
	char *text =
	    has_help ? xasprintf("%s %s", method->summary, method->help) : xstrdup(method->summary);
	json_object_begin(writer, NULL);
	json_put_str(writer, "name", method->name);
	json_put_str(writer, "title", method->title);
	json_put_str(writer, "description", text);
	field_write_tool_schema(writer, "inputSchema", method->fields, in_short);
	if (!(method->flags & METHOD_IMAGE)) /* images have no schema */
		method_write_result_schema(writer, "outputSchema", method, in_short);
	json_object_begin(writer, "annotations");
	json_put_bool(writer, "readOnlyHint", method_is_read_only(method));
	if (!method_is_read_only(method))
		json_put_bool(writer, "destructiveHint", method_is_destructive(method));
	if (method->flags & METHOD_IDEMPOTENT)
		json_put_bool(writer, "idempotentHint", true);
	json_put_bool(writer, "openWorldHint", method->flags & METHOD_OPEN_WORLD);
	json_object_end(writer);
	if (has_tasks && mcp_task_is_of(method))
		json_put_raw(writer, "execution", "{\"taskSupport\":\"optional\"}", 26);
	if (is_core(method)) {
		json_object_begin(writer, "_meta");
		json_put_bool(writer, "anthropic/alwaysLoad", true);
		json_object_end(writer);
	}
	json_object_end(writer);
	mem_free(text);
}

void mcp_tool_write_list(
    struct json_writer *writer, const struct mcp_tool_set *set, enum role role, bool has_tasks)
{
	json_array_begin(writer, "tools");
	for (const struct method *method = method_next(NULL); method != NULL;
	     method = method_next(method))
		if (mcp_tool_set_has(set, method) && role_has(role, method))
			put_tool(writer, method, !set->is_full, has_tasks);
	json_array_end(writer);
}
