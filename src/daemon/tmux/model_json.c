/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/model_json.h"

/* maximum bytes of a title in the brief form, without the "…" */
#define BRIEF_TITLE_MAX 20

static void find_humans(struct object_view *view)
{
	int64_t now_sec = clock_real_ms() / 1000;
	next_each (const struct muxbus_client, client, muxbus_model_next_client, view->model) {
		const struct muxbus_session *session;
		const struct muxbus_window *window;
		/* If the clock was set back, activity may be in the future. */
		if (client->is_control ||
		    llabs(now_sec - (int64_t)client->activity) > OBJECT_HUMAN_SEC)
			continue;
		session = muxbus_model_session(view->model, client->session);
		window = session != NULL ? muxbus_model_window(view->model, session->current_window)
					 : NULL;
		if (window != NULL && view->human_count < OBJECT_HUMANS_MAX)
			view->human_panes[view->human_count++] = window->active_pane;
	}
}

void object_view_init(struct object_view *view, const struct muxbus_model *model)
{
	*view = (struct object_view){.model = model};
	find_humans(view);
}

static bool is_human(const struct object_view *view, uint32_t pane)
{
	for (size_t i = 0; i < view->human_count; i++)
		if (view->human_panes[i] == pane)
			return true;
	return false;
}

/*
 * Returns the last activity in a session. tmux counts our own attach as activity, so while people's
 * clients are attached only their activity counts.
 */
static uint64_t session_activity(
    const struct muxbus_model *model, const struct muxbus_session *session)
{
	uint64_t latest = 0;
	next_each (const struct muxbus_client, client, muxbus_model_next_client, model)
		if (!client->is_control && client->session == session->id &&
		    client->activity > latest)
			latest = client->activity;
	return latest != 0 ? latest : session->activity;
}

void object_put_session(struct json_writer *writer, const struct muxbus_model *model,
    const struct muxbus_session *session)
{
	json_put_id(writer, "session", '$', session->id);
	json_put_str(writer, "name", session->name);
	json_put_int(writer, "windows", session->windows);
	json_put_int(writer, "attached", session->attached);
	json_put_time(writer, "created", (int64_t)session->created * 1000);
	json_put_time(writer, "activity", (int64_t)session_activity(model, session) * 1000);
	json_put_id(writer, "current_window", '@', session->current_window);
	if (session->group != MUXBUS_NO_ID)
		json_put_int(writer, "group", session->group);
}

/* Writes the sessions of a window. A session that is linked to it twice is written once. */
static void put_sessions(struct json_writer *writer, const struct muxbus_link *links, size_t count)
{
	json_array_begin(writer, "sessions");
	for (size_t i = 0; i < count; i++)
		if (i == 0 || links[i].session != links[i - 1].session)
			json_put_id(writer, NULL, '$', links[i].session);
	json_array_end(writer);
}

static void put_links(struct json_writer *writer, const struct muxbus_link *links, size_t count)
{
	json_array_begin(writer, "links");
	for (size_t i = 0; i < count; i++) {
		json_object_begin(writer, NULL);
		json_put_id(writer, "session", '$', links[i].session);
		json_put_int(writer, "index", links[i].index);
		json_put_bool(writer, "current", links[i].is_current);
		json_object_end(writer);
	}
	json_array_end(writer);
}

void object_put_window(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_window *window)
{
	const struct muxbus_link *links;
	size_t count = muxbus_model_window_links(view->model, window->id, &links);
	json_put_id(writer, "window", '@', window->id);
	put_sessions(writer, links, count);
	json_put_known_int(writer, "index", count > 0, count > 0 ? links[0].index : 0);
	json_put_str(writer, "name", window->name);
	json_put_int(writer, "width", window->width);
	json_put_int(writer, "height", window->height);
	json_put_str(writer, "layout", window->layout);
	json_put_id(writer, "active_pane", '%', window->active_pane);
	json_put_int(writer, "panes", window->panes);
	json_put_bool(writer, "zoomed", window->is_zoomed);
	json_put_bool(writer, "bell", window->has_bell);
	json_put_bool(writer, "activity", window->has_activity);
	json_put_bool(writer, "silence", window->has_silence);
	put_links(writer, links, count);
}

