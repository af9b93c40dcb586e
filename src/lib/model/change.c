/* SPDX-License-Identifier: ISC */
#include "lib/model/change.h"

#include "base/base.h"
#include "lib/model/model.h"

static const char *const change_names[MUXBUS_CHANGE_COUNT_] = {
    [MUXBUS_CHANGE_SESSION_CREATED] = "session_created",
    [MUXBUS_CHANGE_SESSION_CLOSED] = "session_closed",
    [MUXBUS_CHANGE_SESSION_RENAMED] = "session_renamed",
    [MUXBUS_CHANGE_SESSION_WINDOW_CHANGED] = "session_window_changed",
    [MUXBUS_CHANGE_WINDOW_CREATED] = "window_created",
    [MUXBUS_CHANGE_WINDOW_CLOSED] = "window_closed",
    [MUXBUS_CHANGE_WINDOW_RENAMED] = "window_renamed",
    [MUXBUS_CHANGE_WINDOW_LINKED] = "window_linked",
    [MUXBUS_CHANGE_WINDOW_UNLINKED] = "window_unlinked",
    [MUXBUS_CHANGE_LAYOUT_CHANGED] = "layout_changed",
    [MUXBUS_CHANGE_WINDOW_ALERT] = "window_alert",
    [MUXBUS_CHANGE_PANE_CREATED] = "pane_created",
    [MUXBUS_CHANGE_PANE_CLOSED] = "pane_closed",
    [MUXBUS_CHANGE_PANE_EXITED] = "pane_exited",
    [MUXBUS_CHANGE_PANE_RESPAWNED] = "pane_respawned",
    [MUXBUS_CHANGE_PANE_MOVED] = "pane_moved",
    [MUXBUS_CHANGE_ACTIVE_PANE_CHANGED] = "active_pane_changed",
    [MUXBUS_CHANGE_TITLE_CHANGED] = "title_changed",
    [MUXBUS_CHANGE_COMMAND_CHANGED] = "command_changed",
    [MUXBUS_CHANGE_PATH_CHANGED] = "path_changed",
    [MUXBUS_CHANGE_MODE_CHANGED] = "mode_changed",
    [MUXBUS_CHANGE_CLIENT_ATTACHED] = "client_attached",
    [MUXBUS_CHANGE_CLIENT_DETACHED] = "client_detached",
};

const char *muxbus_change_name(enum muxbus_change_kind kind)
{
	if ((unsigned)kind >= MUXBUS_CHANGE_COUNT_)
		return "unknown";
	return change_names[kind];
}

void change_list_init(struct change_list *list)
{
	*list = (struct change_list){0};
}

void change_list_finish(struct change_list *list)
{
	mem_free(list->items);
	change_list_init(list);
}

struct muxbus_change change_of(enum muxbus_change_kind kind)
{
	return (struct muxbus_change){
	    .kind = kind,
	    .session = MUXBUS_NO_ID,
	    .window = MUXBUS_NO_ID,
	    .pane = MUXBUS_NO_ID,
	    .previous_window = MUXBUS_NO_ID,
	    .previous_pane = MUXBUS_NO_ID,
	    .exit_status = -1,
	};
}

void change_list_add(struct change_list *list, const struct muxbus_change *change)
{
	if (list->count == list->cap) {
		size_t cap = list->cap == 0 ? 8 : list->cap * 2;
		void *items = mem_realloc(list->items, cap * sizeof *list->items);
		if (items == NULL) {
			list->error = MUXBUS_ERR_NOMEM;
			return;
		}
		list->items = items;
		list->cap = cap;
	}
	list->items[list->count++] = *change;
}

struct finder {
	struct change_list *list;
	const struct muxbus_model *before;
	const struct muxbus_model *now;
};

static void report_session(
    struct finder *finder, enum muxbus_change_kind kind, const struct muxbus_session *session)
{
	struct muxbus_change change = change_of(kind);
	change.session = session->id;
	change.session_now = muxbus_model_session(finder->now, session->id);
	change_list_add(finder->list, &change);
}

