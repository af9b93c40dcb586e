/* SPDX-License-Identifier: ISC */
/* Calls of declared tools: of programs, and of servers. */
#include "daemon/methods/tool_call.h"

#include <muxbus.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/deliver/wake.h"
#include "daemon/job/job.h"
#include "daemon/server/daemon_parts.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"
#include "daemon/server/session_env.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tool/tool_arguments.h"
#include "daemon/tool/tool_content.h"
#include "daemon/tool/tool_env.h"
#include "daemon/tool/tool_folder.h"
#include "daemon/tool/tool_kept.h"
#include "daemon/tool/tool_program.h"
#include "daemon/tool/tool_run.h"
#include "daemon/tool/tool_server.h"

/* A request that waits for the end of its tool. */
struct tool_wait {
	struct request *request;
	struct job_set *jobs;
	struct job_listener listener;
	char id[NOTIFICATION_ID_SIZE];
};

/*
 * The answer that a job promised at its call: the tool may be declared otherwise by now. A job of an
 * earlier release does not have it, but the declaration may.
 */
static const char *answer_of(const struct job *job)
{
	const struct method *method = job->answer == NULL ? method_find(job->tool) : NULL;
	if (method == NULL || method->group == NULL)
		return job->answer;
	return tool_run_answer(tool_of(method)->declaration);
}

