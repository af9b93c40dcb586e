/* SPDX-License-Identifier: ISC */
#include "daemon/server/spawn.h"

#include "daemon/pane/maker.h"
#include "daemon/pane/reporter.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"
#include "daemon/server/tmux_call.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tmux_command.h"

#define EXEC_BYTES_MAX (128 * 1024) /* maximum bytes of one argument on Linux */

const char *const spawn_reports[] = {
    [SPAWN_REPORT_NONE] = "none",
    [SPAWN_REPORT_NOTICES] = "notices",
    [SPAWN_REPORT_TOKEN] = "token",
    NULL,
};

const struct field_result spawn_results[] = {
    {"pane", "string", "the id of the pane that was made"},
    {"window", "string", "the id of its window"},
    {"session", "string", "the id of its session"},
    {0},
};

/* Checks the directory: tmux silently takes the home directory if this one does not exist. */
static bool check_cwd(struct request *request, const char *cwd)
{
	struct stat status;
	const char *reason = NULL;
	if (cwd[0] != '/')
		reason = "must be an absolute path";
	else if (stat(cwd, &status) < 0)
		reason = strerror(errno);
	else if (!S_ISDIR(status.st_mode))
		reason = "not a directory";
	if (reason == NULL)
		return true;
	return request_fail_field(request, "cwd", "\"%.200s\": %s", cwd, reason);
}

static bool check_env(struct request *request, const struct json *env)
{
	json_each_member (entry, env) {
		const char *reason = NULL;
		if (entry->name_len == 0 || strchr(entry->name, '='))
			reason = "is not a valid name of a variable";
		else if (entry->name_len + 1 + entry->len >= EXEC_BYTES_MAX)
			reason = "has a value that is too long";
		if (reason == NULL)
			continue;
		return request_fail_field(request, "env", "\"%.100s\" %s", entry->name, reason);
	}
	return true;
}

static bool check_command(struct request *request, const struct field_strings *command)
{
	size_t size = 0;
	for (size_t i = 0; i < command->count; i++)
		size += strlen(command->strings[i]) + 1;
	if (size > EXEC_BYTES_MAX)
		return request_fail_field(request, "command",
		    "has %zu bytes, more than %d: put it into a file", size, EXEC_BYTES_MAX);
	if (!command->is_given || (command->count > 0 && command->strings[0][0] != '\0'))
		return true;
	return request_fail_field(
	    request, "command", "is empty; leave it out for the user's shell");
}

bool spawn_check(struct request *request, const struct spawn_args *args)
{
	return check_command(request, &args->command) &&
	    (args->cwd == NULL || check_cwd(request, args->cwd)) &&
	    (args->env == NULL || check_env(request, args->env));
}

/* Returns false for a name with control characters or invalid UTF-8: tmux changes or refuses it. */
static bool is_plain(const char *name)
{
	size_t len = strlen(name);
	for (size_t i = 0; i < len;) {
		uint32_t c;
		int used = utf8_decode(name + i, len - i, &c);
		if (used <= 0 || c < 0x20 || (c >= 0x7f && c < 0xa0))
			return false;
		i += (size_t)used;
	}
	return true;
}

bool spawn_check_name(struct request *request, const char *field, const char *name, bool is_session)
{
	const char *reason = NULL;
	if (name[0] == '\0')
		reason = "is empty";
	else if (!is_plain(name))
		reason = "contains a control character";
	else if (strchr(name, '\\'))
		reason = "contains a backslash, which some versions of tmux double";
	else if (is_session && strpbrk(name, ":."))
		reason = "contains ':' or '.', which separate the parts of a target";
	else if (is_session && strchr("=$@%", name[0]))
		reason = "begins like a target or an id";
	if (reason == NULL)
		return true;
	return request_fail_field(request, field, "\"%.100s\" %s", name, reason);
}