static struct muxbus_change window_change(
    const struct finder *finder, enum muxbus_change_kind kind, const struct muxbus_window *window)
{
	struct muxbus_change change = change_of(kind);
	change.window = window->id;
	change.window_now = muxbus_model_window(finder->now, window->id);
	change.link_now = model_first_link(finder->now, window->id);
	if (change.link_now != NULL) {
		change.session = change.link_now->session;
		change.session_now = muxbus_model_session(finder->now, change.session);
	}
	return change;
}

static void report_window(
    struct finder *finder, enum muxbus_change_kind kind, const struct muxbus_window *window)
{
	struct muxbus_change change = window_change(finder, kind, window);
	change_list_add(finder->list, &change);
}

struct muxbus_change change_of_pane(const struct muxbus_model *before,
    const struct muxbus_model *now, enum muxbus_change_kind kind, const struct muxbus_pane *pane)
{
	struct muxbus_change change = change_of(kind);
	const struct muxbus_link *link = model_first_link(now, pane->window);
	if (link == NULL)
		link = model_first_link(before, pane->window);
	change.pane = pane->id;
	change.pane_now = muxbus_model_pane(now, pane->id);
	change.window = pane->window;
	change.window_now = muxbus_model_window(now, pane->window);
	if (link != NULL) {
		change.session = link->session;
		change.session_now = muxbus_model_session(now, link->session);
	}
	return change;
}

static struct muxbus_change pane_change(
    const struct finder *finder, enum muxbus_change_kind kind, const struct muxbus_pane *pane)
{
	return change_of_pane(finder->before, finder->now, kind, pane);
}

static void report_pane(
    struct finder *finder, enum muxbus_change_kind kind, const struct muxbus_pane *pane)
{
	struct muxbus_change change = pane_change(finder, kind, pane);
	change_list_add(finder->list, &change);
}

static void compare_text(struct finder *finder, enum muxbus_change_kind kind,
    const struct muxbus_pane *pane, const char *before, const char *now)
{
	struct muxbus_change change;
	if (strcmp(before, now) == 0)
		return;
	change = pane_change(finder, kind, pane);
	change.previous = before;
	change_list_add(finder->list, &change);
}

static void report_link(struct finder *finder, enum muxbus_change_kind kind,
    const struct muxbus_link *link, const struct muxbus_link *link_now)
{
	struct muxbus_change change = change_of(kind);
	change.session = link->session;
	change.session_now = muxbus_model_session(finder->now, link->session);
	change.window = link->window;
	change.window_now = muxbus_model_window(finder->now, link->window);
	change.link_now = link_now;
	change_list_add(finder->list, &change);
}

/* Reports links that only a has. A link with a new index counts as linked, but not as unlinked. */
static void report_links_only_in(struct finder *finder, const struct muxbus_model *a,
    const struct muxbus_model *b, enum muxbus_change_kind kind)
{
	const struct muxbus_link *la = muxbus_model_next_link(a, NULL);
	const struct muxbus_link *lb = muxbus_model_next_link(b, NULL);
	while (la != NULL) {
		int order = lb == NULL ? -1 : model_compare_links(la, lb);
		if (order > 0) {
			lb = muxbus_model_next_link(b, lb);
			continue;
		}
		if (order == 0)
			lb = muxbus_model_next_link(b, lb);
		else if (kind == MUXBUS_CHANGE_WINDOW_LINKED)
			report_link(finder, kind, la, la);
		else if (model_link(b, la->session, la->window) == NULL)
			report_link(finder, kind, la, NULL);
		la = muxbus_model_next_link(a, la);
	}
}

static const struct muxbus_client *find_client(
    const struct muxbus_model *model, const struct muxbus_client *client)
{
	next_each (const struct muxbus_client, other, muxbus_model_next_client, model)
		if (other->pid == client->pid && strcmp(other->name, client->name) == 0)
			return other;
	return NULL;
}

