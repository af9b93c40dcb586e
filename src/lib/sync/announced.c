/* SPDX-License-Identifier: ISC */
#include "lib/sync/announced.h"

#include "lib/model/model.h"
#include "lib/model/tiles.h"
#include "lib/sync/attachment.h"
#include "lib/sync/leaving.h"
#include "lib/sync/lister.h"
#include "lib/sync/publish.h"

/* After text that may contain lines, events are not trusted for this time. */
#define DISTRUST_MS 1000

/* How one kind of event is handled. Both functions are only called for the primary connection. */
struct kind {
	bool changes_model;
	void (*take)(struct muxbus_sync *sync, const struct muxbus_event *event);
	/* Called instead for an event that is not trusted; NULL: take() is called anyway. */
	void (*doubt)(struct muxbus_sync *sync, const struct muxbus_event *event);
};

/* Copies the name of an event, cut as in a listing. Returns NULL if out of memory. */
static const char *copy_name(struct muxbus_model *model, const struct muxbus_event *event)
{
	size_t len = event->text_len;
	char *name;
	if (len > MUXBUS_NAME_MAX)
		len = MUXBUS_NAME_MAX;
	name = model_string(model, event->text, len);
	if (name != NULL && len < event->text_len)
		name[len - utf8_incomplete_tail(name, len)] = '\0';
	return name;
}

/* Sets a name from an event. place returns the address of the name in a copy of the model. */
static void use_name(struct muxbus_sync *sync, const struct muxbus_event *event, const char *before,
    const char **(*place)(struct muxbus_model *model, const struct muxbus_event *event))
{
	struct muxbus_model *model;
	const char *name;
	if (strcmp(before, event->text) == 0)
		return;
	model = publish_copy(sync, NULL);
	if (model == NULL)
		return;
	name = copy_name(model, event);
	if (name == NULL) {
		model_free(model);
		lister_mark_all(sync);
		return;
	}
	*place(model, event) = name;
	publish_changed(sync, model);
}

static const char **window_name(struct muxbus_model *model, const struct muxbus_event *event)
{
	return &model_window_entry(model, event->window)->name;
}

static void take_window_name(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	const struct muxbus_window *window = muxbus_model_window(sync->model, event->window);
	if (window == NULL)
		lister_mark_window(sync, event->window);
	else
		use_name(sync, event, window->name, window_name);
}

static const char **session_name(struct muxbus_model *model, const struct muxbus_event *event)
{
	return &model_session_entry(model, event->session)->name;
}

static void take_session_name(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	const struct muxbus_session *session = muxbus_model_session(sync->model, event->session);
	if (session == NULL)
		lister_mark_all(sync);
	else
		use_name(sync, event, session->name, session_name);
}

/* Lists the session instead if the window has alerts, which end unseen, or not one link in it. */
static void take_current_window(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	const struct muxbus_session *session = muxbus_model_session(sync->model, event->session);
	const struct muxbus_window *window = muxbus_model_window(sync->model, event->window);
	const struct muxbus_link *link = model_link(sync->model, event->session, event->window);
	const struct muxbus_link *next;
	struct parts parts = {0};
	struct muxbus_model *model;
	if (session == NULL) {
		lister_mark_all(sync);
		return;
	}
	if (window == NULL) {
		lister_mark_window(sync, event->window);
		return;
	}
	next = link != NULL ? model_next_window_link(sync->model, link) : NULL;
	if (link == NULL || (next != NULL && next->session == event->session) || window->has_bell ||
	    window->has_activity || window->has_silence) {
		parts_add_session(&parts, event->session);
		lister_mark(sync, &parts);
		return;
	}
	if (session->current_window == event->window)
		return;
	model = publish_copy(sync, NULL);
	if (model == NULL)
		return;
	model_set_current_window(model, event->session, event->window);
	publish_changed(sync, model);
}

static void use_layout(struct muxbus_sync *sync, uint32_t window, const char *layout)
{
	struct muxbus_model *model;
	if (tiles_apply(sync->model, window, layout, MUXBUS_NO_ID, &model) == 0)
		publish_changed(sync, model);
	else
		lister_mark_window(sync, window);
}