void spawn_literal_arg(struct muxbus_command *command, const char *text)
{
	size_t len = strlen(text);
	char *literal = xalloc(MUXBUS_LITERAL_MAX(len) + 1);
	muxbus_command_arg(command, literal, muxbus_literal(literal, text, len));
	mem_free(literal);
}

struct spawn {
	struct request *request;
	uint32_t pane;
	uint32_t window;
	uint32_t session;
	bool keep;
	char *given; /* the window's name if we chose it; NULL otherwise */
	bool waits; /* the pane is made with the program that only waits */
	int reports; /* enum spawn_report */
	struct pane_ref parent; /* the pane of the requester, which is notified of notices */
	struct pane_caller caller;
	char token[REPORTER_TOKEN_SIZE];
	char *cwd;
	char **env; /* "NAME=value", NULL-ended */
	char **command; /* words, NULL-ended */
};

static void free_spawn(struct spawn *spawn)
{
	mem_free(spawn->cwd);
	mem_free(spawn->given);
	mem_free_strings(spawn->env);
	mem_free_strings(spawn->command);
	mem_free(spawn);
}

static struct spawn *new_spawn(struct request *request, const struct spawn_args *args)
{
	struct spawn *spawn = xcalloc(1, sizeof *spawn);
	size_t count;
	spawn->request = request;
	spawn->pane = MUXBUS_NO_ID;
	spawn->keep = args->keep_on_exit;
	spawn->waits = args->command.is_given;
	spawn->cwd = args->cwd != NULL ? xstrdup(args->cwd) : NULL;
	spawn->command = xcalloc(args->command.count + 1, sizeof(char *));
	for (size_t i = 0; i < args->command.count; i++)
		spawn->command[i] = xstrdup(args->command.strings[i]);
	spawn->env = xcalloc((args->env != NULL ? args->env->count : 0) + 1, sizeof(char *));
	count = 0;
	for (const struct json *entry = args->env != NULL ? args->env->child : NULL; entry;
	     entry = entry->next)
		spawn->env[count++] = xasprintf("%s=%s", entry->name, entry->text);
	spawn->reports = args->reports;
	if (spawn->reports != SPAWN_REPORT_NONE)
		reporter_new_token(spawn->token);
	return spawn;
}

static struct tmux *tmux_of(const struct spawn *spawn)
{
	return request_daemon(spawn->request)->tmux;
}

/* Adds the directory and the environment, for the waiting program and again for the real one. */
static void add_surroundings(struct muxbus_command *command, const struct spawn *spawn)
{
	if (spawn->cwd != NULL) {
		muxbus_command_args(command, "-c", NULL);
		spawn_literal_arg(command, spawn->cwd);
	}
	for (size_t i = 0; spawn->env[i]; i++)
		muxbus_command_args(command, "-e", spawn->env[i], NULL);
}

/*
 * Adds the token of the reporter (pane/reporter.h). Only the real program gets the token, not the
 * program that waits.
 */
static void add_token(struct muxbus_command *command, const struct spawn *spawn)
{
	if (spawn->reports == SPAWN_REPORT_NONE)
		return;
	muxbus_command_args(command, "-e", NULL);
	muxbus_command_argf(command, REPORTER_VARIABLE "=%s", spawn->token);
}

static void fail(struct spawn *spawn, int error, const struct muxbus_reply *replies, size_t count)
{
	struct tmux *tmux = tmux_of(spawn);
	tmux_expect(tmux, spawn->pane, 0);
	if (spawn->pane != MUXBUS_NO_ID)
		tmux_tell(tmux, tmux_command("kill-pane", "-t", TMUX_ID('%', spawn->pane), NULL));
	tmux_call_fail_reply(spawn->request, error, replies, count);
	free_spawn(spawn);
}