/* Returns the name of a signal, as "SIGTERM" for 15; NULL: an unknown number. */
static const char *object_signal_name(int number)
{
	static char name[16];
	const char *letters = number > 0 ? sigabbrev_np(number) : NULL;
	if (letters == NULL)
		return NULL;
	snprintf(name, sizeof name, "SIG%s", letters);
	return name;
}

void object_put_exit(struct json_writer *writer, int status, int number)
{
	json_put_known_int(writer, "exit_status", status >= 0 && number == 0, status);
	json_put_known_int(writer, "signal", number > 0, number);
	if (number > 0)
		json_put_str(writer, "signal_name", object_signal_name(number));
}

static void put_place(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_pane *pane)
{
	const struct muxbus_link *links;
	size_t count = muxbus_model_window_links(view->model, pane->window, &links);
	const struct muxbus_window *window = muxbus_model_window(view->model, pane->window);
	const struct muxbus_session *session =
	    count > 0 ? muxbus_model_session(view->model, links[0].session) : NULL;
	json_put_id(writer, "window", '@', pane->window);
	if (session != NULL) {
		json_put_id(writer, "session", '$', session->id);
		json_put_str(writer, "session_name", session->name);
		json_put_int(writer, "window_index", links[0].index);
	} else {
		json_put_null(writer, "session");
		json_put_null(writer, "session_name");
		json_put_null(writer, "window_index");
	}
	json_put_str(writer, "window_name", window != NULL ? window->name : NULL);
	if (count > 1)
		put_sessions(writer, links, count);
}

static void put_text(struct json_writer *writer, const char *name, const char *text)
{
	json_put_text(writer, name, text, strlen(text));
}

void object_put_pane(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_pane *pane)
{
	json_put_id(writer, "pane", '%', pane->id);
	put_place(writer, view, pane);
	json_put_int(writer, "pane_index", pane->index);
	json_put_int(writer, "width", pane->width);
	json_put_int(writer, "height", pane->height);
	json_put_int(writer, "left", pane->left);
	json_put_int(writer, "top", pane->top);
	json_put_bool(writer, "active", pane->is_active);
	put_text(writer, "title", pane->title);
	put_text(writer, "command", pane->command);
	put_text(writer, "path", pane->path);
	json_put_known_int(writer, "pid", pane->pid > 0, pane->pid);
	json_put_str(writer, "tty", pane->tty);
	json_put_bool(writer, "dead", pane->is_dead);
	object_put_exit(writer, pane->exit_status, pane->exit_signal);
	json_put_str(writer, "mode", pane->in_mode ? pane->mode : NULL);
	json_put_bool(writer, "alternate_screen", pane->alternate_screen);
	json_put_bool(writer, "input_off", pane->input_off);
	json_put_bool(writer, "synchronized", pane->is_synchronized);
	json_put_bool(writer, "mouse", pane->mouse_any);
	if (pane->is_floating)
		json_put_bool(writer, "floating", true);
	json_put_time(writer, "last_output", pane->last_output_ms);
	json_put_bool(writer, "human", is_human(view, pane->id));
}

static void put_beginning(
    struct json_writer *writer, const char *name, const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);
	bool is_long = len > max;
	char part[BRIEF_TITLE_MAX + sizeof "…"];
	if (is_long)
		for (len = max; len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80;)
			len--;
	(void)snprintf(part, sizeof part, "%.*s%s", (int)len, text, is_long ? "…" : "");
	put_text(writer, name, part);
}

/* Writes a pane's place: "work:editor.0", or "work:3.0" if the window is named like the command. */
static void put_brief_place(struct json_writer *writer, const struct muxbus_session *session,
    const struct muxbus_window *window, int index, const struct muxbus_pane *pane)
{
	bool has_name = strcmp(window->name, pane->command) != 0;
	char *place = has_name
	    ? xasprintf("%s:%s.%u", session->name, window->name, (unsigned)pane->index)
	    : xasprintf("%s:%d.%u", session->name, index, (unsigned)pane->index);
	put_text(writer, "place", place);
	mem_free(place);
}

