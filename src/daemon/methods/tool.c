/* SPDX-License-Identifier: ISC */
/* Methods of declared tools: list_tools, get_tool_answer. */
#include "daemon/methods/tables.h"
#include "daemon/provide/provide_exchange.h"
#include "daemon/provide/tool_servers.h"
#include "daemon/server/request.h"
#include "daemon/tool/tool_folder.h"
#include "daemon/tool/tool_kept.h"

struct answer_args {
	const char *id;
};

static const struct field answer_fields[] = {
    {FIELD_ROW(STRING, struct answer_args, id, "id"), .flags = FIELD_REQUIRED,
	.help = "The id of the call, as in its first answer and its notification."},
    {.name = NULL},
};

static const struct field_result answer_results[] = {
    {"text", "string", "the answer of a tool that answers with text"},
    {"note", "string", "a remark about the answer"},
    {"images", "array", "the images of a server's answer: mime_type and data of each"},
    {NULL, NULL, NULL},
};

static void answer_kept(struct request *request, const char *id)
{
	struct tool_failure failure;
	const char *tool;
	switch (tool_kept_write(
	    request_daemon(request)->kept_calls, id, request_result(request), &tool, &failure)) {
	case TOOL_KEPT_NONE:
		request_fail(request, MESSAGE_NO_SUCH_JOB,
		    "there is no call of a tool with id \"%.40s\"", id);
		return;
	case TOOL_KEPT_RUNNING:
		request_fail(
		    request, MESSAGE_NOT_READY, "%s still runs: its end is notified", tool);
		return;
	case TOOL_KEPT_ANSWERED:
		request_done(request);
		return;
	case TOOL_KEPT_FAILED:
		request_fail(request, failure.error, "%s: %s", tool, failure.text);
		return;
	}
}

static void handle_answer(struct request *request, const void *data)
{
	const struct answer_args *args = data;
	const struct job *job = job_find(request_daemon(request)->jobs, args->id);
	if (job == NULL || job->tool == NULL)
		answer_kept(request, args->id);
	else if (job->state == JOB_RUNNING)
		request_fail(
		    request, MESSAGE_NOT_READY, "%s still runs: its end is notified", job->tool);
	else
		tool_call_answer(request, job);
}

struct tool_list_args {
	const char *group;
};

static const struct field list_fields[] = {
    {FIELD_ROW(STRING, struct tool_list_args, group, "group"), .help = "Only tools of this group."},
    {.name = NULL},
};

static const struct field_result list_results[] = {
    {"tools", "array", "the declared tools, by name"},
    {"tools[].name", "string", "the name; of a file that cannot be used, that of the file"},
    {"tools[].group", "string|null", "its group"},
    {"tools[].state", "string", "listed, hidden (a program is missing) or broken (its file)"},
    {"tools[].reason", "string|null", "why it is not listed"},
    {"tools[].kind", "string|null", "run (a program for each call) or server"},
    {"tools[].description", "string|null", "what it does"},
    {"tools[].file", "string", "its declaration"},
    {"tools[].server", "string|null", "the name of its server"},
    {"servers", "array", "the servers that were started, oldest first"},
    {"servers[].name", "string", "the name"},
    {"servers[].pane", "string|null", "the pane it is for; null: for all"},
    {"servers[].state", "string", "off, waiting (for its next start), starting, ready or ending"},
    {"servers[].pid", "integer|null", "its process"},
    {"servers[].rss_bytes", "integer|null", "its memory, with that of its descendants"},
    {"servers[].calls", "integer", "calls since its first start"},
    {"servers[].running", "integer", "calls that are under way"},
    {"servers[].reason", "string|null", "why it last ended by itself, or did not start"},
    {NULL, NULL, NULL},
};

static void write_tool(
    struct json_writer *writer, const struct tool *tool, const struct provide_set *provides)
{
	const struct declaration *declaration = tool->declaration;
	bool has_server = declaration != NULL && declaration->run == NULL;
	const char *mismatch = has_server ? tool_servers_mismatch(provides, declaration) : NULL;
	json_object_begin(writer, NULL);
	json_put_str(writer, "name", tool->name);
	json_put_str(writer, "group", declaration != NULL ? declaration->group : NULL);
	json_put_str(writer, "state", tool_state_names[tool->state]);
	json_put_str(writer, "reason", mismatch != NULL ? mismatch : tool->reason);
	json_put_str(writer, "kind",
	    declaration == NULL            ? NULL
		: declaration->run != NULL ? "run"
					   : "server");
	json_put_str(writer, "description", declaration != NULL ? declaration->description : NULL);
	json_put_str(writer, "file", tool->file);
	json_put_str(writer, "server", has_server ? declaration->server.name : NULL);
	json_object_end(writer);
}

static void handle_list(struct request *request, const void *data)
{
	const struct tool_list_args *args = data;
	struct tool_folder *folder = request_daemon(request)->tools;
	const struct provide_set *provides = request_daemon(request)->provides;
	struct json_writer *writer = request_result(request);
	tool_folder_read(folder);
	json_array_begin(writer, "tools");
	next_each (const struct tool, tool, tool_next, folder)
		if (args->group == NULL ||
		    (tool->declaration != NULL &&
			strcmp(tool->declaration->group, args->group) == 0))
			write_tool(writer, tool, provides);
	json_array_end(writer);
	json_array_begin(writer, "servers");
	tool_servers_write(provides, writer);
	json_array_end(writer);
	request_done(request);
}

const struct method methods_tool[] = {
    {.name = METHOD("get_tool_answer", METHOD_READS | METHOD_SEES),
	.title = "Get a tool's answer",
	.summary = "The answer of a declared tool that was called with wait false.",
	.help = "It is the same as that of a call that waits, as long as the call is remembered.",
	METHOD_CALL(handle_answer, answer_args, answer_fields, answer_results),
	.flags = METHOD_LOOKS_ITSELF | METHOD_OPEN_WORLD | METHOD_OF_FULL,
	.example = "{\"id\":\"A1B2\"}"},
    {.name = METHOD("list_tools", METHOD_READS),
	.title = "List declared tools",
	.summary = "Lists the declared tools, with those that cannot be used, and why.",
	.help = "Looks at the folders and for missing programs again. muxbusd(8) says how a tool "
		"is declared.",
	METHOD_CALL(handle_list, tool_list_args, list_fields, list_results),
	.flags = METHOD_IDEMPOTENT | METHOD_LOOKS_ITSELF,
	.example = "{\"group\":\"files\"}"},
    {.name = NULL},
};
