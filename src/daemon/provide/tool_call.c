/* SPDX-License-Identifier: ISC */
/* Calls of declared tools: the handler of all their methods, and the answers of ended calls. */
#include "daemon/provide/provide_exchange.h"

#include "daemon/provide/tool_servers.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/session_env.h"
#include "daemon/tool/tool_folder.h"
#include "daemon/tool/tool_run.h"

/*
 * The environment of a declared tool has variables of tmux (session_env.h). It also has MUXBUS and
 * MUXBUS_TOOL_STATE (the folder of its group), and says the name of the tool, how many bytes of the
 * answer are shown, and which second spellings of parameters the caller used. If the pane is known,
 * it has MUXBUS_PANE, TMUX_PANE and mostly TMUX.
 */

#define VARIABLES 8
#define VARIABLE_MAX 512 /* maximum bytes of a variable's value that is sent to a tool server */
#define CALLER_MAX /* bytes as JSON */                                                          \
	((size_t)6 * (PATH_MAX + DECLARATION_ENV_MAX * (DECLARATION_NAME_MAX + VARIABLE_MAX)) + \
	    4096)

/* Returns the variable TMUX for a session with the pane; the caller frees it. NULL: not known. */
static char *make_tmux(
    const struct config *config, const struct tmux *tmux, const struct pane_ref *pane)
{
	const struct muxbus_model *model = tmux_model(tmux);
	const struct muxbus_pane *found = muxbus_model_pane(model, pane->pane);
	const struct muxbus_link *link = NULL;
	if (found == NULL)
		return NULL;
	while (
	    (link = muxbus_model_next_link(model, link)) != NULL && link->window != found->window)
		continue;
	if (link == NULL)
		return NULL;
	return xasprintf(
	    "TMUX=%s,%ld,%" PRIu32, config->tmux_socket, (long)pane->server_pid, link->session);
}

static char *make_state(const struct config *config, const char *group)
{
	char path[PATH_MAX + DECLARATION_NAME_MAX + 16];
	(void)snprintf(path, sizeof path, "%s/tools", config->state_dir);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		log_warning("%s: %s", path, strerror(errno));
	(void)snprintf(path, sizeof path, "%s/tools/%s", config->state_dir, group);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		log_warning("%s: %s", path, strerror(errno));
	return xasprintf("MUXBUS_TOOL_STATE=%s", path);
}

/*
 * Makes the environment, and the folder of the tool's group. shown_bytes: how many bytes of the
 * answer as JSON are shown; 0: all. spelled: second spellings that the caller used. The caller
 * frees the list.
 */
static char **tool_env_new(const struct config *config, const struct tmux *tmux,
    const struct declaration *declaration, const struct pane_ref *pane, size_t shown_bytes,
    const char *spelled)
{
	bool has_pane = pane->pane != MUXBUS_NO_ID;
	char *place = has_pane ? make_tmux(config, tmux, pane) : NULL;
	char **env = xcalloc(VARIABLES + 1, sizeof *env);
	size_t at = 0;
	env[at++] = xasprintf("MUXBUS=%s", config->socket);
	env[at++] = xasprintf("MUXBUS_TOOL=%s", declaration->name);
	env[at++] = make_state(config, declaration->group);
	env[at++] = shown_bytes > 0 ? xasprintf("MUXBUS_SHOWN_BYTES=%zu", shown_bytes)
				    : xstrdup("MUXBUS_SHOWN_BYTES");
	env[at++] = xasprintf("MUXBUS_SPELLED=%s", spelled);
	env[at++] = place != NULL ? place : xstrdup("TMUX");
	env[at++] =
	    has_pane ? xasprintf("MUXBUS_PANE=%%%" PRIu32, pane->pane) : xstrdup("MUXBUS_PANE");
	env[at++] = has_pane ? xasprintf("TMUX_PANE=%%%" PRIu32, pane->pane) : xstrdup("TMUX_PANE");
	return env;
}

struct tool_wait {
	struct request *request;
	struct job_listener listener;
};