/* Answers the request. If the pane still exists, sync reports its end from now on. */
static void finish(struct spawn *spawn)
{
	struct tmux *tmux = tmux_of(spawn);
	struct json_writer *writer;
	struct pane_ref made;
	if (muxbus_sync_adopt_pane(tmux_sync(tmux), spawn->pane, spawn->keep) == 0)
		muxbus_sync_refresh_window(tmux_sync(tmux), spawn->window, 0, NULL, NULL);
	else
		log_debug("pane %%%u was gone before it was looked after", spawn->pane);
	tmux_expect(tmux, spawn->pane, 0);
	pane_ref_of(tmux, spawn->pane, &made);
	maker_note(request_daemon(spawn->request)->makers, &spawn->caller, &made, !spawn->keep);
	if (spawn->reports != SPAWN_REPORT_NONE)
		reporter_settle(request_daemon(spawn->request)->reporters, spawn->pane);
	writer = request_result(spawn->request);
	json_put_id(writer, "pane", '%', spawn->pane);
	json_put_id(writer, "window", '@', spawn->window);
	json_put_id(writer, "session", '$', spawn->session);
	request_done(spawn->request);
	free_spawn(spawn);
}

static void on_running(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct spawn *spawn = data;
	if (error < 0)
		fail(spawn, error, replies, count);
	else
		finish(spawn);
}

/*
 * Starts the real program. The same list of commands sets the tmux option remain-on-exit, so that
 * tmux keeps the exit status.
 */
static void run_program(struct spawn *spawn)
{
	struct muxbus_command *command = tmux_command(
	    "set-option", "-p", "-t", TMUX_ID('%', spawn->pane), "remain-on-exit", "on", NULL);
	int error;
	muxbus_command_next(command);
	if (spawn->given != NULL) {
		/* Lets tmux choose the window's name, unless a user's hook has changed the name. */
		muxbus_command_args(
		    command, "if-shell", "-F", "-t", TMUX_ID('@', spawn->window), NULL);
		muxbus_command_argf(command, "#{==:#{window_name},%s}", spawn->given);
		muxbus_command_argf(
		    command, "set-option -w -u -t @%u automatic-rename", spawn->window);
		muxbus_command_next(command);
	}
	muxbus_command_args(command, "respawn-pane", "-k", "-t", TMUX_ID('%', spawn->pane), NULL);
	add_surroundings(command, spawn);
	add_token(command, spawn);
	muxbus_command_args(command, "--", NULL);
	for (size_t i = 0; spawn->command[i]; i++)
		muxbus_command_args(command, spawn->command[i], NULL);
	error = muxbus_sync_run_in_window(
	    tmux_sync(tmux_of(spawn)), command, spawn->window, on_running, spawn);
	if (error < 0)
		fail(spawn, error, NULL, 0);
}

static void on_pictured(void *data, int error UNUSED, const struct muxbus_capture *capture UNUSED)
{
	run_program(data);
}

static void add_reporter(const struct spawn *spawn)
{
	if (spawn->reports != SPAWN_REPORT_NONE)
		reporter_add(request_daemon(spawn->request)->reporters, spawn->pane, &spawn->parent,
		    spawn->token, spawn->reports == SPAWN_REPORT_NOTICES);
}

/* Takes a capture, then starts the program: after the capture's reply, output is followed. */
static void on_listed(void *data, int error)
{
	struct spawn *spawn = data;
	add_reporter(spawn);
	if (error < 0 ||
	    muxbus_sync_capture(tmux_sync(tmux_of(spawn)), spawn->pane, 0, 0, on_pictured, spawn) <
		0)
		run_program(spawn);
}

static void wait_for_output(struct spawn *spawn)
{
	if (muxbus_sync_refresh_window(
		tmux_sync(tmux_of(spawn)), spawn->window, 0, on_listed, spawn) < 0)
		run_program(spawn);
}

static void on_shell_listed(void *data, int error UNUSED)
{
	add_reporter(data);
	finish(data);
}

