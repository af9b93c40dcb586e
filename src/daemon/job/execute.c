/* SPDX-License-Identifier: ISC */
/*
 * The method execute_cli: a shell command as a job, whose end the request may wait for. The next
 * command of the connection, or of the pane, starts in the directory where this command ended.
 */
#include "base/process.h"
#include "daemon/deliver/wake.h"
#include "daemon/job/job.h"
#include "daemon/queue/queue.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "daemon/server/repeat.h"
#include "daemon/server/session_env.h"
#include "io/loop_timer.h"

enum {
	PATH_SIZE = 4096,
	/* bytes; with SHELL_TRAP this is less than the maximum of one argument on Linux */
	COMMAND_MAX = 127 * 1024,
	INPUT_MAX = 1024 * 1024,
	OUTPUT_MAX = 50 * 1024, /* bytes of each stream in the answer; read_job has more */
	PROMPT_LOOK = 200, /* bytes at the end of the output that may be a question */
	NEWS_MS = 1000, /* time between two looks at the output, for progress */
	NEWS_MAX = 512, /* bytes of new output that a look reads */
	QUIET_LOOKS = 10,
	/* maximum number of records: panes whose ids are the same modulo this share one */
	PLACES_MAX = 256,
};

/* Stands before the command: at the end, the shell writes its directory to a file. */
#define SHELL_TRAP "trap 'pwd -P 2>/dev/null >\"$MUXBUS_STATE/jobs/$MUXBUS_JOB.cwd\"' EXIT; "

struct execution {
	struct request *request;
	struct job_set *jobs;
	struct job_listener listener;
	struct loop_timer *timer;
	struct loop_timer *news; /* for looks at new output; NULL: no progress is reported */
	int64_t heard[2]; /* bytes of standard output and standard error that were looked at */
	unsigned quiet_looks; /* looks without new output since the last report of progress */
	bool is_waited; /* false: the request is answered when the command starts */
	struct pane_ref pane;
	int64_t began_ms; /* CLOCK_MONOTONIC */
};

struct execute_args {
	const char *command;
	double timeout_sec;
	const char *cwd;
	const char *input;
	bool wait;
};

static const struct field execute_fields[] = {
    {FIELD_ROW(STRING, struct execute_args, command, "command"),
	.flags = FIELD_REQUIRED | FIELD_CONFIDENTIAL, .min = 1, .max = COMMAND_MAX,
	.help = "The command, as for a shell (/bin/sh -c)."},
    {FIELD_ROW(NUMBER, struct execute_args, timeout_sec, "timeout_sec"), .unit = "s", .min = 0.01,
	.max = 86400, .preset = "30",
	.help = "Answer after this long; the command continues as a job, and is not stopped."},
    {FIELD_ROW(STRING, struct execute_args, cwd, "cwd"), .flags = FIELD_PATH,
	.help = "The directory; left out: where the last one on this connection ended; at first "
		"where the last one of the pane ended, unless the caller has gone elsewhere since, "
		"or else the caller's."},
    {.name = "working_dir", .flags = FIELD_ALIAS},
    {FIELD_ROW(STRING, struct execute_args, input, "stdin"), .flags = FIELD_CONFIDENTIAL,
	.max = INPUT_MAX,
	.help = "Its standard input; left out: empty, so that a question is answered by its end."},
    {FIELD_ROW(BOOL, struct execute_args, wait, "wait"), .preset = "true",
	.help = "false: answer as soon as it runs; it continues as a job."},
    {.name = NULL},
};

static const struct field_result execute_results[] = {
    {"status", "string", "exited, failed, stopped, lost, or running: it continues as a job"},
    {"ok", "boolean", "whether it has ended, with exit code 0"},
    {"stdout", "string", "the last 50 KiB of it"},
    {"stderr", "string", "the last 50 KiB of it"},
    {"exit_code", "integer|null", "null while it runs, or if a signal ended it"},
    {"signal", "integer|null", "what killed it"},
    {"duration_ms", "integer", "how long it ran"},
    {"truncated", "boolean", "whether any of it is left out"},
    {"rest", "string", "if truncated: the calls that read all that is kept"},
    {"note", "string|null", "what a reader should know"},
    {"job", "string", "its id, for read_job and the like"},
    {"pid", "integer|null", "while it runs: of the command, and its process group"},
    {"log", "string", "while it runs: the file with its standard output"},
    WAKE_RESULTS,
    DURABLE_RESULTS,
    {"cwd", "string", "where the next command works"},
    {NULL, NULL, NULL},
};

