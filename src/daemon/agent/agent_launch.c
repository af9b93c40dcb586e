/* SPDX-License-Identifier: ISC */
/* Starts the program of an agent in a window of its own. */
#include "daemon/agent/agent_launch.h"

#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/pane/reporter.h"
#include "daemon/server/spawn.h"
#include "daemon/tmux/pane_fate.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

#define SESSION_PREFIX "agent-"
#define WAITING_PROGRAM "sleep", "2147483647"

enum { ERROR_SIZE = 300, FLOW_MAX_MS = 3000 };

struct agent_launch {
	struct agent_launch_parts parts;
	struct tmux *tmux;
	char token[REPORTER_TOKEN_SIZE];
	const struct agent_spec *plan;
	const struct agent_launch_handlers *handlers; /* NULL: cancelled */
	void *data;
	uint32_t session, window, pane;
	struct loop_timer *timer;
	bool is_waiting; /* for its output to flow */
	bool is_again; /* in a session that was there */
	bool is_unnamed; /* the name of its session was taken */
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
		launch->handlers->done(launch->data, &pane, error);
	loop_timer_free(launch->timer);
	mem_free(launch);
}

/* Closes what was made for nothing. */
static void close_made(struct agent_launch *launch)
{
	struct muxbus_command *command;
	bool is_pane = launch->is_again;
	if ((is_pane ? launch->pane : launch->session) == MUXBUS_NO_ID ||
	    muxbus_command_new(&command) < 0)
		return;
	muxbus_command_args(command, is_pane ? "kill-pane" : "kill-session", "-t", (char *)NULL);
	if (is_pane)
		muxbus_command_argf(command, "%%%" PRIu32, launch->pane);
	else
		muxbus_command_argf(command, "$%" PRIu32, launch->session);
	(void)muxbus_sync_run(tmux_sync(launch->tmux), command, false, tmux_ignore_reply, NULL);
}

/* The end of one that tmux refused. */
static void launch_fail(
    struct agent_launch *launch, int error, const struct muxbus_reply *replies, size_t count)
{
	const char *text = muxbus_strerror(error);
	char words[ERROR_SIZE];
	for (size_t at = 0; at < count; at++) {
		if (replies[at].error != 0 && replies[at].body_len > 0)
			text = (const char *)replies[at].body;
	}
	snprintf(words, sizeof words, "%.*s", (int)strcspn(text, "\n"), text);
	close_made(launch);
	launch_end(launch, words);
}

/* Whether the next step may be taken; ends the launch if not. */
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

static struct muxbus_command *new_command(struct agent_launch *launch)
{
	struct muxbus_command *command;
	int error = muxbus_command_new(&command);
	if (error == 0)
		return command;
	launch_fail(launch, error, NULL, 0);
	return NULL;
}

static void add_surroundings(struct muxbus_command *command, const struct agent_spec *plan)
{
	muxbus_command_args(command, "-c", (char *)NULL);
	spawn_literal_arg(command, plan->cwd);
	for (char *const *entry = plan->env; *entry != NULL; entry++)
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
		    sync, launch->window, 0, NULL, NULL); /* it may have ended already */
	reporter_settle(launch->parts.reporters, launch->pane);
	launch_end(launch, NULL);
}

static void run_program(struct agent_launch *launch)
{
	const struct agent_spec *plan = launch->plan;
	struct muxbus_command *command = new_command(launch);
	int error;
	if (command == NULL)
		return;
	muxbus_command_args(command, "set-option", "-p", "-t", (char *)NULL);
	muxbus_command_argf(command, "%%%" PRIu32, launch->pane);
	muxbus_command_args(command, "remain-on-exit", "on", (char *)NULL);
	muxbus_command_next(command);
	/* It keeps its size, also when clients attach. */
	muxbus_command_args(command, "resize-window", "-t", (char *)NULL);
	muxbus_command_argf(command, "@%" PRIu32, launch->window);
	muxbus_command_args(command, "-x", (char *)NULL);
	muxbus_command_argf(command, "%" PRId64, plan->width);
	muxbus_command_args(command, "-y", (char *)NULL);
	muxbus_command_argf(command, "%" PRId64, plan->height);
	muxbus_command_next(command);
	muxbus_command_args(command, "respawn-pane", "-k", "-t", (char *)NULL);
	muxbus_command_argf(command, "%%%" PRIu32, launch->pane);
	add_surroundings(command, plan);
	muxbus_command_args(command, "-e", (char *)NULL);
	muxbus_command_argf(command, REPORTER_VARIABLE "=%s", launch->token);
	muxbus_command_args(command, "--", (char *)NULL);
	for (char *const *word = plan->command; *word != NULL; word++)
		muxbus_command_args(command, *word, (char *)NULL);
	error = muxbus_sync_run_in_window(
	    tmux_sync(launch->tmux), command, launch->window, on_running, launch);
	if (error < 0)
		launch_fail(launch, error, NULL, 0);
}

/* Its output flows, or the time for that is up: then its first bytes may be missed. */
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
	if (launch->parts.reporters != NULL)
		reporter_add(launch->parts.reporters, launch->pane, &launch->parts.parent,
		    launch->token, launch->plan->wants_notices);
	launch->is_waiting = true;
	loop_timer_arm(launch->timer, FLOW_MAX_MS);
	launch->handlers->made(launch->data, &pane);
}

static void follow(struct agent_launch *launch)
{
	int error = muxbus_sync_refresh_window(
	    tmux_sync(launch->tmux), launch->window, 0, on_listed, launch);
	if (error < 0)
		launch_fail(launch, error, NULL, 0);
}

/* Reads which window was made. */
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