static void report_clients_only_in(struct finder *finder, const struct muxbus_model *a,
    const struct muxbus_model *b, enum muxbus_change_kind kind)
{
	next_each (const struct muxbus_client, client, muxbus_model_next_client, a) {
		struct muxbus_change change = change_of(kind);
		if (client->is_ours || find_client(b, client) != NULL)
			continue;
		change.client_now = client;
		change.session = client->session;
		change.session_now = muxbus_model_session(finder->now, client->session);
		change_list_add(finder->list, &change);
	}
}

void change_find_new(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now)
{
	struct finder finder = {.list = list, .before = before, .now = now};
	next_each (const struct muxbus_session, session, muxbus_model_next_session, now)
		if (muxbus_model_session(before, session->id) == NULL)
			report_session(&finder, MUXBUS_CHANGE_SESSION_CREATED, session);
	next_each (const struct muxbus_window, window, muxbus_model_next_window, now)
		if (muxbus_model_window(before, window->id) == NULL)
			report_window(&finder, MUXBUS_CHANGE_WINDOW_CREATED, window);
	report_links_only_in(&finder, now, before, MUXBUS_CHANGE_WINDOW_LINKED);
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, now)
		if (muxbus_model_pane(before, pane->id) == NULL)
			report_pane(&finder, MUXBUS_CHANGE_PANE_CREATED, pane);
	report_clients_only_in(&finder, now, before, MUXBUS_CHANGE_CLIENT_ATTACHED);
}

static void compare_session(
    struct finder *finder, const struct muxbus_session *before, const struct muxbus_session *now)
{
	struct muxbus_change change = change_of(MUXBUS_CHANGE_SESSION_RENAMED);
	change.session = now->id;
	change.session_now = now;
	if (strcmp(before->name, now->name) != 0) {
		change.previous = before->name;
		change_list_add(finder->list, &change);
		change.previous = NULL;
	}
	if (before->current_window == now->current_window)
		return;
	change.kind = MUXBUS_CHANGE_SESSION_WINDOW_CHANGED;
	change.window = now->current_window;
	change.window_now = muxbus_model_window(finder->now, now->current_window);
	change.previous_window = before->current_window;
	change_list_add(finder->list, &change);
}

static bool cell_differs(const struct muxbus_cell *a, const struct muxbus_cell *b)
{
	return a->kind != b->kind || a->pane != b->pane || a->width != b->width ||
	    a->height != b->height || a->left != b->left || a->top != b->top ||
	    a->parent != b->parent || a->next != b->next || a->is_floating != b->is_floating;
}

static bool tree_differs(const struct muxbus_layout *a, const struct muxbus_layout *b)
{
	if (a->count != b->count || a->floating_count != b->floating_count)
		return true;
	for (uint32_t i = 0; i < a->count; i++)
		if (cell_differs(&a->cells[i], &b->cells[i]))
			return true;
	for (uint32_t i = 0; i < a->floating_count; i++)
		if (a->floating[i] != b->floating[i])
			return true;
	return false;
}

/* In JSON layouts the active pane and the order of use do not count. */
static bool string_differs(const char *a, const char *b)
{
	struct muxbus_layout *layout_a = NULL, *layout_b = NULL;
	bool differs = strcmp(a, b) != 0;
	if (differs && a[0] == '{' && muxbus_layout_parse(a, strlen(a), &layout_a) == 0 &&
	    muxbus_layout_parse(b, strlen(b), &layout_b) == 0)
		differs = tree_differs(layout_a, layout_b);
	muxbus_layout_free(layout_a);
	muxbus_layout_free(layout_b);
	return differs;
}

static bool layout_differs(const struct muxbus_window *a, const struct muxbus_window *b)
{
	return a->width != b->width || a->height != b->height || a->is_zoomed != b->is_zoomed ||
	    string_differs(a->layout, b->layout) ||
	    string_differs(a->visible_layout, b->visible_layout);
}

static bool alert_is_new(const struct muxbus_window *before, const struct muxbus_window *now)
{
	return (now->has_bell && !before->has_bell) ||
	    (now->has_activity && !before->has_activity) ||
	    (now->has_silence && !before->has_silence);
}

