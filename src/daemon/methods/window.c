/* SPDX-License-Identifier: ISC */
/* Methods that create and close windows and sessions. */
#include "daemon/methods/close_check.h"
#include "daemon/methods/tables.h"
#include "daemon/server/handler.h"
#include "daemon/server/spawn.h"
#include "daemon/tmux/tmux_command.h"

#define CELLS_MAX 10000
#define INDEX_MAX 1000000

struct create_window_args {
	struct spawn_args spawn;
	const char *session;
	const char *name;
	int64_t index;
	bool has_index;
	bool focus;
};

static const struct field create_window_fields[] = {
    SPAWN_FIELDS(create_window_args),
    {FIELD_ROW(BOOL, struct create_window_args, focus, "focus"), .preset = "false",
	.help = "Make it the current window of its session."},
    {FIELD_ROW(INT, struct create_window_args, index, "index"),
	.given_offset = offsetof(struct create_window_args, has_index), .max = INDEX_MAX,
	.help = "Its index in the session, which must be free; left out, the next free one."},
    {FIELD_ROW(STRING, struct create_window_args, name, "name"), .min = 1, .max = 256,
	.help = "Its name; left out, it is named after its program."},
    {FIELD_ROW(STRING, struct create_window_args, session, "session"), .min = 1, .max = 1024,
	.help = "Where, such as \"work\" or \"$1\"; left out, the caller's own."},
    {0},
};

static void handle_create_window(struct request *request, const void *data)
{
	const struct create_window_args *args = data;
	const struct muxbus_session *session;
	struct muxbus_command *command;
	if (!target_session(request, args->session, &session) ||
	    !spawn_check(request, &args->spawn) ||
	    (args->name != NULL && !spawn_check_name(request, "name", args->name, false)))
		return;
	command = tmux_command("new-window", "-t", NULL);
	if (args->has_index)
		muxbus_command_argf(command, "$%u:%d", session->id, (int)args->index);
	else
		muxbus_command_argf(command, "$%u:", session->id);
	if (!args->focus)
		muxbus_command_args(command, "-d", NULL);
	spawn_run(request, command, SPAWN_WINDOW, args->name, &args->spawn);
}

struct create_session_args {
	struct spawn_args spawn;
	const char *name;
	const char *window_name;
	int64_t width;
	int64_t height;
};

static const struct field create_session_fields[] = {
    SPAWN_FIELDS(create_session_args),
    {FIELD_ROW(INT, struct create_session_args, height, "height"), .unit = "cells", .min = 1,
	.max = CELLS_MAX, .help = "In rows, until a client attaches; left out, as tmux is set."},
    {FIELD_ROW(STRING, struct create_session_args, name, "name"), .min = 1, .max = 256,
	.help = "Its name, which must be free; left out, a number."},
    {FIELD_ROW(INT, struct create_session_args, width, "width"), .unit = "cells", .min = 1,
	.max = CELLS_MAX, .help = "In columns."},
    {FIELD_ROW(STRING, struct create_session_args, window_name, "window_name"), .min = 1,
	.max = 256, .help = "The name of its window; left out, it is named after its program."},
    {0},
};

static void handle_create_session(struct request *request, const void *data)
{
	const struct create_session_args *args = data;
	const struct pane_ref nowhere = {.pane = MUXBUS_NO_ID};
	struct spawn_args spawn = args->spawn;
	struct muxbus_command *command;
	char cwd[PATH_MAX];
	if (!spawn_check(request, &args->spawn) ||
	    (args->name != NULL && !spawn_check_name(request, "name", args->name, true)) ||
	    (args->window_name != NULL &&
		!spawn_check_name(request, "window_name", args->window_name, false)))
		return;
	/* tmux would use the directory of another session. */
	if (spawn.cwd == NULL) {
		if (!requester_cwd(request, NULL, &nowhere, cwd, sizeof cwd))
			return;
		spawn.cwd = cwd;
	}
	/* -E: the session must not get the environment of this daemon. */
	command = tmux_command("new-session", "-d", "-E", NULL);
	if (args->name != NULL) {
		muxbus_command_args(command, "-s", NULL);
		spawn_literal_arg(command, args->name);
	}
	if (args->width > 0) {
		muxbus_command_args(command, "-x", NULL);
		muxbus_command_argf(command, "%d", (int)args->width);
	}
	if (args->height > 0) {
		muxbus_command_args(command, "-y", NULL);
		muxbus_command_argf(command, "%d", (int)args->height);
	}
	spawn_run(request, command, SPAWN_SESSION, args->window_name, &spawn);
}

