/* SPDX-License-Identifier: ISC */
#include "lib/sync/leaving.h"

#include "lib/model/merge.h"
#include "lib/model/model.h"
#include "lib/model/tiles.h"
#include "lib/sync/lister.h"
#include "lib/sync/publish.h"
#include "lib/sync/track.h"

/* Time until the server is asked whether panes that left a window are in another one. */
#define DOUBT_MS 40

void leaving_finish(struct muxbus_sync *sync)
{
	loop_timeout_stop(&sync->leaving.timer);
	mem_free(sync->leaving.layout);
	sync->leaving.layout = NULL;
	sync->leaving.is_held = false;
}

static void give_up(void *data)
{
	struct muxbus_sync *sync = data;
	uint32_t id = sync->leaving.window;
	const struct muxbus_link *link = model_first_link(sync->model, id);
	const struct muxbus_pane *pane = model_first_pane(sync->model, id);
	bool is_closed = sync->leaving.layout == NULL;
	struct parts parts = {0};
	if (!sync->leaving.is_held)
		return;
	leaving_finish(sync);
	for (; is_closed && link != NULL; link = model_next_window_link(sync->model, link))
		parts_add_session(&parts, link->session);
	if (!is_closed)
		parts_add_window(&parts, id);
	for (; pane != NULL; pane = model_next_window_pane(sync->model, pane))
		parts_add_place(&parts, pane->id);
	lister_mark(sync, &parts);
}

/* The first and last index of a session show whether tmux has renumbered its windows. */
static void add_ends(const struct muxbus_sync *sync, struct parts *parts, uint32_t window)
{
	const struct muxbus_link *link = model_first_link(sync->model, window);
	if (link != NULL && muxbus_model_session(sync->model, link->session)->windows > 1)
		parts_add_ends(parts, link->session);
}

/* Returns true if all leaving panes have closed. Asks tmux once if they have moved instead. */
static bool is_over(struct muxbus_sync *sync, const struct tiles *tiles)
{
	const struct muxbus_pane *pane = model_first_pane(sync->model, sync->leaving.window);
	const struct lister *lister = &sync->lister;
	struct parts places = {0};
	bool is_answered = sync->leaving.is_asked;
	for (; pane != NULL; pane = model_next_window_pane(sync->model, pane)) {
		if (tiles_find(tiles, pane->id) != NULL)
			continue;
		if (!track_is_over(sync, pane) || track_exit_is_awaited(sync, pane))
			return false;
		parts_add_place(&places, pane->id);
		is_answered &= !part_ids_have(&lister->dirty.places, pane->id) &&
		    !(lister->is_running && part_ids_have(&lister->running.places, pane->id));
	}
	if (is_answered || parts_are_empty(&places))
		return true;
	if (sync->leaving.is_asked)
		return false;
	if (sync->leaving.layout == NULL)
		add_ends(sync, &places, sync->leaving.window);
	lister_mark(sync, &places);
	sync->leaving.is_asked = true;
	return false;
}

static void drop_window(struct muxbus_sync *sync, uint32_t window)
{
	struct merge_drop drop = {.window = window};
	struct parts parts = {0};
	struct muxbus_model *model;
	if (model_first_link(sync->model, window) == NULL)
		return;
	if (!sync->leaving.is_asked)
		add_ends(sync, &parts, window);
	model = publish_copy(sync, &drop);
	if (model == NULL)
		return;
	publish_changed(sync, model);
	lister_mark(sync, &parts);
}

static void try_layout(struct muxbus_sync *sync)
{
	const struct muxbus_window *window = muxbus_model_window(sync->model, sync->leaving.window);
	uint32_t active = sync->leaving.active;
	struct muxbus_model *model;
	struct tiles tiles;
	bool is_ready;
	if (window == NULL || !tiles_read(&tiles, sync->leaving.layout)) {
		give_up(sync);
		return;
	}
	if (active == MUXBUS_NO_ID)
		active = window->active_pane;
	is_ready = tiles_find(&tiles, active) != NULL && is_over(sync, &tiles);
	tiles_finish(&tiles);
	if (!is_ready)
		return;
	if (tiles_apply(sync->model, window->id, sync->leaving.layout, active, &model) != 0) {
		give_up(sync);
		return;
	}
	leaving_finish(sync);
	publish_changed(sync, model);
}

void leaving_settle(struct muxbus_sync *sync)
{
	static const struct tiles none;
	uint32_t window = sync->leaving.window;
	if (!sync->leaving.is_held)
		return;
	if (sync->lister.dirty.all || part_ids_have(&sync->lister.dirty.windows, window)) {
		give_up(sync);
	} else if (sync->leaving.layout != NULL) {
		try_layout(sync);
	} else if (is_over(sync, &none)) {
		leaving_finish(sync);
		drop_window(sync, window);
	}
}

void leaving_hold(struct muxbus_sync *sync, uint32_t window, const char *layout)
{
	give_up(sync);
	sync->leaving.window = window;
	sync->leaving.active = MUXBUS_NO_ID;
	sync->leaving.is_held = true;
	sync->leaving.is_asked = false;
	if (layout != NULL) {
		sync->leaving.layout = mem_strdup(layout);
		if (sync->leaving.layout == NULL) {
			leaving_finish(sync);
			lister_mark_window(sync, window);
			return;
		}
	}
	loop_timeout_start(&sync->leaving.timer, DOUBT_MS);
	sync_settle_later(sync);
}

/* Returns true if an event may show where the leaving panes are, or changes their window again. */
static bool may_conflict(
    const struct muxbus_sync *sync, const struct muxbus_event *event, bool is_primary)
{
	switch (event->kind) {
	case MUXBUS_EVENT_LAYOUT_CHANGE:
		return true;
	case MUXBUS_EVENT_WINDOW_ADD:
	case MUXBUS_EVENT_UNLINKED_WINDOW_ADD:
		return is_primary;
	case MUXBUS_EVENT_WINDOW_PANE_CHANGED:
		return event->window != sync->leaving.window;
	case MUXBUS_EVENT_WINDOW_CLOSE:
	case MUXBUS_EVENT_UNLINKED_WINDOW_CLOSE:
		return is_primary && event->window == sync->leaving.window;
	default:
		return false;
	}
}

bool leaving_take_active(struct muxbus_sync *sync, uint32_t window, uint32_t pane)
{
	if (!sync->leaving.is_held || sync->leaving.window != window)
		return false;
	sync->leaving.active = pane;
	sync_settle_later(sync);
	return true;
}

void leaving_note(struct muxbus_sync *sync, const struct muxbus_event *event, bool is_primary)
{
	if (sync->leaving.is_held && may_conflict(sync, event, is_primary))
		give_up(sync);
}

bool leaving_ask(struct muxbus_sync *sync)
{
	bool was_held = sync->leaving.is_held;
	give_up(sync);
	return was_held;
}

void leaving_init(struct muxbus_sync *sync)
{
	loop_timeout_init(&sync->leaving.timer, sync->loop, give_up, sync);
}
