/* SPDX-License-Identifier: ISC */
/*
 * Starts the program of an agent in a window of its own, whose size stays when clients attach. A
 * waiting program holds the pane until the pane's output is watched, or until a timeout. Then the
 * agent's program replaces it, so that the agent's first output is not missed. Also: the failure of
 * a program (agent_failure_*).
 */
#include "daemon/agent/agent_private.h"

#include "base/file.h"
#include "daemon/agent/agent_monitor.h"
#include "daemon/pane/reporter.h"
#include "daemon/queue/queue.h"
#include "daemon/server/spawn.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tmux_command.h"
#include "io/loop_timer.h"

/* tmux's own line in a dead pane scrolls the screen, so lines above the screen are read too. */
#define HISTORY_FROM "-20"

enum {
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127,
	LINES_MAX = 5,
	LINE_MAX_BYTES = 200, /* bytes that are shown of a line of output */
	OUTPUT_MAX = LINES_MAX * (4 * LINE_MAX_BYTES + 8), /* control bytes are escaped */
};

/* The agent may be freed before tmux replies. */
struct agent_last_words {
	struct agent *agent; /* NULL: it was freed */
	void (*done)(struct agent *agent);
};

static bool is_executable(const char *program)
{
	char file[PATH_MAX];
	if (strchr(program, '/') != NULL)
		return access(program, X_OK) == 0;
	return file_find_program(program, getenv("PATH"), file, sizeof file);
}

bool agent_failure_note(struct agent *agent)
{
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(agent->set->parts->tmux), agent->pane.pane);
	if (pane == NULL || !pane->is_dead)
		return false;
	agent->exit_status = pane->exit_status;
	agent->exit_signal = pane->exit_signal;
	return true;
}

bool agent_failure_is_known(struct agent *agent)
{
	if (!agent->is_adopted)
		return agent_failure_note(agent);
	/* The pane has the status of its first process; an adopted agent may be another process. */
	return agent->program.pid == agent->pane.pane_pid &&
	    (agent_failure_note(agent) || agent->exit_status >= 0 || agent->exit_signal > 0);
}

void agent_failure_describe(const struct agent *agent, char *out, size_t size)
{
	const char *program = agent->spec.command[0];
	if (agent->exit_signal > 0)
		snprintf(out, size, "its program was killed by signal %d", agent->exit_signal);
	else if (agent->exit_status == STATUS_NOT_FOUND)
		snprintf(out, size, "its program was not found, exit status 127");
	else if (agent->exit_status == STATUS_NOT_EXECUTABLE)
		snprintf(out, size, "its program cannot be executed, exit status 126");
	else if (agent->exit_status == 1 && !agent->was_ready && agent->spec.command[1] != NULL &&
	    !is_executable(program))
		snprintf(out, size, "its program \"%.60s\" cannot be executed: %s", program,
		    strchr(program, '/') != NULL ? strerror(errno) : "not found in PATH");
	else if (agent->exit_status >= 0)
		snprintf(
		    out, size, "its program has ended with exit status %d", agent->exit_status);
	else
		snprintf(out, size, "its program has ended");
}

static const char *take_last_line(const char *text, size_t *len, size_t *ret_line_len)
{
	size_t end;
	while (*len > 0 && strchr(" \t\n", text[*len - 1]) != NULL)
		--*len;
	end = *len;
	while (*len > 0 && text[*len - 1] != '\n')
		--*len;
	*ret_line_len = end - *len;
	return end > 0 ? text + *len : NULL;
}

/* Appends the last lines of a dead pane, without the line that tmux adds. */
static void append_last_lines(struct buf *out, const char *text, size_t len)
{
	static const char own[] = "Pane is dead";
	const char *lines[LINES_MAX], *last;
	size_t lens[LINES_MAX], count = 0, full = len;
	last = take_last_line(text, &len, &lens[0]);
	if (last == NULL || lens[0] < sizeof own - 1 || memcmp(last, own, sizeof own - 1) != 0)
		len = full;
	while (
	    count < LINES_MAX && (lines[count] = take_last_line(text, &len, &lens[count])) != NULL)
		count++;
	while (count-- > 0) {
		bool is_long = lens[count] > LINE_MAX_BYTES;
		size_t kept = is_long ? LINE_MAX_BYTES : lens[count];
		while (is_long && kept > 0 && ((unsigned char)lines[count][kept] & 0xc0) == 0x80)
			kept--;
		(void)str_append_visible(out, lines[count], kept);
		(void)buf_append_str(out, is_long ? "…" : "");
		(void)buf_append_str(out, count > 0 ? "\n" : "");
	}
}