/* Adds the command that makes a window in its session, with a program that only waits. */
static void add_window(struct muxbus_command *command, const struct agent_launch *launch)
{
	muxbus_command_args(command, "new-window", "-d", "-P", "-F",
	    "#{window_id} #{pane_id} #{pane_pid}", "-t", (char *)NULL);
	muxbus_command_argf(command, "$%" PRIu32 ":", launch->session);
	muxbus_command_args(command, "-n", (char *)NULL);
	spawn_literal_arg(command, launch->plan->name);
	add_surroundings(command, launch->plan);
	muxbus_command_args(command, "--", WAITING_PROGRAM, (char *)NULL);
	muxbus_command_next(command);
}

static void on_window(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_launch *launch = data;
	if (may_go_on(launch, error, replies, count))
		take_window(launch, count > 1 ? &replies[1] : NULL);
}

/*
 * The history's limit is an option of sessions that counts when a pane is made: so the
 * session is made first, with a window that goes again.
 */
static void on_session(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_launch *launch = data;
	const struct agent_spec *plan = launch->plan;
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
	command = new_command(launch);
	if (command == NULL)
		return;
	muxbus_command_args(command, "set-option", "-t", (char *)NULL);
	muxbus_command_argf(command, "$%" PRIu32, launch->session);
	muxbus_command_args(command, "history-limit", (char *)NULL);
	muxbus_command_argf(command, "%" PRId64, plan->history_limit);
	muxbus_command_next(command);
	add_window(command, launch);
	muxbus_command_args(command, "kill-window", "-t", (char *)NULL);
	muxbus_command_argf(command, "@%" PRIu32, first);
	run(launch, command, on_window);
}

/* Sessions have no '.' and ':' in their names. */
static void add_session_name(struct muxbus_command *command, const struct agent_spec *plan)
{
	char name[sizeof SESSION_PREFIX + AGENT_NAME_MAX];
	snprintf(name, sizeof name, SESSION_PREFIX "%s", plan->name);
	for (char *at = name; *at != '\0'; at++) {
		if (*at == '.' || *at == ':')
			*at = '_';
	}
	muxbus_command_args(command, "-s", name, (char *)NULL);
}

static void make_session(struct agent_launch *launch, muxbus_reply_fn *reply)
{
	const struct agent_spec *plan = launch->plan;
	struct muxbus_command *command = new_command(launch);
	if (command == NULL)
		return;
	/* -E: the environment of this daemon is nothing that a session should have. */
	muxbus_command_args(command, "new-session", "-d", "-E", "-P", "-F",
	    "#{session_id} #{window_id}", "-x", (char *)NULL);
	muxbus_command_argf(command, "%" PRId64, plan->width);
	muxbus_command_args(command, "-y", (char *)NULL);
	muxbus_command_argf(command, "%" PRId64, plan->height);
	if (!launch->is_unnamed)
		add_session_name(command, plan);
	add_surroundings(command, plan);
	muxbus_command_args(command, "--", WAITING_PROGRAM, (char *)NULL);
	run(launch, command, reply);
}

/* A name that is taken is no reason to fail: tmux then numbers the session. */
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
	/* That the old pane could not be closed is no harm. */
	if (count > 0 && replies[0].error == 0)
		error = 0;
	if (may_go_on(launch, error, replies, count))
		take_window(launch, count > 0 ? &replies[0] : NULL);
}

/*
 * Another window of its session, and the old pane goes. It is not started again in that: what
 * the old program wrote last makes tmux hand over the output of a new one late by as many
 * bytes, and it would be mixed with the old.
 */
static void make_next_window(struct agent_launch *launch, const struct pane_ref *old)
{
	struct muxbus_command *command = new_command(launch);
	if (command == NULL)
		return;
	add_window(command, launch);
	muxbus_command_args(command, "kill-pane", "-t", (char *)NULL);
	muxbus_command_argf(command, "%%%" PRIu32, old->pane);
	run(launch, command, on_next_window);
}

/* The session that a pane is in. */
static uint32_t find_session(const struct tmux *tmux, uint32_t id)
{
	const struct muxbus_model *model = tmux_model(tmux);
	const struct muxbus_pane *pane = muxbus_model_pane(model, id);
	const struct muxbus_link *link = NULL;
	while (pane != NULL && (link = muxbus_model_next_link(model, link)) != NULL) {
		if (link->window == pane->window)
			return link->session;
	}
	return MUXBUS_NO_ID;
}

bool agent_launch_start(const struct agent_launch_parts *parts, const struct agent_spec *plan,
    const struct pane_ref *pane, const struct agent_launch_handlers *handlers, void *data,
    struct agent_launch **ret_launch)
{
	struct agent_launch *launch;
	if (!tmux_is_live(parts->tmux))
		return false;
	launch = xcalloc(1, sizeof *launch);
	launch->parts = *parts;
	launch->timer = loop_timer_new(parts->base, on_timer, launch);
	launch->tmux = parts->tmux;
	reporter_new_token(launch->token);
	launch->plan = plan;
	launch->handlers = handlers;
	launch->data = data;
	launch->session = launch->window = launch->pane = MUXBUS_NO_ID;
	*ret_launch = launch;
	if (pane != NULL)
		launch->session = find_session(parts->tmux, pane->pane);
	if (launch->session != MUXBUS_NO_ID) {
		launch->is_again = true;
		make_next_window(launch, pane);
	} else {
		make_session(launch, on_named_session);
	}
	return true;
}

void agent_launch_cancel(struct agent_launch *launch)
{
	launch->handlers = NULL;
	if (launch->is_waiting)
		on_timer(launch); /* nothing else will */
}