/* Returns the kind of answer; if the job has none, that of the declared tool, or NULL. */
static const char *answer_of(const struct job *job)
{
	const struct method *method = job->answer == NULL ? method_find(job->tool) : NULL;
	if (method == NULL || method->group == NULL)
		return job->answer;
	return tool_run_answer(tool_of(method)->declaration);
}

void tool_call_answer(struct request *request, const struct job *job)
{
	const struct daemon *daemon = request_daemon(request);
	size_t max = (size_t)daemon->config->limits.result_bytes;
	struct tool_failure failure;
	char data[64];
	if (tool_run_write(
		request_result(request), daemon->jobs, job, answer_of(job), max, &failure)) {
		request_done(request);
		return;
	}
	(void)snprintf(data, sizeof data, "\"job\":\"%s\"", job->id);
	request_fail_data(request, failure.error, data, "%s: %s", job->tool, failure.text);
}

static void wait_free(struct tool_wait *wait)
{
	list_remove(&wait->listener.link);
	mem_free(wait);
}

static void on_ended(struct job_listener *listener, const struct job *job)
{
	struct tool_wait *wait = list_entry(listener, struct tool_wait, listener);
	struct request *request = wait->request;
	wait_free(wait);
	tool_call_answer(request, job);
}

/* The caller has disconnected or cancelled: ends the program. */
static void on_cancelled(void *data)
{
	struct tool_wait *wait = data;
	struct job_set *jobs = request_daemon(wait->request)->jobs;
	(void)job_stop(jobs, wait->listener.id, SIGTERM); /* fails if the program has ended */
	wait_free(wait);
}

static void await(struct request *request, const struct job *job)
{
	struct tool_wait *wait = xcalloc(1, sizeof *wait);
	wait->request = request;
	wait->listener.ended = on_ended;
	job_listen(request_daemon(request)->jobs, &wait->listener, job->id);
	request_on_cancel(request, on_cancelled, wait, "the peer has gone; the tool is ended");
}

struct tool_call {
	struct request *request; /* NULL: cancelled, as by a caller that has disconnected */
	const struct tool *tool; /* valid as long as the request */
	struct declaration_args args; /* the pointers are valid only while the request is handled */
	struct pane_ref pane;
	char cwd[PATH_MAX];
	struct buf arguments; /* the parameters, as a JSON object */
	struct buf spelled; /* second spellings of parameters that the caller used */
	char **session_env; /* NULL: not needed */
};

static void call_free(struct tool_call *call)
{
	buf_finish(&call->arguments);
	buf_finish(&call->spelled);
	mem_free_strings(call->session_env);
	mem_free(call);
}

/*
 * Finds the directory of the pane that the call names, or else of the caller. Returns false after
 * failing the request, or putting it off.
 */
static bool find_place(struct tool_call *call)
{
	const struct muxbus_pane *pane = call->args.pane != NULL
	    ? muxbus_model_pane(tmux_model(request_daemon(call->request)->tmux), call->pane.pane)
	    : NULL;
	if (dispatch_look_first(call->request) ||
	    (pane != NULL && dispatch_look_at(call->request, pane->window)) ||
	    /* A caller without a pane may be in a pane that is not listed yet. */
	    (call->pane.pane == MUXBUS_NO_ID && dispatch_put_off(call->request)))
		return false;
	return requester_cwd(call->request,
	    pane != NULL && pane->path != NULL && pane->path[0] == '/' ? pane->path : NULL,
	    &call->pane, call->cwd, sizeof call->cwd);
}

static bool find_program(
    const struct tool_call *call, const char *what, const char *word, char out[PATH_MAX])
{
	const char *path = call->session_env != NULL
	    ? tool_program_variable((const char *const *)call->session_env, "PATH")
	    : NULL;
	return tool_program_find(
		   word, call->tool->dir, path != NULL ? path : getenv("PATH"), out, PATH_MAX) ||
	    request_fail(call->request, MESSAGE_NOT_READY, "%s: its %s %s is not installed",
		call->tool->declaration->name, what, word);
}