static void keep_output(struct agent *agent, const struct muxbus_reply *reply)
{
	struct buf kept = BUF(OUTPUT_MAX);
	append_last_lines(&kept, (const char *)reply->body, reply->body_len);
	mem_free(agent->output);
	agent->output = kept.len > 0 ? xmemdup(kept.data, kept.len) : NULL;
	buf_finish(&kept);
}

static void on_captured(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_last_words *words = data;
	struct agent *agent = words->agent;
	void (*done)(struct agent * agent) = words->done;
	mem_free(words);
	if (agent == NULL)
		return;
	agent->last_words = NULL;
	if (error == 0 && count > 0)
		keep_output(agent, &replies[0]);
	done(agent);
}

bool agent_failure_read(struct agent *agent, void (*done)(struct agent *agent))
{
	struct muxbus_command *command = tmux_command("capture-pane", "-p", "-J", "-S",
	    HISTORY_FROM, "-t", TMUX_ID('%', agent->pane.pane), NULL);
	struct agent_last_words *words = xcalloc(1, sizeof *words);
	*words = (struct agent_last_words){.agent = agent, .done = done};
	if (muxbus_sync_run(
		tmux_sync(agent->set->parts->tmux), command, false, on_captured, words) < 0) {
		mem_free(words);
		return false;
	}
	agent->last_words = words;
	return true;
}

void agent_failure_forget(struct agent *agent)
{
	if (agent->last_words != NULL)
		agent->last_words->agent = NULL;
}

void agent_failure_close(struct agent *agent)
{
	struct tmux *tmux = agent->set->parts->tmux;
	struct muxbus_model_counts counts;
	muxbus_model_counts(tmux_model(tmux), &counts);
	if (counts.panes < 2)
		return;
	tmux_tell(tmux, tmux_command("kill-pane", "-t", TMUX_ID('%', agent->pane.pane), NULL));
	agent_monitor_drop(agent->monitor);
	pane_ref_clear(&agent->pane);
}

void agent_failure_notify(const struct agent *agent, bool is_last)
{
	struct queue *queue = agent->set->parts->queue;
	struct notification_draft draft = {
	    .source = SOURCE_CONDITION, .pane = &agent->teller, .is_urgent = is_last};
	const char *end = " crashed; it is started again";
	char text[200], key[AGENT_NAME_MAX + 16];
	struct json_writer writer;
	struct buf data;
	if (is_last)
		end = agent->is_adopted ? " has ended"
					: " crashed, and is not started again: ensure_agent does";
	snprintf(text, sizeof text, "agent %s%s", agent->spec.name, end);
	snprintf(key, sizeof key, "agent:%s:%s", agent->spec.name, is_last ? "end" : "crash");
	json_start_object(&writer, &data, AGENT_JSON_MAX);
	agent_write(&writer, agent);
	json_object_end(&writer);
	draft.text = text;
	draft.key = key;
	draft.data = (const char *)data.data;
	(void)queue_post(queue, &draft);
	buf_finish(&data);
}

#define SESSION_PREFIX "agent-"
#define WAITING_PROGRAM "sleep", "2147483647"

enum { ERROR_SIZE = 300, FLOW_MAX_MS = 3000 };

struct agent_launch {
	struct agent *agent; /* valid while handlers is not NULL */
	const struct daemon *parts;
	struct tmux *tmux;
	char **command; /* as in agent_launch_start() */
	char token[REPORTER_TOKEN_SIZE];
	const struct agent_spec *spec;
	const struct agent_launch_handlers *handlers; /* NULL: the launch was cancelled */
	uint32_t session, window, pane;
	struct loop_timer *timer;
	bool is_waiting; /* the program does not run yet: it waits for agent_launch_flows() */
	bool is_again; /* the window is made in an existing session */
	bool is_unnamed; /* the session's name is in use */
};