static void on_made(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct spawn *spawn = data;
	struct daemon *parts;
	bool is_new_session, is_made;
	int pid;
	/* The first line is the reply to our command. Output of the user's hooks may follow. */
	is_made = count > 0 && replies[0].body != NULL &&
	    sscanf((const char *)replies[0].body, "%%%u @%u $%u %d", &spawn->pane, &spawn->window,
		&spawn->session, &pid) == 4;
	if (count == 0 || (error < 0 && !(is_made && error == MUXBUS_ERR_COMMAND))) {
		fail(spawn, error, replies, count);
		return;
	}
	if (!is_made) {
		if (spawn->pane != MUXBUS_NO_ID) { /* tmux did not expand the whole format */
			fail(spawn, MUXBUS_ERR_TIMEOUT, NULL, 0);
			return;
		}
		request_fail(spawn->request, MESSAGE_INTERNAL,
		    "tmux made a pane but did not return its id; list_panes shows it");
		free_spawn(spawn);
		return;
	}
	parts = request_daemon(spawn->request);
	is_new_session = !muxbus_model_session(tmux_model(parts->tmux), spawn->session);
	if (!spawn->waits) {
		if (muxbus_sync_refresh_window(
			tmux_sync(parts->tmux), spawn->window, 0, on_shell_listed, spawn) < 0)
			finish(spawn);
		return;
	}
	tmux_expect(parts->tmux, spawn->pane, (pid_t)pid);
	if ((is_new_session && stream_wants_all(parts->streams)) ||
	    spawn->reports != SPAWN_REPORT_NONE)
		wait_for_output(spawn);
	else
		run_program(spawn);
}

/* Returns the name that tmux would give to a window with this command, or "sh". Caller frees. */
static char *program_name(const char *command)
{
	char *name;
	size_t len;
	const char *slash;
	if (strncmp(command, "exec ", 5) == 0)
		command += 5;
	command += strspn(command, " -(");
	len = strcspn(command, " ;|&<>()\t\n");
	slash = memrchr(command, '/', len);
	if (slash != NULL && slash + 1 < command + len) {
		len -= (size_t)(slash + 1 - command);
		command = slash + 1;
	}
	name = len > 0 ? xmemdup(command, len) : xstrdup("sh");
	/* run_program() compares the name in a tmux format, where these characters are special. */
	if (is_plain(name) && !strpbrk(name, "\\#,}"))
		return name;
	mem_free(name);
	return xstrdup("sh");
}

void spawn_run(struct request *request, struct muxbus_command *command, enum spawn_kind kind,
    const char *name, const struct spawn_args *args)
{
	struct pane_ref parent;
	struct spawn *spawn;
	int error;
	if (kind == SPAWN_SESSION && args->reports != SPAWN_REPORT_NONE &&
	    !args->command.is_given) {
		muxbus_command_free(command);
		request_fail_field(request, "reports",
		    "needs a command: a shell's token would be that of all panes of the session");
		return;
	}
	if (!requester_pane(request, NULL, &parent)) {
		muxbus_command_free(command);
		return;
	}
	spawn = new_spawn(request, args);
	spawn->parent = parent;
	requester_caller(request, &spawn->caller);
	muxbus_command_args(
	    command, "-P", "-F", "#{pane_id} #{window_id} #{session_id} #{pane_pid}", NULL);
	if (name == NULL && kind != SPAWN_PANE && spawn->waits)
		name = spawn->given = program_name(spawn->command[0]);
	if (name != NULL && kind != SPAWN_PANE) {
		muxbus_command_args(command, "-n", NULL);
		spawn_literal_arg(command, name);
	}
	add_surroundings(command, spawn);
	if (!spawn->waits)
		add_token(command, spawn);
	else
		muxbus_command_args(command, "--", "sleep", "2147483647", NULL);
	error = muxbus_sync_run(tmux_sync(tmux_of(spawn)), command, false, on_made, spawn);
	if (error < 0)
		fail(spawn, error, NULL, 0);
}