static const struct job *start_program(struct tool_call *call, char **env)
{
	const struct declaration *declaration = call->tool->declaration;
	const char *answer = tool_run_answer(declaration);
	char program[PATH_MAX], reason[PATH_MAX + 256];
	const char *argv[DECLARATION_WORDS_MAX + 1] = {program};
	const struct job *job;
	if (!find_program(call, "program", declaration->run[0], program))
		return NULL;
	for (size_t at = 1; at < DECLARATION_WORDS_MAX && declaration->run[at] != NULL; at++)
		argv[at] = declaration->run[at];
	call->arguments.max++;
	(void)buf_append_byte(&call->arguments, '\n');
	job = job_start(request_daemon(call->request)->jobs,
	    &(struct job_order){.command = declaration->name,
		.tool = declaration->name,
		.answer = answer,
		.argv = argv,
		.session_env = (const char *const *)call->session_env,
		.env = (const char *const *)env,
		.cwd = call->cwd,
		.input = (const char *)call->arguments.data,
		.timeout_ms = declaration->timeout_ms,
		.out_max = tool_run_kept_bytes(answer),
		.has_err = true,
		.is_silent = call->args.waits,
		.pane = &call->pane},
	    reason, sizeof reason);
	if (job == NULL)
		request_fail(call->request,
		    errno == ENOSPC       ? MESSAGE_LIMIT
			: errno == ENOENT ? MESSAGE_NOT_READY
					  : MESSAGE_INTERNAL,
		    "%s: %s", declaration->name, reason);
	return job;
}

static void run(struct tool_call *call)
{
	struct daemon *daemon = request_daemon(call->request);
	char **env = tool_env_new(daemon->config, daemon->tmux, call->tool->declaration,
	    &call->pane, call->args.shown_bytes, buf_text(&call->spelled));
	const struct job *job = start_program(call, env);
	mem_free_strings(env);
	if (job != NULL && call->args.waits)
		await(call->request, job);
	else if (job != NULL)
		provide_exchange_answer_begun(call->request, job->id, &call->pane);
}

/* Writes the variables of the caller's session that the tool server asks for. */
static void write_env(const struct tool_call *call, struct json_writer *writer)
{
	const char *const *env = (const char *const *)call->session_env;
	const char *const *name = call->tool->declaration->server.env;
	if (name == NULL || env == NULL)
		return;
	json_object_begin(writer, "env");
	for (; *name != NULL; name++) {
		const char *value = tool_program_variable(env, *name);
		bool fits = value != NULL && strlen(value) <= VARIABLE_MAX;
		json_put_str(writer, *name, fits ? value : NULL);
	}
	json_object_end(writer);
}

/* Writes the member caller, for a tool server that serves all panes. */
static void write_caller(const struct tool_call *call, struct buf *out)
{
	struct json_writer writer;
	size_t len = strlen(call->cwd);
	buf_init(out, CALLER_MAX);
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_put_id(&writer, "pane", '%', call->pane.pane);
	if (utf8_valid_prefix(call->cwd, len) == len)
		json_put_str(&writer, "cwd", call->cwd);
	else
		json_put_base64(&writer, "cwd_base64", call->cwd, len);
	write_env(call, &writer);
	json_put_str(&writer, "spelled", buf_text(&call->spelled));
	if (call->args.shown_bytes > 0)
		json_put_int(&writer, "shown_bytes", (int64_t)call->args.shown_bytes);
	json_object_end(&writer);
}

/* Begins a call of a tool server. given: how to start the server; NULL: it runs already. */
static void begin_server(struct tool_call *call, const struct tool_server_start *given)
{
	const struct declaration *declaration = call->tool->declaration;
	const char *gives[DECLARATION_PARAMETERS_MAX + 1];
	struct buf caller = {0};
	struct provider *provider = tool_servers_get(
	    request_daemon(call->request)->provides, declaration, &call->pane, given);
	if (provider == NULL) {
		request_fail(call->request, MESSAGE_LIMIT,
		    "%s: %d servers of tools run already, the most there may be, see list_tools",
		    declaration->name, TOOL_SERVERS_MAX);
		return;
	}
	declaration_list_gives(declaration, gives);
	if (declaration->server.is_per_daemon)
		write_caller(call, &caller);
	provide_exchange_begin(call->request, &call->pane, call->args.waits,
	    &(struct provide_order){.provider = provider,
		.name = declaration->name,
		.method = declaration->server.tool,
		.timeout_ms = declaration->timeout_ms,
		.arguments = (const char *)call->arguments.data,
		.arguments_len = call->arguments.len,
		.caller = (const char *)caller.data,
		.server = provider->title,
		.gives = gives});
	buf_finish(&caller);
}

