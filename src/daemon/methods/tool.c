/* SPDX-License-Identifier: ISC */
/* Calls of declared tools, and the methods list_tools and get_tool_answer. */
#include "daemon/methods/tool.h"

#include <muxbus.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/methods/daemon_parts.h"
#include "daemon/methods/tables.h"
#include "daemon/methods/wake.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"
#include "daemon/server/session_env.h"
#include "daemon/source/job.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tool/tool_arguments.h"
#include "daemon/tool/tool_env.h"
#include "daemon/tool/tool_folder.h"
#include "daemon/tool/tool_run.h"

/* A request that waits for the end of its tool. */
struct tool_wait {
	struct request *request;
	struct job_set *jobs;
	struct job_listener listener;
	char id[NOTIFICATION_ID_SIZE];
};

/* The declaration of a name as it is now, or NULL. */
static const struct declaration *declaration_of(const char *name)
{
	const struct method *method = name != NULL ? method_find(name) : NULL;
	return method != NULL && method->group != NULL ? tool_of(method)->declaration : NULL;
}

/* Answers with the outcome of a job that has ended. */
static void answer(struct request *request, const struct job_set *jobs, const struct job *job)
{
	size_t max = (size_t)request_parts(request)->config->limits.result_bytes;
	struct tool_failure failure;
	char data[64];
	if (tool_run_write(
		request_result(request), jobs, job, declaration_of(job->tool), max, &failure)) {
		request_done(request);
		return;
	}
	(void)snprintf(data, sizeof data, "\"job\":\"%s\"", job->id);
	request_fail_data(request, failure.error, data, "%s: %s", job->tool, failure.text);
}

static void wait_free(struct tool_wait *wait)
{
	job_unlisten(&wait->listener);
	mem_free(wait);
}

static void on_ended(struct job_listener *listener, const struct job *job)
{
	struct tool_wait *wait = list_entry(listener, struct tool_wait, listener);
	struct request *request = wait->request;
	const struct job_set *jobs = wait->jobs;
	if (strcmp(job->id, wait->id) != 0)
		return;
	wait_free(wait);
	request_on_cancel(request, NULL, NULL);
	answer(request, jobs, job);
}

/* The caller has gone, and nothing else wants the answer: the program ends. */
static void on_cancelled(struct request *request, void *data)
{
	struct tool_wait *wait = data;
	(void)job_stop(wait->jobs, wait->id, SIGTERM); /* it may have ended */
	wait_free(wait);
	request_fail(request, MESSAGE_CANCELLED, "the peer has gone; the tool is ended");
}

static void await(struct request *request, struct job_set *jobs, const struct job *job)
{
	struct tool_wait *wait = xcalloc(1, sizeof *wait);
	wait->request = request;
	wait->jobs = jobs;
	wait->listener.ended = on_ended;
	strcpy(wait->id, job->id);
	job_listen(jobs, &wait->listener);
	request_on_cancel(request, on_cancelled, wait);
}

/* Answers a call that does not wait. */
static void answer_started(struct request *request, const char *id, const struct pane_ref *pane)
{
	json_put_str(request_result(request), "id", id);
	wake_write(request, "Started, see get_tool_answer.", id, pane);
	request_done(request);
}

/* One call while its request is handled. */
struct call {
	struct request *request;
	const struct tool *tool;
	const struct declaration_args *args;
	struct pane_ref pane;
	char cwd[PATH_MAX];
	const char *const *session_env;
};

/* The directory of the pane that a call names; else the caller's. */
static bool find_cwd(struct call *call)
{
	const struct muxbus_pane *pane = call->args->pane != NULL
	    ? muxbus_model_pane(tmux_model(request_daemon(call->request)->tmux), call->pane.pane)
	    : NULL;
	return requester_cwd(call->request,
	    pane != NULL && pane->path != NULL && pane->path[0] == '/' ? pane->path : NULL,
	    &call->pane, call->cwd, sizeof call->cwd);
}

static void run(struct call *call, const struct buf *arguments)
{
	struct request *request = call->request;
	struct daemon *daemon = request_daemon(request);
	const struct declaration *declaration = call->tool->declaration;
	char **env = tool_env_new(daemon->config, daemon->tmux, declaration, &call->pane);
	char reason[PATH_MAX + 256];
	struct tool_run_order order = {
	    .declaration = declaration,
	    .dir = call->tool->dir,
	    .arguments = (const char *)arguments->data,
	    .arguments_len = arguments->len,
	    .session_env = call->session_env,
	    .env = (const char *const *)env,
	    .cwd = call->cwd,
	    .pane = &call->pane,
	    .is_silent = call->args->waits,
	};
	const struct job *job = tool_run_start(daemon->jobs, &order, reason, sizeof reason);
	int error = errno;
	tool_env_free(env);
	if (job == NULL)
		request_fail(request,
		    error == ENOSPC       ? MESSAGE_LIMIT
			: error == ENOENT ? MESSAGE_NOT_READY
					  : MESSAGE_INTERNAL,
		    "%s: %s", declaration->name, reason);
	else if (call->args->waits)
		await(request, daemon->jobs, job);
	else
		answer_started(request, job->id, &call->pane);
}

