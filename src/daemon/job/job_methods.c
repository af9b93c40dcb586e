/* SPDX-License-Identifier: ISC */
/* Methods that start, restart and stop jobs. */
#include "daemon/deliver/wake.h"
#include "daemon/job/job.h"
#include "daemon/server/handler.h"
#include "daemon/server/repeat.h"
#include "daemon/server/session_env.h"

enum {
	PATH_SIZE = 4096,
	COMMAND_MAX = 128 * 1024 - 1, /* bytes: the maximum of one argument on Linux */
	ENV_MAX = 1000,
	KILL_AFTER_MAX = 10 * 366 * 86400,
	INPUT_MAX = 1024 * 1024, /* bytes, as in execute_cli */
};

struct run_args {
	const char *command;
	const char *cwd;
	double timeout_sec;
	const struct json *env;
	bool env_only;
	bool has_umask;
	int64_t umask;
	const char *name;
	const char *pane;
	const char *input;
};

#define COMMAND_FIELDS                                                                  \
	{FIELD_ROW(STRING, struct run_args, command, "command"),                        \
	    .flags = FIELD_REQUIRED | FIELD_CONFIDENTIAL, .min = 1, .max = COMMAND_MAX, \
	    .help = "The command, as for a shell (/bin/sh -c)."},                       \
	    {FIELD_ROW(STRING, struct run_args, cwd, "cwd"), .flags = FIELD_PATH,       \
		.help = "The directory to run it in; left out: the caller's."},         \
	{                                                                               \
		.name = "working_dir", .flags = FIELD_ALIAS                             \
	}

static const struct field run_fields[] = {
    COMMAND_FIELDS,
    {FIELD_ROW(NUMBER, struct run_args, timeout_sec, "timeout_sec"), .unit = "s",
	.max = KILL_AFTER_MAX, .help = "Stop it after this long; 0 or left out: never."},
    {FIELD_ROW(STRING_MAP, struct run_args, env, "env"), .flags = FIELD_RARE | FIELD_CONFIDENTIAL,
	.help = "Environment variables beyond those of its tmux session."},
    {FIELD_ROW(BOOL, struct run_args, env_only, "env_only"), .flags = FIELD_RARE,
	.help = "env is the whole environment, but for MUXBUS_JOB."},
    {FIELD_ROW(INT, struct run_args, umask, "umask"), .flags = FIELD_RARE,
	.given_offset = offsetof(struct run_args, has_umask), .max = 0777,
	.help = "Its umask, such as 18 for 022; left out: that of muxbusd."},
    {FIELD_ROW(STRING, struct run_args, name, "name"), .flags = FIELD_RARE, .min = 1, .max = 200,
	.help = "Its name, accepted wherever its id is; unique while it runs."},
    {FIELD_ROW(STRING, struct run_args, pane, "pane"), .flags = FIELD_RARE,
	.help = "The pane to wake when it ends; left out: the caller's own."},
    {FIELD_ROW(STRING, struct run_args, input, "stdin"), .flags = FIELD_RARE | FIELD_CONFIDENTIAL,
	.max = INPUT_MAX, .help = "Its standard input; left out, and after a restart: empty."},
    {.name = NULL},
};

/* The parameters of background_process, in which name is required. */
static const struct field background_fields[] = {
    {FIELD_ROW(STRING, struct run_args, name, "name"), .flags = FIELD_REQUIRED, .min = 1,
	.max = 200,
	.help = "Its name, accepted wherever the id of a job is; unique while it runs."},
    COMMAND_FIELDS,
    {.name = NULL},
};

#define STARTED_RESULTS                                                                        \
	{"message", "string", "what was done, in words"}, WAKE_RESULTS, DURABLE_RESULTS,       \
	    {"pid", "integer|null", "of the command, and its process group"},                  \
	    {"cwd", "string", "where it runs"}, {"log", "string", "the file with its output"}, \
	{                                                                                      \
		"timeout_sec", "number|null", "when it is stopped"                             \
	}

