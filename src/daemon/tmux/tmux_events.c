/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/tmux_events.h"

#include "daemon/event/event_log.h"
#include "daemon/tmux/model_json.h"

#define MEMBERS_MAX_BYTES (1024 * 1024)
#define SCOPE_SESSIONS_MAX (sizeof((struct event_scope *)NULL)->sessions / sizeof(uint32_t))

struct telling {
	struct json_writer *writer;
	const struct muxbus_model *model;
	const struct muxbus_change *change;
};

static void tell_session(struct telling *telling)
{
	const struct muxbus_change *change = telling->change;
	if (change->session_now)
		object_put_session(telling->writer, telling->model, change->session_now);
	else
		json_put_id(telling->writer, "session", '$', change->session);
	if (change->previous)
		json_put_str(telling->writer, "previous", change->previous);
}

static void tell_session_window(struct telling *telling)
{
	const struct muxbus_change *change = telling->change;
	json_put_id(telling->writer, "session", '$', change->session);
	json_put_id(telling->writer, "window", '@', change->window);
	json_put_id(telling->writer, "pane", '%',
	    change->window_now ? change->window_now->active_pane : MUXBUS_NO_ID);
	json_put_id(telling->writer, "previous_window", '@', change->previous_window);
}

static void tell_window(struct telling *telling)
{
	const struct muxbus_change *change = telling->change;
	if (change->window_now) {
		struct object_view view;
		object_view_init(&view, telling->model);
		object_put_window(telling->writer, &view, change->window_now);
	} else {
		json_put_id(telling->writer, "window", '@', change->window);
	}
	if (change->previous)
		json_put_str(telling->writer, "previous", change->previous);
}

static void tell_layout(struct telling *telling)
{
	const struct muxbus_window *window = telling->change->window_now;
	json_put_id(telling->writer, "window", '@', telling->change->window);
	if (window == NULL)
		return;
	json_put_int(telling->writer, "width", window->width);
	json_put_int(telling->writer, "height", window->height);
	json_put_bool(telling->writer, "zoomed", window->is_zoomed);
	json_put_str(telling->writer, "layout", window->layout);
	json_put_str(telling->writer, "visible_layout", window->visible_layout);
	object_put_layout(telling->writer, "tree", window->visible_layout);
}

static void tell_alert(struct telling *telling)
{
	json_put_id(telling->writer, "window", '@', telling->change->window);
	json_put_null(telling->writer, "pane");
}

static void tell_pane(struct telling *telling)
{
	const struct muxbus_change *change = telling->change;
	if (change->pane_now) {
		struct object_view view;
		object_view_init(&view, telling->model);
		object_put_pane(telling->writer, &view, change->pane_now);
	} else {
		json_put_id(telling->writer, "pane", '%', change->pane);
		json_put_id(telling->writer, "window", '@', change->window);
	}
	if (change->previous_window != MUXBUS_NO_ID)
		json_put_id(telling->writer, "previous_window", '@', change->previous_window);
}

static void tell_pane_closed(struct telling *telling)
{
	json_put_id(telling->writer, "pane", '%', telling->change->pane);
	json_put_id(telling->writer, "window", '@', telling->change->window);
}

static void tell_pane_exited(struct telling *telling)
{
	const struct muxbus_change *change = telling->change;
	tell_pane_closed(telling);
	object_put_exit(telling->writer, change->exit_status, change->exit_signal);
}

static void tell_active_pane(struct telling *telling)
{
	const struct muxbus_change *change = telling->change;
	json_put_id(telling->writer, "window", '@', change->window);
	json_put_id(telling->writer, "pane", '%', change->pane);
	json_put_id(telling->writer, "previous_pane", '%', change->previous_pane);
}

static void tell_string(struct telling *telling, const char *name, const char *now)
{
	const struct muxbus_change *change = telling->change;
	json_put_id(telling->writer, "pane", '%', change->pane);
	json_put_id(telling->writer, "window", '@', change->window);
	json_put_str(telling->writer, name, now);
	json_put_str(telling->writer, "previous", change->previous);
}