void tool_handle(struct request *request, const void *args)
{
	struct call call = {
	    .request = request, .tool = tool_of(request_method(request)), .args = args};
	struct field_error error = {0};
	struct buf arguments;
	if (call.tool->state == TOOL_HIDDEN) {
		request_fail(request, MESSAGE_NOT_READY, "%s cannot run: %s", call.tool->name,
		    call.tool->reason);
		return;
	}
	if (!requester_pane(request, call.args->pane, &call.pane) || !find_cwd(&call) ||
	    !session_env(request, &call.pane, &call.session_env))
		return;
	buf_init(&arguments, TOOL_ARGUMENTS_MAX);
	if (!tool_arguments_write(&arguments, call.tool->declaration, args, &error)) {
		char *data = xasprintf("\"field\":\"%s\"", error.field);
		request_fail_data(request, MESSAGE_PARAMS, data, "%s", error.text);
		mem_free(data);
	} else {
		arguments.max++;
		(void)buf_append_byte(&arguments, '\n');
		run(&call, &arguments);
	}
	buf_finish(&arguments);
}

struct answer_args {
	const char *id;
};

static const struct field answer_fields[] = {
    {.name = "id",
	.type = FIELD_STRING,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct answer_args, id),
	.help = "The id of the call, as in its first answer and its notification."},
    {.name = NULL},
};

static const struct field_result answer_results[] = {
    {"text", "string", "the answer of a tool that answers with text"},
    {"note", "string", "a remark about the answer"},
    {NULL, NULL, NULL},
};

static void handle_answer(struct request *request, const void *data)
{
	const struct answer_args *args = data;
	const struct job_set *jobs = request_daemon(request)->jobs;
	const struct job *job = job_find(jobs, args->id);
	if (job == NULL || job->tool == NULL)
		request_fail(request, MESSAGE_NO_SUCH_JOB,
		    "there is no call of a tool with id \"%.40s\"", args->id);
	else if (job->state == JOB_RUNNING)
		request_fail(
		    request, MESSAGE_NOT_READY, "%s still runs: its end is notified", job->tool);
	else
		answer(request, jobs, job);
}

struct list_args {
	const char *group;
};

static const struct field list_fields[] = {
    {.name = "group",
	.type = FIELD_STRING,
	.offset = offsetof(struct list_args, group),
	.help = "Only tools of this group."},
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
    {NULL, NULL, NULL},
};

static void write_tool(struct json_writer *writer, const struct tool *tool)
{
	const struct declaration *declaration = tool->declaration;
	json_object_begin(writer, NULL);
	json_put_str(writer, "name", tool->name);
	json_put_str(writer, "group", declaration != NULL ? declaration->group : NULL);
	json_put_str(writer, "state", tool_state_name(tool->state));
	json_put_str(writer, "reason", tool->reason);
	json_put_str(writer, "kind",
	    declaration == NULL            ? NULL
		: declaration->run != NULL ? "run"
					   : "server");
	json_put_str(writer, "description", declaration != NULL ? declaration->description : NULL);
	json_put_str(writer, "file", tool->file);
	json_object_end(writer);
}

static void handle_list(struct request *request, const void *data)
{
	const struct list_args *args = data;
	struct tool_folder *folder = request_daemon(request)->tools;
	struct json_writer *writer = request_result(request);
	tool_folder_read(folder);
	json_array_begin(writer, "tools");
	for (const struct tool *tool = tool_next(folder, NULL); tool != NULL;
	     tool = tool_next(folder, tool))
		if (args->group == NULL ||
		    (tool->declaration != NULL &&
			strcmp(tool->declaration->group, args->group) == 0))
			write_tool(writer, tool);
	json_array_end(writer);
	request_done(request);
}

const struct method methods_tool[] = {
    {.name = METHOD("get_tool_answer", METHOD_READS),
	.title = "Get a tool's answer",
	.summary = "The answer of a declared tool that was called with wait false.",
	.help = "It is the same as that of a call that waits, as long as the call is remembered.",
	.fields = answer_fields,
	.args_size = sizeof(struct answer_args),
	.results = answer_results,
	.flags = METHOD_OPEN_WORLD,
	.handle = handle_answer,
	.example = "{\"id\":\"A1B2\"}"},
    {.name = METHOD("list_tools", METHOD_READS),
	.title = "List declared tools",
	.summary = "Lists the declared tools, with those that cannot be used, and why.",
	.help = "Looks at the folders and for missing programs again. muxbusd(8) says how a tool "
		"is declared.",
	.fields = list_fields,
	.args_size = sizeof(struct list_args),
	.results = list_results,
	.flags = METHOD_IDEMPOTENT,
	.handle = handle_list,
	.example = "{\"group\":\"files\"}"},
    {.name = NULL},
};
