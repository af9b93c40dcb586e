/* SPDX-License-Identifier: ISC */
/* Methods that create and close panes, windows and sessions, and that resize and focus a pane. */
#include "daemon/methods/close_check.h"
#include "daemon/methods/tables.h"
#include "daemon/server/handler.h"
#include "daemon/server/spawn.h"
#include "daemon/tmux/tmux_command.h"

#define CELLS_MAX 10000
#define INDEX_MAX 1000000

struct object {
	const char *name;
	char sigil;
	uint32_t id;
};

static void answer(struct request *request, const struct muxbus_reply *replies UNUSED,
    size_t count UNUSED, void *context)
{
	const struct object *object = context;
	json_put_id(request_result(request), object->name, object->sigil, object->id);
	request_done(request);
}

static void run(struct request *request, struct muxbus_command *command,
    const struct muxbus_pane *pane, tmux_call_fn *answer_it)
{
	struct object object = {"pane", '%', pane->id};
	tmux_call_in_window(
	    request, command, pane->window, answer_it, xmemdup(&object, sizeof object));
}

static void add_size(struct muxbus_command *command, int64_t width, int64_t height)
{
	if (width > 0) {
		muxbus_command_args(command, "-x", NULL);
		muxbus_command_argf(command, "%d", (int)width);
	}
	if (height > 0) {
		muxbus_command_args(command, "-y", NULL);
		muxbus_command_argf(command, "%d", (int)height);
	}
}

static const struct field_result pane_results[] = {
    {"pane", "string", "the id of the pane it applied to"},
    {0},
};

enum direction { DIRECTION_VERTICAL, DIRECTION_HORIZONTAL };

static const char *const directions[] = {
    [DIRECTION_VERTICAL] = "vertical",
    [DIRECTION_HORIZONTAL] = "horizontal",
    NULL,
};

struct create_pane_args {
	struct spawn_args spawn;
	const char *pane;
	int direction;
	const struct json *size;
	bool focus;
};

static const struct field create_pane_fields[] = {
    SPAWN_FIELDS(create_pane_args),
    {FIELD_ROW(CHOICE, struct create_pane_args, direction, "direction"), .choices = directions,
	.preset = "\"vertical\"",
	.help = "Where the new pane lies: vertical, below the old one; horizontal, right of it."},
    {FIELD_ROW(BOOL, struct create_pane_args, focus, "focus"), .flags = FIELD_RARE,
	.preset = "false", .help = "Make it the active pane of its window."},
    {FIELD_ROW(STRING, struct create_pane_args, pane, "pane"), .min = 1, .max = 1024,
	.help = "The pane to split, such as \"%3\"; left out, the caller's own."},
    {.name = "pane_id", .flags = FIELD_ALIAS},
    {.name = "size",
	.type = FIELD_VALUE,
	.offset = offsetof(struct create_pane_args, size),
	.help = "Its rows or columns, or a share such as \"30%\"; left out, half.",
	.shape = "\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]"},
    {0},
};

static bool read_size(struct request *request, const struct json *size, char *out, size_t out_size)
{
	int64_t number = 0;
	const char *unit = "";
	bool is_right = json_int(size, &number) && number >= 1 && number <= CELLS_MAX;
	if (size->type == JSON_STRING) {
		char *end;
		number = strtol(size->text, &end, 10);
		unit = strcmp(end, "%") == 0 ? "%" : "";
		is_right = end > size->text && size->text[0] >= '0' && size->text[0] <= '9' &&
		    (unit[0] ? number >= 1 && number <= 99
			     : *end == '\0' && number >= 1 && number <= CELLS_MAX);
	}
	if (!is_right)
		return request_fail_field(request, "size",
		    "must be a number of cells from 1 to %d, or a share from \"1%%\" to \"99%%\"",
		    CELLS_MAX);
	snprintf(out, out_size, "%d%s", (int)number, unit);
	return true;
}

/* Finds the pane that a split affects. Refuses "focus": a person's keys would go to a new pane. */
static bool affects_split(struct request *request, const void *data, struct pane_ref *ret_pane)
{
	const struct create_pane_args *args = data;
	if (args->focus)
		return role_refuse(request, "create_pane with focus moves where a person types");
	return role_affects_pane(request, data, ret_pane);
}