/* Writes one stream of the job as a member; ret_end: its last bytes. Returns true if it was cut. */
static bool write_stream(struct json_writer *writer, const struct job_set *jobs,
    const struct job *job, enum job_file file, const char *name, char ret_end[PROMPT_LOOK + 1])
{
	int64_t from, end = job_kept_end(jobs, job, file);
	struct buf out = BUF(OUTPUT_MAX + 1);
	size_t last;
	bool is_cut;
	from = end > OUTPUT_MAX ? end - OUTPUT_MAX : 0;
	(void)job_read(jobs, job, file, from, OUTPUT_MAX, &out, &from, &end);
	(void)json_put_text(writer, name, out.len > 0 ? (const void *)out.data : "", out.len);
	last = out.len < PROMPT_LOOK ? out.len : PROMPT_LOOK;
	memcpy(ret_end, out.len > 0 ? (const char *)out.data + out.len - last : "", last);
	ret_end[last] = '\0';
	is_cut = from > 0 || from + (int64_t)out.len < end;
	buf_finish(&out);
	return is_cut;
}

static bool is_question(const char *end)
{
	static const char *const signs[] = {"[Y/n]", "[y/N]", "(y/n)", "(yes/no",
	    "assword:", "assphrase", "Are you sure", "Press ENTER", "press any key"};
	for (size_t at = 0; at < sizeof signs / sizeof *signs; at++)
		if (strcasestr(end, signs[at]) != NULL)
			return true;
	return false;
}

/* Reads the directory that SHELL_TRAP has written, and removes the file. False if none is there. */
static bool read_cwd(const struct job_set *jobs, const struct job *job, char out[PATH_SIZE])
{
	char path[PATH_SIZE], *dot;
	struct stat status;
	ssize_t len;
	int fd;
	job_path(jobs, job, JOB_FILE_OUT, path, sizeof path);
	dot = strrchr(path, '.');
	if (dot == NULL)
		return false;
	memcpy(dot, ".cwd", 5);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	len = read(fd, out, PATH_SIZE - 1);
	close(fd);
	(void)unlink(path);
	out[len > 0 ? len : 0] = '\0';
	if (len > 0 && out[len - 1] == '\n')
		out[len - 1] = '\0';
	return out[0] == '/' && stat(out, &status) == 0 && S_ISDIR(status.st_mode);
}

/*
 * The directory in which the next command of a pane starts. It counts only if the calling program
 * has the same current directory as at its last call.
 */
struct pane_place {
	struct pane_ref pane;
	char *own; /* current directory of the program that called execute_cli */
	char *cwd;
};

static const struct record_field place_fields[] = {
    {RECORD_ROW(PANE, struct pane_place, pane, "pane")},
    {RECORD_ROW(TEXT, struct pane_place, own, "own")},
    {RECORD_ROW(TEXT, struct pane_place, cwd, "cwd")},
};

static const struct record_kind place_kind = {
    .prefix = "cwd/",
    .noun = "a directory of a pane",
    .rows = RECORD_ROWS(place_fields, NULL),
    .source = SOURCE_JOB,
};

/*
 * Reads the record of a pane, and writes the record's name. own: the program's current directory.
 * Returns false if no record fits.
 */
static bool read_place(struct store *store, const struct pane_ref *pane, const char *own,
    char name[16], struct pane_place *place)
{
	(void)snprintf(name, 16, "%u", (unsigned)pane->pane % PLACES_MAX);
	if (!record_get(store, &place_kind, name, place))
		return false;
	if (pane_ref_same_pane(&place->pane, pane) && strcmp(place->own, own) == 0)
		return true;
	record_finish(place_kind.rows, place);
	return false;
}

/*
 * Finds where the next command starts. pid is that of the calling program; 0: unknown. Returns
 * false if no place is known.
 */
static bool pane_cwd_find(
    struct store *store, const struct pane_ref *pane, pid_t pid, char *out, size_t size)
{
	struct pane_place place = {0};
	char own[PATH_MAX], name[16];
	bool fits;
	if (pane->pane == MUXBUS_NO_ID || !process_cwd(pid, own, sizeof own) ||
	    !read_place(store, pane, own, name, &place))
		return false;
	fits = (size_t)snprintf(out, size, "%s", place.cwd) < size;
	record_finish(place_kind.rows, &place);
	return fits;
}