static bool says_layout(const struct muxbus_window *window, const struct muxbus_event *event)
{
	return event->visible_layout != NULL && strcmp(window->layout, event->layout) == 0 &&
	    strcmp(window->visible_layout, event->visible_layout) == 0;
}

static void take_layout(struct muxbus_sync *sync, const struct attachment *attachment,
    const struct muxbus_event *event, bool is_believed)
{
	const struct muxbus_window *window = muxbus_model_window(sync->model, event->window);
	if (lister_reads_window(&sync->lister, event->window)) {
		if (attachment == sync->primary)
			return;
	} else if (window != NULL && says_layout(window, event)) {
		return;
	}
	if (!is_believed || window == NULL || event->visible_layout == NULL ||
	    strcmp(event->layout, event->visible_layout) != 0 ||
	    part_ids_have(&sync->lister.dirty.windows, event->window) || sync->lister.dirty.all)
		lister_mark_window(sync, event->window);
	else if (!tiles_have_all(sync->model, event->window, event->layout))
		leaving_hold(sync, event->window, event->layout);
	else
		use_layout(sync, event->window, event->layout);
}

static void take_active_pane(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	const struct muxbus_pane *pane = muxbus_model_pane(sync->model, event->pane);
	struct muxbus_model *model;
	if (leaving_take_active(sync, event->window, event->pane))
		return;
	if (lister_reads_window(&sync->lister, event->window))
		return;
	if (pane == NULL || pane->window != event->window) {
		lister_mark_window(sync, event->window);
		return;
	}
	if (pane->is_active)
		return;
	model = publish_copy(sync, NULL);
	if (model == NULL)
		return;
	model_set_active_pane(model, event->window, event->pane);
	publish_changed(sync, model);
}

/* Lists a new window; the whole server if many are new, or to find the new link of a known one. */
static void take_added(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	struct part_ids *added = &sync->lister.added;
	if (muxbus_model_window(sync->model, event->window) != NULL ||
	    part_ids_have(added, event->window) || added->count == PARTS_IDS_MAX) {
		lister_mark_all(sync);
		return;
	}
	added->ids[added->count++] = event->window;
	lister_mark_window(sync, event->window);
}

static void list_sessions_of(struct muxbus_sync *sync, uint32_t window)
{
	const struct muxbus_link *link = model_first_link(sync->model, window);
	const struct muxbus_pane *pane = model_first_pane(sync->model, window);
	struct parts parts = {.all = link == NULL};
	for (; pane != NULL; pane = model_next_window_pane(sync->model, pane))
		parts_add_place(&parts, pane->id);
	for (; link != NULL; link = model_next_window_link(sync->model, link))
		parts_add_session(&parts, link->session);
	lister_mark(sync, &parts);
}

/* Returns true if a running or due listing shows whether a window of at most one link exists. */
static bool is_shown_by_listing(const struct muxbus_sync *sync, uint32_t window)
{
	const struct muxbus_link *link = model_first_link(sync->model, window);
	return (link == NULL || model_next_window_link(sync->model, link) == NULL) &&
	    (lister_reads_window(&sync->lister, window) || sync->lister.dirty.all ||
		part_ids_have(&sync->lister.dirty.windows, window));
}

static void doubt_closed(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	if (!is_shown_by_listing(sync, event->window))
		list_sessions_of(sync, event->window);
}

/* A detached sync always lists the sessions, because panes may have moved and been respawned. */
void announced_unlinked(struct muxbus_sync *sync, uint32_t window)
{
	const struct muxbus_link *link = model_first_link(sync->model, window);
	if (sync->is_detached || link == NULL || link->is_current ||
	    model_next_window_link(sync->model, link) != NULL) {
		list_sessions_of(sync, window);
		return;
	}
	parts_remove_window(&sync->lister.dirty, window);
	leaving_hold(sync, window, NULL);
}

static void take_closed(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	bool is_known = model_first_link(sync->model, event->window) != NULL;
	if (sync->lister.dirty.all)
		lister_mark_all(sync);
	else if (is_known || !is_shown_by_listing(sync, event->window))
		announced_unlinked(sync, event->window);
}