static const struct field_result run_results[] = {
    {"id", "string", "the job, and its notification"},
    STARTED_RESULTS,
    {NULL, NULL, NULL},
};

/*
 * Makes the list of changes from the parameter env. is_only: all other variables are removed.
 * Returns NULL after failing the request.
 */
static char **make_env(struct request *request, const struct json *env, bool is_only)
{
	size_t count = env != NULL ? env->count : 0, at = 0;
	char **strings;
	if (count > ENV_MAX) {
		request_fail_field(request, "env", "has %zu members, more than %d", count, ENV_MAX);
		return NULL;
	}
	if (is_only && env == NULL) {
		request_fail_field(request, "env_only", "goes with env");
		return NULL;
	}
	strings = xcalloc(count + 2, sizeof *strings);
	if (is_only)
		strings[at++] = xstrdup("");
	json_each_member (member, env) {
		if (member->name_len == 0 || strchr(member->name, '=') != NULL) {
			request_fail_field(
			    request, "env", "\"%.100s\" is no name of a variable", member->name);
			mem_free_strings(strings);
			return NULL;
		}
		strings[at++] = xasprintf("%s=%s", member->name, member->text);
	}
	return strings;
}

static void write_started(
    struct request *request, const struct job_set *jobs, const struct job *job)
{
	struct json_writer *writer = request_result(request);
	char path[PATH_SIZE];
	job_path(jobs, job, JOB_FILE_OUT, path, sizeof path);
	json_put_str(writer, "id", job->id);
	wake_write(request, "Started.", job->id, &job->pane);
	json_put_known_int(writer, "pid", job->pid > 0, job->pid);
	json_put_str(writer, "cwd", job->cwd);
	json_put_str(writer, "log", path);
	if (job->timeout_ms > 0)
		json_put_double(writer, "timeout_sec", (double)job->timeout_ms / 1000);
	else
		json_put_null(writer, "timeout_sec");
	request_done(request);
}

struct run_wait {
	struct job_listener listener;
	struct request *request;
	struct job_set *jobs;
	char replaced[NOTIFICATION_ID_SIZE]; /* id of the job that was restarted; "": none */
};

static void run_answer(struct job_listener *listener, const struct job *job)
{
	struct run_wait *wait = list_entry(listener, struct run_wait, listener);
	list_remove(&listener->link);
	if (wait->replaced[0] != '\0')
		json_put_str(request_result(wait->request), "replaced", wait->replaced);
	write_started(wait->request, wait->jobs, job);
	mem_free(wait);
}

static void run_free(void *data)
{
	struct run_wait *wait = data;
	list_remove(&wait->listener.link);
	mem_free(wait);
}

static void run_await(
    struct request *request, struct job_set *jobs, const char *id, const char *replaced)
{
	struct run_wait *wait = xcalloc(1, sizeof *wait);
	wait->request = request;
	wait->jobs = jobs;
	wait->listener = (struct job_listener){.started = run_answer, .ended = run_answer};
	snprintf(wait->replaced, sizeof wait->replaced, "%s", replaced);
	job_listen(jobs, &wait->listener, id);
	request_on_cancel(request, run_free, wait, "the peer has gone; the job goes on");
}

static void run_answer_begun(struct request *request, const void *data, const char *id)
{
	const struct job_set *jobs = request_daemon(request)->jobs;
	const struct job *job = job_find(jobs, id);
	(void)data;
	if (job != NULL)
		write_started(request, jobs, job);
	else
		repeat_answer_id(request, data, id);
}