static void compare_window(
    struct finder *finder, const struct muxbus_window *before, const struct muxbus_window *now)
{
	struct muxbus_change change;
	if (strcmp(before->name, now->name) != 0) {
		change = window_change(finder, MUXBUS_CHANGE_WINDOW_RENAMED, now);
		change.previous = before->name;
		change_list_add(finder->list, &change);
	}
	if (layout_differs(before, now))
		report_window(finder, MUXBUS_CHANGE_LAYOUT_CHANGED, now);
	if (alert_is_new(before, now))
		report_window(finder, MUXBUS_CHANGE_WINDOW_ALERT, now);
	if (before->active_pane != now->active_pane) {
		change = window_change(finder, MUXBUS_CHANGE_ACTIVE_PANE_CHANGED, now);
		change.pane = now->active_pane;
		change.pane_now = muxbus_model_pane(finder->now, now->active_pane);
		change.previous_pane = before->active_pane;
		change_list_add(finder->list, &change);
	}
}

/* Another index counts as another place, even if only a pane before this one has closed. */
static bool place_differs(const struct muxbus_pane *a, const struct muxbus_pane *b)
{
	return a->window != b->window || a->index != b->index;
}

static void compare_pane(
    struct finder *finder, const struct muxbus_pane *before, const struct muxbus_pane *now)
{
	if (place_differs(before, now)) {
		struct muxbus_change change = pane_change(finder, MUXBUS_CHANGE_PANE_MOVED, now);
		change.previous_window = before->window;
		change_list_add(finder->list, &change);
	}
	if (now->pid != 0 && !now->is_dead && (before->pid != now->pid || before->is_dead))
		report_pane(finder, MUXBUS_CHANGE_PANE_RESPAWNED, now);
	compare_text(finder, MUXBUS_CHANGE_TITLE_CHANGED, now, before->title, now->title);
	compare_text(finder, MUXBUS_CHANGE_COMMAND_CHANGED, now, before->command, now->command);
	compare_text(finder, MUXBUS_CHANGE_PATH_CHANGED, now, before->path, now->path);
	compare_text(finder, MUXBUS_CHANGE_MODE_CHANGED, now, before->mode, now->mode);
}

void change_find_other(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now)
{
	struct finder finder = {.list = list, .before = before, .now = now};
	next_each (const struct muxbus_session, session, muxbus_model_next_session, before) {
		const struct muxbus_session *other = muxbus_model_session(now, session->id);
		if (other != NULL)
			compare_session(&finder, session, other);
	}
	next_each (const struct muxbus_window, window, muxbus_model_next_window, before) {
		const struct muxbus_window *other = muxbus_model_window(now, window->id);
		if (other != NULL)
			compare_window(&finder, window, other);
	}
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, before) {
		const struct muxbus_pane *other = muxbus_model_pane(now, pane->id);
		if (other != NULL)
			compare_pane(&finder, pane, other);
	}
}

void change_find_gone(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now)
{
	struct finder finder = {.list = list, .before = before, .now = now};
	report_clients_only_in(&finder, before, now, MUXBUS_CHANGE_CLIENT_DETACHED);
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, before)
		if (muxbus_model_pane(now, pane->id) == NULL)
			report_pane(&finder, MUXBUS_CHANGE_PANE_CLOSED, pane);
	report_links_only_in(&finder, before, now, MUXBUS_CHANGE_WINDOW_UNLINKED);
	next_each (const struct muxbus_window, window, muxbus_model_next_window, before)
		if (muxbus_model_window(now, window->id) == NULL)
			report_window(&finder, MUXBUS_CHANGE_WINDOW_CLOSED, window);
	next_each (const struct muxbus_session, session, muxbus_model_next_session, before)
		if (muxbus_model_session(now, session->id) == NULL)
			report_session(&finder, MUXBUS_CHANGE_SESSION_CLOSED, session);
}