static void tell_title(struct telling *telling)
{
	const struct muxbus_pane *pane = telling->change->pane_now;
	tell_string(telling, "title", pane != NULL ? pane->title : NULL);
}

static void tell_command(struct telling *telling)
{
	const struct muxbus_pane *pane = telling->change->pane_now;
	tell_string(telling, "command", pane != NULL ? pane->command : NULL);
	if (pane != NULL && pane->pid > 0)
		json_put_int(telling->writer, "pid", pane->pid);
}

static void tell_path(struct telling *telling)
{
	const struct muxbus_pane *pane = telling->change->pane_now;
	tell_string(telling, "path", pane != NULL ? pane->path : NULL);
}

static void tell_mode(struct telling *telling)
{
	const struct muxbus_pane *pane = telling->change->pane_now;
	tell_string(telling, "mode", pane != NULL && pane->in_mode ? pane->mode : NULL);
}

static void tell_client(struct telling *telling)
{
	if (telling->change->client_now)
		object_put_client(telling->writer, telling->change->client_now);
}

#define NO_EVENT (-1)

static const struct {
	int kind; /* enum event_kind */
	void (*tell)(struct telling *telling);
} rows[MUXBUS_CHANGE_COUNT_] = {
    [MUXBUS_CHANGE_SESSION_CREATED] = {EVENT_SESSION_CREATED, tell_session},
    [MUXBUS_CHANGE_SESSION_CLOSED] = {EVENT_SESSION_CLOSED, tell_session},
    [MUXBUS_CHANGE_SESSION_RENAMED] = {EVENT_SESSION_RENAMED, tell_session},
    [MUXBUS_CHANGE_SESSION_WINDOW_CHANGED] = {EVENT_ACTIVE_PANE_CHANGED, tell_session_window},
    [MUXBUS_CHANGE_WINDOW_CREATED] = {EVENT_WINDOW_CREATED, tell_window},
    [MUXBUS_CHANGE_WINDOW_CLOSED] = {EVENT_WINDOW_CLOSED, tell_window},
    [MUXBUS_CHANGE_WINDOW_RENAMED] = {EVENT_WINDOW_RENAMED, tell_window},
    [MUXBUS_CHANGE_WINDOW_LINKED] = {NO_EVENT, NULL},
    [MUXBUS_CHANGE_WINDOW_UNLINKED] = {NO_EVENT, NULL},
    [MUXBUS_CHANGE_LAYOUT_CHANGED] = {EVENT_LAYOUT_CHANGED, tell_layout},
    [MUXBUS_CHANGE_WINDOW_ALERT] = {EVENT_BELL, tell_alert},
    [MUXBUS_CHANGE_PANE_CREATED] = {EVENT_PANE_CREATED, tell_pane},
    [MUXBUS_CHANGE_PANE_CLOSED] = {EVENT_PANE_CLOSED, tell_pane_closed},
    [MUXBUS_CHANGE_PANE_EXITED] = {EVENT_PANE_EXITED, tell_pane_exited},
    [MUXBUS_CHANGE_PANE_RESPAWNED] = {EVENT_COMMAND_CHANGED, tell_command},
    [MUXBUS_CHANGE_PANE_MOVED] = {EVENT_PANE_MOVED, tell_pane},
    [MUXBUS_CHANGE_ACTIVE_PANE_CHANGED] = {EVENT_ACTIVE_PANE_CHANGED, tell_active_pane},
    [MUXBUS_CHANGE_TITLE_CHANGED] = {EVENT_TITLE_CHANGED, tell_title},
    [MUXBUS_CHANGE_COMMAND_CHANGED] = {EVENT_COMMAND_CHANGED, tell_command},
    [MUXBUS_CHANGE_PATH_CHANGED] = {EVENT_PATH_CHANGED, tell_path},
    [MUXBUS_CHANGE_MODE_CHANGED] = {EVENT_MODE_CHANGED, tell_mode},
    [MUXBUS_CHANGE_CLIENT_ATTACHED] = {EVENT_CLIENT_ATTACHED, tell_client},
    [MUXBUS_CHANGE_CLIENT_DETACHED] = {EVENT_CLIENT_DETACHED, tell_client},
};