static void serve(struct tool_call *call)
{
	struct daemon *daemon = request_daemon(call->request);
	const struct declaration *declaration = call->tool->declaration;
	struct pane_ref place = call->pane;
	char program[PATH_MAX];
	char **env;
	if (call->session_env == NULL) {
		begin_server(call, NULL);
		return;
	}
	if (declaration->server.is_per_daemon)
		pane_ref_clear(&place); /* all panes share this server */
	env = tool_env_new(daemon->config, daemon->tmux, declaration, &place, 0, "");
	if (find_program(call, "server", declaration->server.command[0], program))
		begin_server(call,
		    &(struct tool_server_start){.program = program,
			.session_env = (const char *const *)call->session_env,
			.env = (const char *const *)env,
			.cwd = call->cwd});
	mem_free_strings(env);
}

/* Returns true if a program that may start, or the running tool server, needs the environment. */
static bool needs_env(const struct tool_call *call)
{
	const struct declaration *declaration = call->tool->declaration;
	return declaration->run != NULL || declaration->server.env != NULL ||
	    tool_servers_need_start(
		request_daemon(call->request)->provides, declaration, &call->pane);
}

static void start(struct tool_call *call)
{
	if (call->tool->declaration->run == NULL)
		serve(call);
	else
		run(call);
	call_free(call);
}

/* No program has run yet, so that a call which fails here has had no effect. */
static void on_env(void *data, char **env)
{
	struct tool_call *call = data;
	call->session_env = env;
	if (call->request == NULL) {
		call_free(call);
		return;
	}
	request_begin_turn(call->request);
	start(call);
	request_begin_turn(NULL);
}

static void on_left(void *data)
{
	((struct tool_call *)data)->request = NULL;
}

static bool write_arguments(struct tool_call *call, const void *args)
{
	struct field_error error = {0};
	buf_init(&call->arguments, TOOL_ARGUMENTS_MAX);
	buf_init(&call->spelled, (size_t)DECLARATION_SPELLINGS_MAX * (DECLARATION_NAME_MAX + 1));
	tool_arguments_write_spelled(&call->spelled, call->tool->declaration, args);
	if (tool_arguments_write(&call->arguments, call->tool->declaration, args, &error))
		return true;
	dispatch_refuse(call->request, &error);
	return false;
}

void tool_call_handle(struct request *request, const void *args)
{
	struct tmux *tmux = request_daemon(request)->tmux;
	const struct tool *tool = tool_of(request_method(request));
	struct pane_ref of_env;
	struct tool_call *call;
	if (tool->state == TOOL_HIDDEN) {
		request_fail(
		    request, MESSAGE_NOT_READY, "%s cannot run: %s", tool->name, tool->reason);
		return;
	}
	call = xcalloc(1, sizeof *call);
	call->request = request;
	call->tool = tool;
	call->args = *(const struct declaration_args *)args;
	if (requester_look_first(request, call->args.pane) ||
	    !requester_pane(request, call->args.pane, &call->pane) ||
	    ((tool->declaration->server.is_per_daemon || needs_env(call)) && !find_place(call)) ||
	    !write_arguments(call, args)) {
		call_free(call);
	} else if (needs_env(call)) {
		of_env = call->pane;
		if (tool->declaration->server.is_per_daemon &&
		    tool->declaration->server.env == NULL)
			/* the global environment, as a later call may come from another session */
			pane_ref_clear(&of_env);
		request_on_cancel(
		    request, on_left, call, "the peer has gone; the tool was not started");
		session_env_ask(tmux, &of_env, on_env, call);
	} else {
		start(call);
	}
}