static void launch_end(struct agent_launch *launch, const char *error)
{
	struct pane_ref pane;
	if (launch->pane != MUXBUS_NO_ID)
		tmux_expect(launch->tmux, launch->pane, 0);
	pane_ref_of(launch->tmux, launch->pane, &pane);
	if (error == NULL && pane.pane == MUXBUS_NO_ID)
		error = "its pane was closed while it started";
	if (launch->handlers != NULL)
		launch->handlers->done(launch->agent, &pane, error);
	loop_timer_free(launch->timer);
	mem_free_strings(launch->command);
	mem_free(launch);
}

static void close_made(struct agent_launch *launch)
{
	bool is_pane = launch->is_again;
	uint32_t id = is_pane ? launch->pane : launch->session;
	if (id == MUXBUS_NO_ID)
		return;
	tmux_tell(launch->tmux,
	    tmux_command(is_pane ? "kill-pane" : "kill-session", "-t",
		TMUX_ID(is_pane ? '%' : '$', id), NULL));
}

static void launch_fail(
    struct agent_launch *launch, int error, const struct muxbus_reply *replies, size_t count)
{
	const char *text = muxbus_strerror(error);
	char words[ERROR_SIZE];
	for (size_t at = 0; at < count; at++)
		if (replies[at].error != 0 && replies[at].body_len > 0)
			text = (const char *)replies[at].body;
	snprintf(words, sizeof words, "%.*s", (int)strcspn(text, "\n"), text);
	close_made(launch);
	launch_end(launch, words);
}

static bool may_go_on(
    struct agent_launch *launch, int error, const struct muxbus_reply *replies, size_t count)
{
	if (error < 0) {
		launch_fail(launch, error, replies, count);
		return false;
	}
	if (launch->handlers == NULL) {
		close_made(launch);
		launch_end(launch, "it is not wanted any more");
		return false;
	}
	return true;
}

static void run(struct agent_launch *launch, struct muxbus_command *command, muxbus_reply_fn *reply)
{
	int error = muxbus_sync_run(tmux_sync(launch->tmux), command, false, reply, launch);
	if (error < 0)
		launch_fail(launch, error, NULL, 0);
}

static void add_surroundings(struct muxbus_command *command, const struct agent_spec *spec)
{
	muxbus_command_args(command, "-c", (char *)NULL);
	spawn_literal_arg(command, spec->cwd);
	for (char *const *entry = spec->env; *entry != NULL; entry++)
		muxbus_command_args(command, "-e", *entry, (char *)NULL);
}

static void on_running(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_launch *launch = data;
	struct muxbus_sync *sync = tmux_sync(launch->tmux);
	if (!may_go_on(launch, error, replies, count))
		return;
	if (muxbus_sync_adopt_pane(sync, launch->pane, true) == 0)
		(void)muxbus_sync_refresh_window(
		    sync, launch->window, 0, NULL, NULL); /* the program may have ended already */
	reporter_settle(launch->parts->reporters, launch->pane);
	launch_end(launch, NULL);
}

static void run_program(struct agent_launch *launch)
{
	const struct agent_spec *spec = launch->spec;
	struct muxbus_command *command = tmux_command(
	    "set-option", "-p", "-t", TMUX_ID('%', launch->pane), "remain-on-exit", "on", NULL);
	int error;
	muxbus_command_next(command);
	muxbus_command_args(
	    command, "resize-window", "-t", TMUX_ID('@', launch->window), "-x", NULL);
	muxbus_command_argf(command, "%" PRId64, spec->width);
	muxbus_command_args(command, "-y", (char *)NULL);
	muxbus_command_argf(command, "%" PRId64, spec->height);
	muxbus_command_next(command);
	muxbus_command_args(command, "respawn-pane", "-k", "-t", TMUX_ID('%', launch->pane), NULL);
	add_surroundings(command, spec);
	muxbus_command_args(command, "-e", (char *)NULL);
	muxbus_command_argf(command, REPORTER_VARIABLE "=%s", launch->token);
	muxbus_command_args(command, "--", (char *)NULL);
	for (char *const *word = launch->command != NULL ? launch->command : spec->command;
	     *word != NULL; word++)
		muxbus_command_args(command, *word, (char *)NULL);
	error = muxbus_sync_run_in_window(
	    tmux_sync(launch->tmux), command, launch->window, on_running, launch);
	if (error < 0)
		launch_fail(launch, error, NULL, 0);
}