/* Stores where the next command starts; deletes this if it is the default, or not valid UTF-8. */
static void pane_cwd_keep(
    struct store *store, const struct pane_ref *pane, pid_t pid, const char *cwd)
{
	struct pane_place place = {0};
	char own[PATH_MAX], copy[PATH_MAX], name[16];
	bool is_known, is_text = utf8_valid_prefix(cwd, strlen(cwd)) == strlen(cwd);
	if (pane->pane == MUXBUS_NO_ID || !process_cwd(pid, own, sizeof own) ||
	    utf8_valid_prefix(own, strlen(own)) < strlen(own) || strlen(cwd) >= sizeof copy)
		return;
	is_known = read_place(store, pane, own, name, &place);
	if (is_text && strcmp(cwd, own) != 0 && (!is_known || strcmp(place.cwd, cwd) != 0))
		record_put(store, &place_kind, name,
		    &(struct pane_place){.pane = *pane, .own = own, .cwd = strcpy(copy, cwd)});
	else if (is_known && (!is_text || strcmp(cwd, own) == 0))
		/* the next command starts in the program's own directory */
		record_delete(store, &place_kind, name);
	if (is_known)
		record_finish(place_kind.rows, &place);
}

static void set_cwd(struct request *request, const struct pane_ref *pane, const char *cwd)
{
	if (request_peer(request) == NULL)
		return;
	peer_set_cwd(request_peer(request), cwd);
	pane_cwd_keep(queue_store(request_daemon(request)->queue), pane,
	    peer_pid(request_peer(request)), cwd);
}

static void write_running(const struct execution *execution, const struct job *job)
{
	struct json_writer *writer = request_result(execution->request);
	char path[PATH_SIZE];
	job_path(execution->jobs, job, JOB_FILE_OUT, path, sizeof path);
	json_put_known_int(writer, "pid", job->pid > 0, job->pid);
	json_put_str(writer, "log", path);
	wake_write_way(execution->request, job->id, &job->pane);
	request_note_durable(execution->request);
}

static void write_rest(
    struct json_writer *writer, const struct job *job, bool is_out_cut, bool is_err_cut)
{
	struct buf rest = BUF(256);
	if (is_out_cut)
		(void)buf_printf(
		    &rest, "read_job {\"job\":\"%s\"} reads all that is kept of stdout.", job->id);
	if (is_err_cut)
		(void)buf_printf(&rest,
		    "%sread_job {\"job\":\"%s\",\"stream\":\"stderr\"} reads all that is kept of "
		    "stderr.",
		    is_out_cut ? " " : "", job->id);
	if (rest.len > 0)
		json_put_str(writer, "rest", buf_text(&rest));
	buf_finish(&rest);
}

static void execution_answer(struct execution *execution, const struct job *job)
{
	struct request *request = execution->request;
	struct json_writer *writer = request_result(request);
	char out_end[PROMPT_LOOK + 1], err_end[PROMPT_LOOK + 1], cwd[PATH_SIZE];
	bool is_running = job->state == JOB_RUNNING, is_out_cut, is_err_cut;
	const char *note = NULL;
	char *cause = NULL;
	json_put_str(writer, "status", job_state_names[job->state]);
	json_put_bool(writer, "ok", !is_running && job->status.exit_code == 0);
	is_out_cut = write_stream(writer, execution->jobs, job, JOB_FILE_OUT, "stdout", out_end);
	is_err_cut = write_stream(writer, execution->jobs, job, JOB_FILE_ERR, "stderr", err_end);
	json_put_known_int(
	    writer, "exit_code", !is_running && job->status.exit_code >= 0, job->status.exit_code);
	json_put_known_int(writer, "signal", job->status.signal > 0, job->status.signal);
	json_put_int(writer, "duration_ms",
	    is_running ? clock_mono_ms() - execution->began_ms : job->status.elapsed_ms);
	json_put_bool(writer, "truncated", is_out_cut || is_err_cut);
	write_rest(writer, job, is_out_cut, is_err_cut);
	if (is_running && execution->is_waited)
		note = out_end[0] != '\0' || err_end[0] != '\0'
		    ? "the time is up: the command continues as a job; see wake, get_job and "
		      "stop_job"
		    : "the time is up: the command continues as a job; see wake, get_job and "
		      "stop_job. It has printed nothing: a program with a window goes on like "
		      "this, and wait false answers at once";
	else if (is_running)
		note = "it runs as a job; see wake and get_job";
	else if (job->status.exit_code < 0 && job->status.signal == 0)
		note = cause = job_record_text(job);
	else if (job->status.is_held)
		note = "a process that it left behind still holds its output";
	else if (is_question(out_end) || is_question(err_end))
		note = "it seems to have asked something; its standard input was at its end: give "
		       "stdin, or an option that answers";
	json_put_str(writer, "note", note);
	mem_free(cause);
	json_put_str(writer, "job", job->id);
	if (is_running)
		write_running(execution, job);
	if (!is_running && read_cwd(execution->jobs, job, cwd))
		set_cwd(request, &execution->pane, cwd);
	if (request_peer(request) != NULL && peer_cwd(request_peer(request)) != NULL)
		json_put_str(writer, "cwd", peer_cwd(request_peer(request)));
	request_done(request);
}