static void handle_create_pane(struct request *request, const void *data)
{
	const struct create_pane_args *args = data;
	const struct muxbus_pane *pane;
	char size[32] = "";
	struct muxbus_command *command;
	if (!target_pane(request, args->pane, &pane) || !spawn_check(request, &args->spawn))
		return;
	if (args->size != NULL && !read_size(request, args->size, size, sizeof size))
		return;
	command =
	    tmux_command("split-window", args->direction == DIRECTION_HORIZONTAL ? "-h" : "-v",
		"-t", TMUX_ID('%', pane->id), NULL);
	if (!args->focus)
		muxbus_command_args(command, "-d", NULL);
	if (size[0])
		muxbus_command_args(command, "-l", size, NULL);
	spawn_run(request, command, SPAWN_PANE, NULL, &args->spawn);
}

struct close_args {
	const char *target;
	bool force;
};

static const struct field close_pane_fields[] = {
    {FIELD_ROW(STRING, struct close_args, target, "pane"), .flags = FIELD_REQUIRED, .min = 1,
	.max = 1024, .help = "Which pane, such as \"%3\" or \"work:1.0\"."},
    {.name = "pane_id", .flags = FIELD_ALIAS},
    {FIELD_ROW(BOOL, struct close_args, force, "force"), .preset = "false",
	.help = "Also the caller's own pane, or the last one of the server."},
    {0},
};

static void handle_close_pane(struct request *request, const void *data)
{
	const struct close_args *args = data;
	const struct muxbus_pane *pane;
	if (!target_pane(request, args->target, &pane) ||
	    (!args->force && !close_check_pane(request, pane)))
		return;
	run(request, tmux_command("kill-pane", "-t", TMUX_ID('%', pane->id), NULL), pane, answer);
}

struct resize_pane_args {
	const char *pane;
	int64_t width;
	int64_t height;
	bool zoom;
	bool has_zoom;
};

static const struct field resize_pane_fields[] = {
    {FIELD_ROW(INT, struct resize_pane_args, height, "height"), .unit = "cells", .min = 1,
	.max = CELLS_MAX,
	.help = "In rows; tmux gives as much as the other panes of the window can spare."},
    PANE_FIELD(resize_pane_args),
    {FIELD_ROW(INT, struct resize_pane_args, width, "width"), .unit = "cells", .min = 1,
	.max = CELLS_MAX, .help = "In columns."},
    {FIELD_ROW(BOOL, struct resize_pane_args, zoom, "zoom"),
	.given_offset = offsetof(struct resize_pane_args, has_zoom),
	.help = "true: it fills the window for now; false: no pane does."},
    {0},
};

static const struct field_result resize_results[] = {
    {"pane", "string", "the id of the pane it applied to"},
    {"width", "integer", "what it has now, in columns"},
    {"height", "integer", "what it has now, in rows"},
    {0},
};

static void answer_size(struct request *request, const struct muxbus_reply *replies UNUSED,
    size_t count UNUSED, void *context)
{
	uint32_t id = ((const struct object *)context)->id;
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(request_daemon(request)->tmux), id);
	struct json_writer *writer = request_result(request);
	json_put_id(writer, "pane", '%', id);
	if (pane != NULL) {
		json_put_int(writer, "width", pane->width);
		json_put_int(writer, "height", pane->height);
	}
	request_done(request);
}

/*
 * Adds a command that toggles the zoom if a condition is true (tmux cannot set the zoom). A false
 * condition is tested again, since tmux may have given up expanding it; see muxbus.h.
 */
static void add_toggle(struct muxbus_command *command, uint32_t pane, const char *condition)
{
	muxbus_command_args(command, "if-shell", "-F", "-t", TMUX_ID('%', pane), condition, NULL);
	muxbus_command_argf(command, "resize-pane -Z -t %%%u", pane);
	muxbus_command_argf(
	    command, "if-shell -F -t %%%u '%s' 'resize-pane -Z -t %%%u'", pane, condition, pane);
	muxbus_command_next(command);
}

static void add_zoom(struct muxbus_command *command, uint32_t pane, bool zoom)
{
	/* If another pane is zoomed, the first command ends that zoom. */
	add_toggle(command, pane,
	    zoom ? "#{?pane_active,,#{window_zoomed_flag}}" : "#{window_zoomed_flag}");
	if (zoom)
		add_toggle(command, pane, "#{?window_zoomed_flag,,1}");
}