/* Answers with the outcome of a job that has ended. */
void tool_call_answer(struct request *request, const struct job_set *jobs, const struct job *job)
{
	size_t max = (size_t)request_parts(request)->config->limits.result_bytes;
	struct tool_failure failure;
	char data[64];
	if (tool_run_write(request_result(request), jobs, job, answer_of(job), max, &failure)) {
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
	tool_call_answer(request, jobs, job);
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
struct tool_call_wait {
	struct request *request;
	const struct tool *tool;
	const struct declaration_args *args;
	struct pane_ref pane;
	char cwd[PATH_MAX];
	const char *const *session_env;
};

/* The directory of the pane that a call names; else the caller's. */
static bool find_cwd(struct tool_call_wait *call)
{
	const struct muxbus_pane *pane = call->args->pane != NULL
	    ? muxbus_model_pane(tmux_model(request_daemon(call->request)->tmux), call->pane.pane)
	    : NULL;
	return requester_cwd(call->request,
	    pane != NULL && pane->path != NULL && pane->path[0] == '/' ? pane->path : NULL,
	    &call->pane, call->cwd, sizeof call->cwd);
}

static void run(struct tool_call_wait *call, const struct buf *arguments)
{
	struct request *request = call->request;
	struct daemon *daemon = request_daemon(request);
	const struct declaration *declaration = call->tool->declaration;
	char **env = tool_env_new(
	    daemon->config, daemon->tmux, declaration, &call->pane, call->args->shown_bytes);
	char reason[PATH_MAX + 256];
	struct tool_run_order order = {
	    .declaration = declaration,
	    .dir = call->tool->dir,
	    .arguments = (const char *)arguments->data,
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

/* A call of a server. */
struct server_call {
	struct request *request; /* NULL: nothing waits for it */
	struct tool_kept_set *kept;
	struct tool_server_call *call;
	const char *name; /* of the tool; NULL without a request, which has its row */
	char id[NOTIFICATION_ID_SIZE]; /* of one that nothing waits for */
};

static void on_answered(void *data, const struct tool_server_answer *answer)
{
	struct server_call *call = data;
	struct request *request = call->request;
	struct tool_failure failure;
	if (answer->is_failed)
		(void)tool_fail(&failure, answer->error, "%s", answer->text);
	if (request == NULL) {
		tool_kept_end(call->kept, call->id, answer->result, &failure);
	} else {
		request_on_cancel(request, NULL, NULL);
		if (!answer->is_failed &&
		    tool_content_write(request_result(request), answer->result, &failure))
			request_done(request);
		else
			request_fail(request, failure.error, "%s: %s", call->name, failure.text);
	}
	mem_free(call);
}

static void on_server_cancelled(struct request *request, void *data)
{
	struct server_call *call = data;
	tool_server_cancel(call->call);
	mem_free(call);
	request_fail(request, MESSAGE_CANCELLED, "the peer has gone; the call is cancelled");
}

static void on_progressed(void *data, const struct json *params)
{
	struct server_call *call = data;
	if (call->request != NULL)
		request_progress(call->request, params);
}

/* The daemon ends; the next one says so of a call that nothing waits for. */
static void on_forgotten(void *data)
{
	mem_free(data);
}

static const struct tool_server_handlers server_handlers = {
    .answered = on_answered, .progressed = on_progressed, .forgotten = on_forgotten};

static void begin_server(struct tool_call_wait *call, const struct tool_server_caller *caller,
    const struct buf *arguments)
{
	struct daemon *daemon = request_daemon(call->request);
	const struct declaration *declaration = call->tool->declaration;
	struct server_call *begun = xcalloc(1, sizeof *begun);
	begun->kept = daemon->kept_calls;
	if (call->args->waits) {
		begun->request = call->request;
		begun->name = call->tool->name;
		request_on_cancel(call->request, on_server_cancelled, begun);
	} else {
		tool_kept_begin(daemon->kept_calls, declaration->name, &call->pane, begun->id);
	}
	begun->call = tool_server_call(daemon->tool_servers, declaration, caller,
	    (const char *)arguments->data, arguments->len, &server_handlers, begun);
	if (!call->args->waits)
		answer_started(call->request, begun->id, &call->pane);
}

static void serve(struct tool_call_wait *call, const struct buf *arguments)
{
	struct daemon *daemon = request_daemon(call->request);
	const struct declaration *declaration = call->tool->declaration;
	struct tool_server_caller caller = {.pane = &call->pane, .cwd = call->cwd};
	struct pane_ref place = call->pane;
	char program[PATH_MAX];
	const char **whole;
	char **env;
	if (!tool_server_needs_program(daemon->tool_servers, declaration, &call->pane)) {
		begin_server(call, &caller, arguments);
		return;
	}
	if (declaration->server.is_per_daemon)
		pane_ref_clear(&place); /* it serves other panes, too */
	env = tool_env_new(daemon->config, daemon->tmux, declaration, &place, 0);
	whole = tool_env_whole(call->session_env, (const char *const *)env);
	caller.env = whole;
	caller.program = program;
	if (tool_program_find(declaration->server.command[0], call->tool->dir,
		tool_program_path(whole), program, sizeof program))
		begin_server(call, &caller, arguments);
	else
		request_fail(call->request, MESSAGE_NOT_READY, "%s: its server %s is not installed",
		    declaration->name, declaration->server.command[0]);
	mem_free(whole);
	tool_env_free(env);
}

/* Whether a program may be started: a server that runs has its environment. */
static bool needs_env(const struct tool_call_wait *call)
{
	const struct declaration *declaration = call->tool->declaration;
	return declaration->run != NULL ||
	    tool_server_needs_program(
		request_daemon(call->request)->tool_servers, declaration, &call->pane);
}

void tool_call_handle(struct request *request, const void *args)
{
	struct tool_call_wait call = {
	    .request = request, .tool = tool_of(request_method(request)), .args = args};
	struct field_error error = {0};
	struct buf arguments;
	if (call.tool->state == TOOL_HIDDEN) {
		request_fail(request, MESSAGE_NOT_READY, "%s cannot run: %s", call.tool->name,
		    call.tool->reason);
		return;
	}
	if (!requester_pane(request, call.args->pane, &call.pane) || !find_cwd(&call) ||
	    (needs_env(&call) && !session_env(request, &call.pane, &call.session_env)))
		return;
	buf_init(&arguments, TOOL_ARGUMENTS_MAX);
	if (!tool_arguments_write(&arguments, call.tool->declaration, args, &error)) {
		char *data = xasprintf("\"field\":\"%s\"", error.field);
		request_fail_data(request, MESSAGE_PARAMS, data, "%s", error.text);
		mem_free(data);
	} else if (call.tool->declaration->run == NULL) {
		serve(&call, &arguments);
	} else {
		arguments.max++;
		(void)buf_append_byte(&arguments, '\n');
		run(&call, &arguments);
	}
	buf_finish(&arguments);
}