static bool is_line_end(uint8_t byte)
{
	return byte == '\n' || byte == '\r';
}

static void report(struct execution *execution, const char *text)
{
	double passed = (double)(clock_mono_ms() - execution->began_ms) / 1000;
	execution->quiet_looks = 0;
	request_progress(execution->request,
	    &(struct request_report){.text = text, .done = passed, .has_done = true});
}

static void report_line(
    struct execution *execution, const struct job *job, enum job_file file, int64_t *heard)
{
	int64_t from, end = 0;
	struct buf out = BUF(NEWS_MAX + 1), line = BUF(NEWS_MAX);
	size_t begin;
	(void)job_read(execution->jobs, job, file, 0, 0, &out, &from, &end);
	from = end - NEWS_MAX > *heard ? end - NEWS_MAX : *heard;
	if (end > from)
		(void)job_read(execution->jobs, job, file, from, NEWS_MAX, &out, &from, &end);
	*heard = end;
	while (out.len > 0 && is_line_end(out.data[out.len - 1]))
		out.len--;
	for (begin = out.len; begin > 0 && !is_line_end(out.data[begin - 1]);)
		begin--;
	if (out.len > begin) {
		(void)str_append_visible(&line, out.data + begin, out.len - begin);
		report(execution, buf_text(&line));
	}
	buf_finish(&out);
	buf_finish(&line);
}

/* Reports progress: new output or, to keep the call alive, now and then that there is none. */
static void on_news(void *data)
{
	struct execution *execution = data;
	const struct job *job = job_find(execution->jobs, execution->listener.id);
	loop_timer_arm(execution->news, NEWS_MS);
	execution->quiet_looks++;
	if (job != NULL) {
		report_line(execution, job, JOB_FILE_OUT, &execution->heard[0]);
		report_line(execution, job, JOB_FILE_ERR, &execution->heard[1]);
	}
	if (execution->quiet_looks >= QUIET_LOOKS)
		report(execution, "it has printed nothing more");
}

static void execution_free(struct execution *execution)
{
	list_remove(&execution->listener.link);
	loop_timer_free(execution->timer);
	loop_timer_free(execution->news);
	mem_free(execution);
}

static void on_ended(struct job_listener *listener, const struct job *job)
{
	struct execution *execution = list_entry(listener, struct execution, listener);
	execution_answer(execution, job);
	execution_free(execution);
}

/* Answers while the command runs. The command goes on as a normal job, whose end is notified. */
static void on_timeout(void *data)
{
	struct execution *execution = data;
	const struct job *job = job_find(execution->jobs, execution->listener.id);
	job_set_silent(execution->jobs, job->id, false, &execution->pane);
	execution_answer(execution, job);
	execution_free(execution);
}

static void on_started(struct job_listener *listener, const struct job *job UNUSED)
{
	struct execution *execution = list_entry(listener, struct execution, listener);
	if (!execution->is_waited)
		on_timeout(execution);
}

static void on_cancelled(void *data)
{
	struct execution *execution = data;
	job_set_silent(execution->jobs, execution->listener.id, false, &execution->pane);
	execution_free(execution);
}

static void execution_begin(struct request *request, const struct job *job,
    const struct pane_ref *pane, const struct execute_args *args)
{
	const struct daemon *daemon = request_daemon(request);
	struct execution *execution = xcalloc(1, sizeof *execution);
	execution->request = request;
	execution->jobs = daemon->jobs;
	execution->listener.started = on_started;
	execution->listener.ended = on_ended;
	execution->is_waited = args->wait;
	execution->timer = loop_timer_new(daemon->base, on_timeout, execution);
	execution->pane = *pane;
	execution->began_ms = clock_mono_ms();
	job_listen(daemon->jobs, &execution->listener, job->id);
	loop_timer_arm(execution->timer, clock_seconds_to_ms(args->timeout_sec));
	request_on_cancel(
	    request, on_cancelled, execution, "the peer has gone; the command goes on");
	if (request_is_formatted(request)) {
		execution->news = loop_timer_new(daemon->base, on_news, execution);
		loop_timer_arm(execution->news, NEWS_MS);
	}
	if (job->state != JOB_RUNNING)
		on_ended(&execution->listener, job);
	else if (job->pid > 0)
		on_started(&execution->listener, job);
}