static void handle_resize_pane(struct request *request, const void *data)
{
	const struct resize_pane_args *args = data;
	const struct muxbus_pane *pane;
	struct muxbus_command *command;
	if (!target_pane(request, args->pane, &pane))
		return;
	if (args->width == 0 && args->height == 0 && !args->has_zoom) {
		request_fail_data(request, MESSAGE_PARAMS, "\"field\":\"width\"",
		    "nothing to do: give width, height or zoom");
		return;
	}
	command = tmux_command_new();
	if (args->width > 0 || args->height > 0) {
		muxbus_command_args(command, "resize-pane", "-t", TMUX_ID('%', pane->id), NULL);
		add_size(command, args->width, args->height);
		muxbus_command_next(command);
	}
	if (args->has_zoom)
		add_zoom(command, pane->id, args->zoom);
	run(request, command, pane, answer_size);
}

struct focus_pane_args {
	const char *pane;
};

static const struct field focus_pane_fields[] = {
    PANE_FIELD(focus_pane_args),
    {0},
};

static void handle_focus_pane(struct request *request, const void *data)
{
	const struct focus_pane_args *args = data;
	const struct muxbus_pane *pane;
	struct muxbus_command *command;
	if (!target_pane(request, args->pane, &pane))
		return;
	command = tmux_command("select-pane", "-t", TMUX_ID('%', pane->id), NULL);
	muxbus_command_next(command);
	/* The pane may have been moved to another window. */
	muxbus_command_args(command, "select-window", "-t", TMUX_ID('%', pane->id), NULL);
	run(request, command, pane, answer);
}

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
	/* tmux would take the directory of another session. */
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
	add_size(command, args->width, args->height);
	spawn_run(request, command, SPAWN_SESSION, args->window_name, &spawn);
}

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

/* Closes a window or session by one command: up to tmux 3.7c, several could end the server. */
static void close_by(struct request *request, const char *name, struct object object)
{
	tmux_call(request, tmux_command(name, "-t", TMUX_ID(object.sigil, object.id), NULL), true,
	    answer, xmemdup(&object, sizeof object));
}

static void handle_close_window(struct request *request, const void *data)
{
	const struct close_args *args = data;
	const struct muxbus_window *window;
	if (!target_window(request, args->target, &window) ||
	    (!args->force && !close_check_window(request, window)))
		return;
	close_by(request, "kill-window", (struct object){"window", '@', window->id});
}

static void handle_close_session(struct request *request, const void *data)
{
	const struct close_args *args = data;
	const struct muxbus_session *session;
	if (!target_session(request, args->target, &session) ||
	    (!args->force && !close_check_session(request, session)))
		return;
	close_by(request, "kill-session", (struct object){"session", '$', session->id});
}

const struct method methods_pane[] = {
    {.name = METHOD("close_pane", METHOD_CLOSES),
	.title = "Close a pane",
	.summary = "Closes a pane and ends its program.",
	.help = "The caller's own pane and the last pane of the server are refused without force.",
	METHOD_CALL(handle_close_pane, close_args, close_pane_fields, pane_results),
	.flags = METHOD_NEEDS_TMUX | METHOD_TOOL,
	.recheck = "list_panes",
	.affects = role_affects_pane,
	.example = "{\"pane_id\":\"%5\"}"},
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
    {.name = METHOD("create_pane", METHOD_RUNS),
	.title = "Create a pane",
	.summary = "Splits a pane in two and runs a command in the new one.",
	.help = "It answers at once.",
	METHOD_CALL(handle_create_pane, create_pane_args, create_pane_fields, spawn_results),
	.flags = METHOD_NEEDS_TMUX | METHOD_TOOL,
	.recheck = "list_panes",
	.affects = affects_split,
	.example = "{\"command\":\"htop\",\"direction\":\"horizontal\",\"size\":\"30%\"}"},
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
    {.name = METHOD("focus_pane", METHOD_ADMINISTERS),
	.title = "Focus a pane",
	.summary =
	    "Jumps to a pane: makes it the active one of its window, and that the current window.",
	METHOD_CALL(handle_focus_pane, focus_pane_args, focus_pane_fields, pane_results),
	.flags = METHOD_ONE_PANE | METHOD_NEEDS_TMUX,
	.recheck = "list_panes",
	.example = "{\"pane\":\"%5\"}"},
    {.name = METHOD("resize_pane", METHOD_ADMINISTERS),
	.title = "Resize a pane",
	.summary = "Changes the size of a pane, or lets it fill its window.",
	METHOD_CALL(handle_resize_pane, resize_pane_args, resize_pane_fields, resize_results),
	.flags = METHOD_ONE_PANE | METHOD_NEEDS_TMUX,
	.recheck = "list_panes",
	.example = "{\"pane\":\"%5\",\"width\":80}"},
    {0},
};