/* The output is watched, FLOW_MAX_MS is over (output may be missed), or the launch is cancelled. */
static void on_timer(void *data)
{
	struct agent_launch *launch = data;
	launch->is_waiting = false;
	if (may_go_on(launch, 0, NULL, 0))
		run_program(launch);
}

void agent_launch_flows(struct agent_launch *launch)
{
	if (launch->is_waiting)
		loop_timer_arm(launch->timer, 0);
}

static void on_listed(void *data, int error)
{
	struct agent_launch *launch = data;
	struct pane_ref pane;
	if (!may_go_on(launch, error, NULL, 0))
		return;
	pane_ref_of(launch->tmux, launch->pane, &pane);
	if (pane.pane == MUXBUS_NO_ID) {
		launch_end(launch, "its pane was closed while it started");
		return;
	}
	if (launch->parts->reporters != NULL)
		reporter_add(launch->parts->reporters, launch->pane, &launch->agent->teller,
		    launch->token, launch->spec->wants_notices);
	launch->is_waiting = true;
	loop_timer_arm(launch->timer, FLOW_MAX_MS);
	launch->handlers->made(launch->agent, &pane);
}

static void follow(struct agent_launch *launch)
{
	int error = muxbus_sync_refresh_window(
	    tmux_sync(launch->tmux), launch->window, 0, on_listed, launch);
	if (error < 0)
		launch_fail(launch, error, NULL, 0);
}

static void take_window(struct agent_launch *launch, const struct muxbus_reply *reply)
{
	int pid;
	if (reply == NULL ||
	    sscanf((const char *)reply->body, "@%" SCNu32 " %%%" SCNu32 " %d", &launch->window,
		&launch->pane, &pid) != 3) {
		launch_fail(launch, MUXBUS_ERR_SYNTAX, NULL, 0);
		return;
	}
	tmux_expect(launch->tmux, launch->pane, (pid_t)pid);
	follow(launch);
}

static void add_window(struct muxbus_command *command, const struct agent_launch *launch)
{
	muxbus_command_args(command, "new-window", "-d", "-P", "-F",
	    "#{window_id} #{pane_id} #{pane_pid}", "-t", (char *)NULL);
	muxbus_command_argf(command, "$%" PRIu32 ":", launch->session);
	muxbus_command_args(command, "-n", (char *)NULL);
	spawn_literal_arg(command, launch->spec->name);
	add_surroundings(command, launch->spec);
	muxbus_command_args(command, "--", WAITING_PROGRAM, (char *)NULL);
	muxbus_command_next(command);
}

static void on_window(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_launch *launch = data;
	/*
	 * The second command made the window. An error of a later one only means that a hook
	 * failed, or that the first window stays.
	 */
	if (count > 1 && replies[1].error == 0)
		error = 0;
	if (may_go_on(launch, error, replies, count))
		take_window(launch, count > 1 ? &replies[1] : NULL);
}

/* tmux applies history-limit when it makes a pane, so the first window is replaced by another. */
static void on_session(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_launch *launch = data;
	const struct agent_spec *spec = launch->spec;
	struct muxbus_command *command;
	uint32_t first;
	if (!may_go_on(launch, error, replies, count))
		return;
	if (count < 1 ||
	    sscanf((const char *)replies[0].body, "$%" SCNu32 " @%" SCNu32, &launch->session,
		&first) != 2) {
		launch_fail(launch, MUXBUS_ERR_SYNTAX, NULL, 0);
		return;
	}
	command =
	    tmux_command("set-option", "-t", TMUX_ID('$', launch->session), "history-limit", NULL);
	muxbus_command_argf(command, "%" PRId64, spec->history_limit);
	muxbus_command_next(command);
	add_window(command, launch);
	muxbus_command_args(command, "kill-window", "-t", TMUX_ID('@', first), NULL);
	run(launch, command, on_window);
}