static void handle_run(struct request *request, const void *data)
{
	const struct run_args *args = data;
	struct job_set *jobs = request_daemon(request)->jobs;
	const char *const argv[] = {"/bin/sh", "-c", args->command, NULL};
	char cwd[PATH_SIZE], reason[256];
	struct job_order order = {
	    .command = args->command,
	    .argv = argv,
	    .cwd = cwd,
	    .name = args->name,
	    .timeout_ms = clock_seconds_to_ms(args->timeout_sec),
	    .input = args->input,
	    .umask = args->has_umask ? JOB_UMASK | (unsigned)args->umask : 0,
	};
	const struct job *job;
	struct pane_ref pane;
	char **env;
	if (!job_name_check(request, args->name) || requester_look_first(request, args->pane) ||
	    !requester_pane(request, args->pane, &pane) ||
	    !requester_cwd(request, args->cwd, &pane, cwd, sizeof cwd) ||
	    (!args->env_only && !session_env(request, &pane, &order.session_env)) ||
	    (env = make_env(request, args->env, args->env_only)) == NULL)
		return;
	order.once = request_once(request);
	order.env = (const char *const *)env;
	order.pane = &pane;
	job = job_start(jobs, &order, reason, sizeof reason);
	mem_free_strings(env);
	if (job == NULL) {
		request_fail(request, errno == ENOSPC ? MESSAGE_LIMIT : MESSAGE_INTERNAL,
		    "the job cannot be started: %s", reason);
		return;
	}
	run_await(request, jobs, job->id, "");
}

static const char *const signal_choices[] = {
    "TERM", "INT", "HUP", "KILL", "QUIT", "USR1", "USR2", "STOP", "CONT", NULL};
static const int signal_numbers[] = {
    SIGTERM, SIGINT, SIGHUP, SIGKILL, SIGQUIT, SIGUSR1, SIGUSR2, SIGSTOP, SIGCONT};

static bool affects_job(struct request *request, const void *args, struct pane_ref *ret_pane)
{
	const struct job *job =
	    job_name_find(request_daemon(request)->jobs, role_text(request, args, "job"));
	if (job == NULL)
		/* the handler will fail the request */
		return role_affects_caller(request, args, ret_pane);
	*ret_pane = job->pane;
	return true;
}

struct job_stop_args {
	const char *job;
	int signal;
};

static const struct field stop_fields[] = {
    JOB_FIELD(job_stop_args),
    {FIELD_ROW(CHOICE, struct job_stop_args, signal, "signal"), .choices = signal_choices,
	.preset = "\"TERM\"",
	.help = "TERM and INT are followed by KILL for all its processes after 5 s; others are "
		"sent once, to its process group."},
    {.name = NULL},
};

static const struct field_result stop_results[] = {
    {"id", "string", "the job that was asked to end; its notification tells when it has"},
    {NULL, NULL, NULL},
};

static void handle_stop(struct request *request, const void *data)
{
	const struct job_stop_args *args = data;
	const struct job *job = job_name_get(request, args->job);
	char *text;
	int error;
	if (job == NULL)
		return;
	error = job_stop(request_daemon(request)->jobs, job->id, signal_numbers[args->signal]);
	text = job_record_text(job);
	if (error == -ESRCH)
		request_fail(request, MESSAGE_GONE, "job %s does not run: %s", job->id,
		    job->state == JOB_RUNNING ? "it has just ended" : text);
	else if (error == -EAGAIN)
		request_fail(request, MESSAGE_NOT_READY, "job %s is just being started", job->id);
	else if (error != 0)
		request_fail(request, MESSAGE_INTERNAL, "job %s: %s", job->id, strerror(-error));
	mem_free(text);
	if (error != 0)
		return;
	json_put_str(request_result(request), "id", job->id);
	request_done(request);
}

struct restart_args {
	const char *job;
	const struct json *env;
	bool env_only;
};

static const struct field restart_fields[] = {
    JOB_FIELD(restart_args),
    {FIELD_ROW(STRING_MAP, struct restart_args, env, "env"), .flags = FIELD_CONFIDENTIAL,
	.help = "Environment variables beyond those of its tmux session, in place of those that "
		"it was started with."},
    {FIELD_ROW(BOOL, struct restart_args, env_only, "env_only"),
	.help = "env is the whole environment, but for MUXBUS_JOB."},
    {.name = NULL},
};