void tmux_events_sessions(
    const struct muxbus_model *model, uint32_t window, struct event_scope *scope)
{
	const struct muxbus_link *links;
	size_t link_count = muxbus_model_window_links(model, window, &links), count = 0;
	for (size_t i = 0; i < link_count && count < SCOPE_SESSIONS_MAX; i++)
		if (i == 0 || links[i - 1].session != links[i].session)
			scope->sessions[count++] = links[i].session;
	if (count < SCOPE_SESSIONS_MAX)
		scope->sessions[count] = MUXBUS_NO_ID;
}

static void fill_scope(const struct muxbus_model *model, const struct muxbus_change *change,
    struct event_scope *ret_scope)
{
	*ret_scope = (struct event_scope){.pane = change->pane, .window = change->window};
	if (change->pane_now)
		ret_scope->window = change->pane_now->window;
	tmux_events_sessions(model, ret_scope->window, ret_scope);
	/* The change is about one session, or about an object that no session has any more. */
	if (change->session != MUXBUS_NO_ID &&
	    (change->window == MUXBUS_NO_ID || ret_scope->sessions[0] == MUXBUS_NO_ID)) {
		ret_scope->sessions[0] = change->session;
		ret_scope->sessions[1] = MUXBUS_NO_ID;
	}
}

void tmux_events_change(
    struct event_log *log, const struct muxbus_model *model, const struct muxbus_change *change)
{
	struct telling telling;
	struct buf members;
	struct json_writer writer;
	struct event_scope scope;
	if (rows[change->kind].kind == NO_EVENT)
		return;
	if (change->kind == MUXBUS_CHANGE_WINDOW_ALERT &&
	    (change->window_now == NULL || !change->window_now->has_bell))
		return;
	if ((change->kind == MUXBUS_CHANGE_COMMAND_CHANGED ||
		change->kind == MUXBUS_CHANGE_PATH_CHANGED) &&
	    change->pane_now && change->pane_now->is_dead)
		return;
	if (change->client_now && change->client_now->is_ours)
		return;
	json_start(&writer, &members, MEMBERS_MAX_BYTES);
	telling = (struct telling){.writer = &writer, .model = model, .change = change};
	rows[change->kind].tell(&telling);
	fill_scope(model, change, &scope);
	event_log_publish(log, (enum event_kind)rows[change->kind].kind, &scope,
	    (const char *)members.data, members.len, true);
	buf_finish(&members);
}

static void publish_server(struct event_log *log, enum event_kind kind, const struct buf *members)
{
	struct event_scope scope = {.pane = MUXBUS_NO_ID, .window = MUXBUS_NO_ID};
	scope.sessions[0] = MUXBUS_NO_ID;
	event_log_publish(log, kind, &scope, (const char *)members->data, members->len, true);
}

void tmux_events_found(struct event_log *log, const struct muxbus_sync_info *info)
{
	struct buf members;
	struct json_writer writer;
	json_start(&writer, &members, MEMBERS_MAX_BYTES);
	json_put_str(&writer, "version", info->version_text);
	json_put_int(&writer, "pid", info->pid);
	json_put_str(&writer, "socket", info->socket_path);
	publish_server(log, EVENT_SERVER_FOUND, &members);
	buf_finish(&members);
}

void tmux_events_lost(struct event_log *log, int error, const char *reason, pid_t pid)
{
	struct buf members;
	struct json_writer writer;
	json_start(&writer, &members, MEMBERS_MAX_BYTES);
	json_put_str(&writer, "reason", reason);
	json_put_str(&writer, "error", muxbus_strerror(error));
	json_put_int(&writer, "pid", pid);
	publish_server(log, EVENT_SERVER_LOST, &members);
	buf_finish(&members);
}

void tmux_events_rested(struct event_log *log)
{
	uint64_t number = event_log_last(log) + 1;
	struct buf members;
	struct json_writer writer;
	json_start(&writer, &members, MEMBERS_MAX_BYTES);
	json_put_int(&writer, "from", (int64_t)number);
	json_put_int(&writer, "to", (int64_t)number);
	json_put_str(&writer, "reason", "detached");
	publish_server(log, EVENT_GAP, &members);
	buf_finish(&members);
}