static void take_mode(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	const struct muxbus_pane *pane = muxbus_model_pane(sync->model, event->pane);
	if (pane != NULL && !lister_reads_window(&sync->lister, pane->window))
		lister_mark_window(sync, pane->window);
}

static bool is_our_name(const struct muxbus_sync *sync, const char *client)
{
	list_each (const struct attachment, attachment, &sync->attachments, link) {
		char name[32];
		(void)snprintf(name, sizeof name, "client-%d", (int)attachment->pid);
		if (strcmp(name, client) == 0)
			return true;
	}
	return false;
}

/* Lists the clients, unless the client is ours, because ours are listed when they attach. */
static void take_client(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	static const struct parts clients = {.clients = true};
	if (!is_our_name(sync, event->client))
		lister_mark(sync, &clients);
}

static void doubt_window(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	if (!lister_reads_window(&sync->lister, event->window))
		lister_mark_window(sync, event->window);
}

static void doubt_session(struct muxbus_sync *sync, const struct muxbus_event *event)
{
	struct parts parts = {0};
	parts_add_session(&parts, event->session);
	parts.all = muxbus_model_session(sync->model, event->session) == NULL;
	lister_mark(sync, &parts);
}

static void take_sessions(struct muxbus_sync *sync, const struct muxbus_event *event UNUSED)
{
	lister_mark_all(sync);
}

static const struct kind kinds[] = {
    [MUXBUS_EVENT_CLIENT_DETACHED] = {true, take_client},
    [MUXBUS_EVENT_CLIENT_SESSION_CHANGED] = {true, take_client},
    [MUXBUS_EVENT_LAYOUT_CHANGE] = {true, NULL},
    [MUXBUS_EVENT_PANE_MODE_CHANGED] = {true, take_mode},
    [MUXBUS_EVENT_SESSION_CHANGED] = {true, NULL},
    [MUXBUS_EVENT_SESSION_RENAMED] = {true, take_session_name, doubt_session},
    [MUXBUS_EVENT_SESSION_WINDOW_CHANGED] = {true, take_current_window, doubt_session},
    [MUXBUS_EVENT_SESSIONS_CHANGED] = {true, take_sessions},
    [MUXBUS_EVENT_UNLINKED_WINDOW_ADD] = {true, take_added},
    [MUXBUS_EVENT_UNLINKED_WINDOW_CLOSE] = {true, take_closed, doubt_closed},
    [MUXBUS_EVENT_UNLINKED_WINDOW_RENAMED] = {true, take_window_name, doubt_window},
    [MUXBUS_EVENT_WINDOW_ADD] = {true, take_added},
    [MUXBUS_EVENT_WINDOW_CLOSE] = {true, take_closed, doubt_closed},
    [MUXBUS_EVENT_WINDOW_PANE_CHANGED] = {true, take_active_pane, doubt_window},
    [MUXBUS_EVENT_WINDOW_RENAMED] = {true, take_window_name, doubt_window},
};

#define KINDS (sizeof kinds / sizeof kinds[0])

bool announced_changes_model(enum muxbus_event_kind kind)
{
	return (size_t)kind < KINDS && kinds[kind].changes_model;
}

static bool is_believed(const struct muxbus_sync *sync, const struct muxbus_event *event)
{
	return event->is_certain && clock_mono_ms() >= sync->distrust_until_ms;
}

void announced_note_text(struct muxbus_sync *sync)
{
	sync->distrust_until_ms = clock_mono_ms() + DISTRUST_MS;
}

void announced_take(
    struct muxbus_sync *sync, struct attachment *attachment, const struct muxbus_event *event)
{
	bool believed = is_believed(sync, event);
	const struct kind *kind = &kinds[event->kind];
	if (sync->state != MUXBUS_SYNC_LIVE) {
		lister_mark_all(sync);
		return;
	}
	if (believed)
		seen_ids_note(&sync->seen_ids, event);
	leaving_note(sync, event, attachment == sync->primary);
	if (event->kind == MUXBUS_EVENT_LAYOUT_CHANGE)
		take_layout(sync, attachment, event, believed && attachment == sync->primary);
	else if (attachment == sync->primary && kind->doubt != NULL && !believed)
		kind->doubt(sync, event);
	else if (attachment == sync->primary && kind->take != NULL)
		kind->take(sync, event);
}