static const struct field_result restart_results[] = {
    {"id", "string", "the new job, and its notification"},
    {"replaced", "string", "the job that was restarted: its end is not notified"},
    STARTED_RESULTS,
    {NULL, NULL, NULL},
};

struct restart {
	struct job_listener listener;
	struct request *request; /* NULL: the peer has disconnected, and the restart goes on */
	struct job_set *jobs;
	const char **env; /* changes to the daemon's environment */
	bool has_env; /* some of these changes were given for the job */
};

static void restart_cancelled(void *data)
{
	((struct restart *)data)->request = NULL;
}

static void restart_start(struct restart *restart, const struct job *old)
{
	struct request *request = restart->request;
	const char *const argv[] = {"/bin/sh", "-c", old->command, NULL};
	const char *const *env = restart->env;
	struct job_order order = {
	    .command = old->command,
	    .argv = argv,
	    .session_env = restart->has_env ? NULL : env,
	    .env = restart->has_env ? env : NULL,
	    .cwd = old->cwd,
	    .name = old->name,
	    .timeout_ms = old->timeout_ms,
	    .umask = old->umask,
	    .pane = &old->pane,
	    .once = request != NULL ? request_once(request) : NULL,
	};
	char reason[256];
	const struct job *job = job_start(restart->jobs, &order, reason, sizeof reason);
	if (request != NULL && job != NULL)
		run_await(request, restart->jobs, job->id, old->id);
	else if (request != NULL)
		request_fail(request, errno == ENOSPC ? MESSAGE_LIMIT : MESSAGE_INTERNAL,
		    "job %s has ended, and cannot be started again: %s", old->id, reason);
	mem_free(restart->env);
	mem_free(restart);
}

static void restart_ended(struct job_listener *listener, const struct job *job)
{
	struct restart *restart = list_entry(listener, struct restart, listener);
	list_remove(&listener->link);
	job_settle_waited(restart->jobs, job);
	restart_start(restart, job);
}

/* Returns the changes for a restarted job; NULL if the request failed or is handled later. */
static const char **restart_env(
    struct request *request, const struct job *job, const struct restart_args *args)
{
	const struct json *given = args->env;
	const char *const *session = NULL;
	const char **env;
	char **own;
	if (given == NULL && !args->env_only && job_env(job) != NULL)
		return job_env_join(job_env(job), NULL, SIZE_MAX);
	if (given == NULL && !args->env_only && job->has_env) {
		request_fail_field(request, "env",
		    "job %s had an environment of its own, which is not known any more, since "
		    "muxbusd was restarted or it had more than %d bytes: give env, {} for none",
		    job->id, JOB_ENV_KEEP);
		return NULL;
	}
	if ((!args->env_only && !session_env(request, &job->pane, &session)) ||
	    (own = make_env(request, given, args->env_only)) == NULL)
		return NULL;
	env = job_env_join(session, (const char *const *)own, SIZE_MAX);
	mem_free_strings(own);
	return env;
}

/* Returns true for a job that is a command. Others were not begun by a shell. */
static bool may_restart(struct request *request, const struct job *job)
{
	if (job->is_program)
		return request_fail_field(request, "job",
		    "job %s is the program of a provider, which muxbusd starts again itself",
		    job->id);
	return job->tool == NULL ||
	    request_fail_field(request, "job",
		"job %s is a call of the tool %s: call the tool again", job->id, job->tool);
}