/* Returns true if a title ends with the name of the directory, as shells often set it. */
static bool repeats_path(const char *title, const char *path)
{
	const char *name = str_last_part(path);
	size_t len = strlen(name), title_len = strlen(title);
	return len > 0 && title_len >= len && strcmp(title + title_len - len, name) == 0;
}

void object_put_pane_brief(
    struct json_writer *writer, const struct object_view *view, const struct muxbus_pane *pane)
{
	const struct muxbus_link *links;
	size_t count = muxbus_model_window_links(view->model, pane->window, &links);
	const struct muxbus_window *window = muxbus_model_window(view->model, pane->window);
	const struct muxbus_session *session =
	    count > 0 ? muxbus_model_session(view->model, links[0].session) : NULL;
	json_put_id(writer, "pane", '%', pane->id);
	if (session != NULL && window != NULL)
		put_brief_place(writer, session, window, links[0].index, pane);
	if (!repeats_path(pane->title, pane->path))
		put_beginning(writer, "title", pane->title, BRIEF_TITLE_MAX);
	put_text(writer, "command", pane->command);
	put_text(writer, "path", pane->path);
	if (pane->is_active && window != NULL && window->panes > 1)
		json_put_bool(writer, "active", true);
	if (pane->is_dead) {
		json_put_bool(writer, "dead", true);
		object_put_exit(writer, pane->exit_status, pane->exit_signal);
	}
	if (pane->in_mode)
		json_put_str(writer, "mode", pane->mode);
	if (is_human(view, pane->id))
		json_put_bool(writer, "human", true);
}

void object_put_client(struct json_writer *writer, const struct muxbus_client *client)
{
	put_text(writer, "client", client->name);
	json_put_int(writer, "pid", client->pid);
	json_put_id(writer, "session", '$', client->session);
	json_put_bool(writer, "control", client->is_control);
	json_put_bool(writer, "readonly", client->is_readonly);
	json_put_time(writer, "activity", (int64_t)client->activity * 1000);
}

static const char *const cell_names[] = {
    [MUXBUS_CELL_PANE] = "pane",
    [MUXBUS_CELL_COLUMNS] = "columns",
    [MUXBUS_CELL_ROWS] = "rows",
};

static void put_cell(struct json_writer *writer, const struct muxbus_cell *cell)
{
	json_put_str(writer, "kind", cell_names[cell->kind]);
	if (cell->kind == MUXBUS_CELL_PANE && cell->pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', cell->pane);
	json_put_int(writer, "left", cell->left);
	json_put_int(writer, "top", cell->top);
	json_put_int(writer, "width", cell->width);
	json_put_int(writer, "height", cell->height);
	if (cell->is_floating)
		json_put_bool(writer, "floating", true);
}

/* Deeper levels of a layout are left out, because JSON parsers limit the depth. */
#define LAYOUT_DEPTH_MAX 24

static void put_tree(
    struct json_writer *writer, const char *name, const struct muxbus_layout *layout)
{
	uint32_t at = 0;
	unsigned depth = 1;
	json_object_begin(writer, name);
	put_cell(writer, &layout->cells[0]);
	for (;;) {
		const struct muxbus_cell *cell = &layout->cells[at];
		if (cell->child != MUXBUS_NO_ID && depth < LAYOUT_DEPTH_MAX) {
			json_array_begin(writer, "children");
			at = cell->child;
			depth++;
		} else {
			json_object_end(writer);
			while (at != 0 && layout->cells[at].next == MUXBUS_NO_ID) {
				at = layout->cells[at].parent;
				depth--;
				json_array_end(writer);
				json_object_end(writer);
			}
			if (at == 0)
				return;
			at = layout->cells[at].next;
		}
		json_object_begin(writer, NULL);
		put_cell(writer, &layout->cells[at]);
	}
}

void object_put_layout(struct json_writer *writer, const char *name, const char *text)
{
	struct muxbus_layout *layout;
	if (muxbus_layout_parse(text, strlen(text), &layout) < 0) {
		json_put_null(writer, name);
		return;
	}
	put_tree(writer, name, layout);
	muxbus_layout_free(layout);
}