/* Names of sessions cannot have '.' and ':'. */
static void add_session_name(struct muxbus_command *command, const struct agent_spec *spec)
{
	char name[sizeof SESSION_PREFIX + AGENT_NAME_MAX];
	snprintf(name, sizeof name, SESSION_PREFIX "%s", spec->name);
	for (char *at = name; *at != '\0'; at++)
		if (*at == '.' || *at == ':')
			*at = '_';
	muxbus_command_args(command, "-s", name, (char *)NULL);
}

static void make_session(struct agent_launch *launch, muxbus_reply_fn *reply)
{
	const struct agent_spec *spec = launch->spec;
	/* -E: tmux does not copy variables of this daemon (update-environment) to the session. */
	struct muxbus_command *command = tmux_command(
	    "new-session", "-d", "-E", "-P", "-F", "#{session_id} #{window_id}", "-x", NULL);
	muxbus_command_argf(command, "%" PRId64, spec->width);
	muxbus_command_args(command, "-y", (char *)NULL);
	muxbus_command_argf(command, "%" PRId64, spec->height);
	if (!launch->is_unnamed)
		add_session_name(command, spec);
	add_surroundings(command, spec);
	muxbus_command_args(command, "--", WAITING_PROGRAM, (char *)NULL);
	run(launch, command, reply);
}

/* If the name is in use, a session without a name is made: tmux chooses a number. */
static void on_named_session(
    void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_launch *launch = data;
	if (error == MUXBUS_ERR_COMMAND && count > 0 &&
	    strstr((const char *)replies[0].body, "duplicate session") != NULL &&
	    launch->handlers != NULL) {
		launch->is_unnamed = true;
		make_session(launch, on_session);
		return;
	}
	on_session(data, error, replies, count);
}

static void on_next_window(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_launch *launch = data;
	/* The first command made the window. If a later one fails, only the old pane stays. */
	if (count > 0 && replies[0].error == 0)
		error = 0;
	if (may_go_on(launch, error, replies, count))
		take_window(launch, count > 0 ? &replies[0] : NULL);
}

/*
 * Makes a new window instead of respawning the old pane, whose last bytes would be mixed with the
 * output of the new program.
 */
static void make_next_window(struct agent_launch *launch, const struct pane_ref *old)
{
	struct muxbus_command *command = tmux_command_new();
	add_window(command, launch);
	muxbus_command_args(command, "kill-pane", "-t", TMUX_ID('%', old->pane), NULL);
	run(launch, command, on_next_window);
}

static uint32_t find_session(const struct tmux *tmux, uint32_t id)
{
	const struct muxbus_model *model = tmux_model(tmux);
	const struct muxbus_pane *pane = muxbus_model_pane(model, id);
	const struct muxbus_link *link;
	if (pane == NULL || muxbus_model_window_links(model, pane->window, &link) == 0)
		return MUXBUS_NO_ID;
	return link->session;
}

bool agent_launch_start(
    struct agent *agent, char **command, const struct agent_launch_handlers *handlers)
{
	const struct daemon *parts = agent->set->parts;
	struct agent_launch *launch;
	if (!tmux_is_live(parts->tmux)) {
		mem_free_strings(command);
		return false;
	}
	launch = xcalloc(1, sizeof *launch);
	launch->agent = agent;
	launch->parts = parts;
	launch->timer = loop_timer_new(parts->base, on_timer, launch);
	launch->tmux = parts->tmux;
	launch->command = command;
	reporter_new_token(launch->token);
	launch->spec = &agent->spec;
	launch->handlers = handlers;
	launch->session = launch->window = launch->pane = MUXBUS_NO_ID;
	agent->launch = launch;
	if (agent_has_pane(agent))
		launch->session = find_session(parts->tmux, agent->pane.pane);
	if (launch->session != MUXBUS_NO_ID) {
		launch->is_again = true;
		make_next_window(launch, &agent->pane);
	} else {
		make_session(launch, on_named_session);
	}
	return true;
}

void agent_launch_cancel(struct agent_launch *launch)
{
	launch->handlers = NULL;
	if (launch->is_waiting)
		on_timer(launch); /* frees the launch, as no callback is pending */
}