struct close_args {
	const char *target;
	bool force;
};

static const struct field close_window_fields[] = {
    {FIELD_ROW(STRING, struct close_args, target, "window"), .flags = FIELD_REQUIRED, .min = 1,
	.max = 1024, .help = "Which window, such as \"@1\" or \"work:0\"."},
    {FIELD_ROW(BOOL, struct close_args, force, "force"), .preset = "false",
	.help = "Also the one the caller is in, or the last one of the server."},
    {0},
};

static const struct field close_session_fields[] = {
    {FIELD_ROW(STRING, struct close_args, target, "session"), .flags = FIELD_REQUIRED, .min = 1,
	.max = 1024, .help = "Which session, such as \"work\" or \"$1\"."},
    {FIELD_ROW(BOOL, struct close_args, force, "force"), .preset = "false",
	.help = "Also the one the caller is in, or the last one of the server."},
    {0},
};

static const struct field_result close_window_results[] = {
    {"window", "string", "the id of the window that was closed"},
    {0},
};

static const struct field_result close_session_results[] = {
    {"session", "string", "the id of the session that was closed"},
    {0},
};

/* The object to close, for the answer. */
struct closed {
	const char *name;
	char sigil;
	uint32_t id;
};

static void answer_closed(struct request *request, const struct muxbus_reply *replies UNUSED,
    size_t count UNUSED, void *context)
{
	const struct closed *closed = context;
	json_put_id(request_result(request), closed->name, closed->sigil, closed->id);
	request_done(request);
}

/* Closes with one command, since several commands can end the server up to tmux 3.7c. */
static void close_by(struct request *request, const char *name, struct closed closed)
{
	tmux_call(request, tmux_command(name, "-t", TMUX_ID(closed.sigil, closed.id), NULL), true,
	    answer_closed, xmemdup(&closed, sizeof closed));
}

static void handle_close_window(struct request *request, const void *data)
{
	const struct close_args *args = data;
	const struct muxbus_window *window;
	if (!target_window(request, args->target, &window) ||
	    (!args->force && !guard_window(request, window)))
		return;
	close_by(request, "kill-window", (struct closed){"window", '@', window->id});
}

static void handle_close_session(struct request *request, const void *data)
{
	const struct close_args *args = data;
	const struct muxbus_session *session;
	if (!target_session(request, args->target, &session) ||
	    (!args->force && !guard_session(request, session)))
		return;
	close_by(request, "kill-session", (struct closed){"session", '$', session->id});
}

const struct method methods_window[] = {
    {.name = METHOD("close_session", METHOD_CLOSES),
	.title = "Close a session",
	.summary = "Closes a session, and the windows that no other session holds.",
	.help = "The caller's own session and the last one of the server are refused without "
		"force.",
	METHOD_CALL(handle_close_session, close_args, close_session_fields, close_session_results),
	.flags = METHOD_NEEDS_TMUX,
	.recheck = "list_panes",
	.example = "{\"session\":\"build\"}"},
    {.name = METHOD("close_window", METHOD_CLOSES),
	.title = "Close a window",
	.summary = "Closes a window with all its panes.",
	.help = "The caller's own window and the last one of the server are refused without force.",
	METHOD_CALL(handle_close_window, close_args, close_window_fields, close_window_results),
	.flags = METHOD_NEEDS_TMUX,
	.recheck = "list_panes",
	.example = "{\"window\":\"@2\"}"},
    {.name = METHOD("create_session", METHOD_RUNS),
	.title = "Create a session",
	.summary = "Creates a detached session with one window.",
	METHOD_CALL(
	    handle_create_session, create_session_args, create_session_fields, spawn_results),
	.flags = METHOD_NEEDS_TMUX,
	.recheck = "list_panes",
	.example = "{\"name\":\"build\",\"command\":\"make watch\"}"},
    {.name = METHOD("create_window", METHOD_RUNS),
	.title = "Create a window",
	.summary = "Makes a window in a session and runs a command in it.",
	METHOD_CALL(handle_create_window, create_window_args, create_window_fields, spawn_results),
	.flags = METHOD_NEEDS_TMUX,
	.recheck = "list_panes",
	.example = "{\"session\":\"work\",\"name\":\"logs\",\"command\":\"tail -f log\"}"},
    {0},
};