static void handle_restart(struct request *request, const void *data)
{
	const struct restart_args *args = data;
	struct job_set *jobs = request_daemon(request)->jobs;
	const struct job *job;
	struct restart *restart;
	const char **env;
	int error = 0;
	if ((job = job_name_get(request, args->job)) == NULL || !may_restart(request, job) ||
	    (job->state != JOB_RUNNING && !job_name_check(request, job->name)) ||
	    (env = restart_env(request, job, args)) == NULL)
		return;
	if (job->state == JOB_RUNNING)
		error = job_stop_for_restart(jobs, job->id);
	if (error != 0) {
		mem_free(env);
		request_fail(request, error == -EBUSY ? MESSAGE_BUSY : MESSAGE_INTERNAL,
		    "job %s %s", job->id,
		    error == -EBUSY ? "is being restarted already" : strerror(-error));
		return;
	}
	restart = xcalloc(1, sizeof *restart);
	restart->request = request;
	restart->jobs = jobs;
	restart->env = env;
	restart->has_env =
	    args->env != NULL ? args->env->count > 0 || args->env_only : job->has_env;
	restart->listener.ended = restart_ended;
	if (job->state != JOB_RUNNING) {
		restart_start(restart, job);
		return;
	}
	job_listen(jobs, &restart->listener, job->id);
	request_on_cancel(
	    request, restart_cancelled, restart, "the peer has gone; the restart goes on");
}

const struct method methods_job[] = {
    {.name = METHOD("background_process", METHOD_RUNS | METHOD_CLOSES | METHOD_WRITES),
	.title = "Run a named process",
	.summary = "Runs a command as a job with a name; returns at once with its pid and log.",
	.help = "A name that runs is refused, with the id of its job: restart_job runs that "
		"again. Two equal commands are two jobs, unless they have the same key.",
	METHOD_CALL(handle_run, run_args, background_fields, run_results),
	.flags = METHOD_LOOKS_ITSELF,
	.recheck = "list_jobs",
	.affects = role_affects_caller,
	.begun = run_answer_begun,
	.example = "{\"name\":\"server\",\"command\":\"make serve\"}"},
    {.name = METHOD("restart_job", METHOD_RUNS | METHOD_CLOSES | METHOD_WRITES),
	.title = "Restart a job",
	.summary = "Ends a background job if it runs, and starts its command again.",
	.help =
	    "The new job has another id, and the command, directory, environment, umask, time "
	    "limit, name and pane of the old one. The old one gets TERM, and after 5 s all its "
	    "processes get KILL; its end is in the answer and is not notified. An environment of "
	    "its own is kept in memory only, up to 64 KiB: after a restart of muxbusd give env.",
	METHOD_CALL(handle_restart, restart_args, restart_fields, restart_results),
	.flags = METHOD_WAITS,
	.recheck = "list_jobs",
	.affects = affects_job,
	.begun = run_answer_begun,
	.example = "{\"job\":\"server\"}"},
    {.name = METHOD("run_long_command", METHOD_RUNS | METHOD_CLOSES | METHOD_WRITES),
	.title = "Run in the background",
	.summary = "Runs a command detached, and notifies when it ends; returns at once.",
	.help =
	    "The job outlives its caller and the daemon, and its exit status is never lost. The "
	    "notification has the exit code or signal, the duration, the first and last 200 "
	    "characters of the output, and where the whole log is. The first 64 MiB of it are "
	    "kept, and the last 64 KiB.",
	METHOD_CALL(handle_run, run_args, run_fields, run_results),
	.flags = METHOD_LOOKS_ITSELF | METHOD_TOOL,
	.recheck = "list_jobs",
	.affects = role_affects_pane,
	.begun = run_answer_begun,
	.example = "{\"command\":\"make -j8\"}"},
    {.name = METHOD("stop_job", METHOD_CLOSES | METHOD_WRITES),
	.title = "Stop a job",
	.summary = "Ends a background job and all its processes.",
	METHOD_CALL(handle_stop, job_stop_args, stop_fields, stop_results),
	.flags = METHOD_IDEMPOTENT | METHOD_LOOKS_ITSELF,
	.recheck = "list_jobs",
	.affects = affects_job,
	.example = "{\"job\":\"A1B2\"}"},
    {.name = NULL},
};