/* Handles a repeated request whose command was started, but whose result was not kept. */
static void execution_answer_begun(struct request *request, const void *data, const char *id)
{
	const struct job *job = job_find(request_daemon(request)->jobs, id);
	if (job == NULL) {
		repeat_answer_id(request, data, id);
		return;
	}
	job_set_silent(request_daemon(request)->jobs, id, true, NULL);
	execution_begin(request, job, &job->pane, data);
}

/*
 * Finds the pane and the directory for the command. Returns false if the request has failed, or is
 * handled again later.
 */
static bool find_place(
    struct request *request, const char *given, struct pane_ref *ret_pane, char out[PATH_SIZE])
{
	struct peer *peer = request_peer(request);
	char kept[PATH_SIZE];
	if (requester_look_first(request, NULL) || !requester_pane(request, NULL, ret_pane))
		return false;
	if (given == NULL && peer != NULL)
		given = peer_cwd(peer);
	if (given == NULL && peer != NULL &&
	    pane_cwd_find(queue_store(request_daemon(request)->queue), ret_pane, peer_pid(peer),
		kept, sizeof kept))
		given = kept;
	return requester_cwd(request, given, ret_pane, out, PATH_SIZE);
}

static void handle_execute(struct request *request, const void *data)
{
	const struct execute_args *args = data;
	struct daemon *daemon = request_daemon(request);
	char *script = xasprintf("%s%s", SHELL_TRAP, args->command);
	char *state = xasprintf("MUXBUS_STATE=%s", daemon->config->state_dir);
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	const char *const trap_env[] = {state, NULL};
	const char **env = NULL;
	char cwd[PATH_SIZE], reason[256];
	struct job_order order = {
	    .command = args->command,
	    .argv = argv,
	    .cwd = cwd,
	    .input = args->input,
	    .has_err = true,
	    .is_silent = true,
	    .once = request_once(request),
	};
	const struct job *job = NULL;
	struct pane_ref pane;
	if (find_place(request, args->cwd, &pane, cwd) &&
	    session_env(request, &pane, &order.session_env)) {
		/*
		 * The variables are not passed as order.env, because a restart of the job would
		 * then have to give an environment.
		 */
		env = job_env_join(order.session_env, trap_env, SIZE_MAX);
		order.session_env = env;
		order.pane = &pane;
		job = job_start(daemon->jobs, &order, reason, sizeof reason);
		if (job == NULL)
			request_fail(request, errno == ENOSPC ? MESSAGE_LIMIT : MESSAGE_INTERNAL,
			    "the command cannot be started: %s", reason);
	}
	mem_free(script);
	mem_free(state);
	mem_free(env);
	if (job == NULL)
		return;
	set_cwd(request, &pane, cwd);
	execution_begin(request, job, &pane, args);
}

const struct method methods_execute[] = {
    {.name = METHOD("execute_cli", METHOD_SEES | METHOD_RUNS | METHOD_CLOSES),
	.also = (const char *const[]){"shell", NULL},
	.title = "Run a command",
	.summary = "Runs a command and answers with its output and how it ended.",
	.help =
	    "The working directory stays that of the connection, and of the pane. After "
	    "timeout_sec a command continues as a job. It has no terminal, and its standard input "
	    "is at its end: prompts for a line or a password fail at once, or take their default; "
	    "pagers print all. Give the answers as stdin, or the options that need none. Some "
	    "editors stall instead: so does whatever waits for ever. After timeout_sec, or at once "
	    "with wait false, the answer has status running and the id for wait_for, read_job and "
	    "stop_job. Programs with a window go on too: start them with wait false. Over MCP the "
	    "last line of the output is progress, once a second.",
	METHOD_CALL(handle_execute, execute_args, execute_fields, execute_results),
	.flags = METHOD_WAITS | METHOD_LOOKS_ITSELF | METHOD_OPEN_WORLD,
	.recheck = "list_jobs",
	.affects = role_affects_caller,
	.begun = execution_answer_begun,
	.example = "{\"command\":\"git status --short\"}"},
    {.name = NULL},
};
