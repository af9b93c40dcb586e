/* SPDX-License-Identifier: ISC */
#include "lib/model/merge.h"

#include "lib/model/fields.h"
#include "lib/model/model.h"

struct merge {
	struct muxbus_model *model;
	const struct muxbus_model *before;
	const struct merge_read *read; /* NULL: no records were read */
	const struct merge_drop *drop; /* NULL: no objects have closed */
	struct parts *more;
	struct map linked; /* set of the windows with a link in the new model */
};

static bool was_window_read(const struct merge *merge, uint32_t window)
{
	return merge->read != NULL && part_ids_have(&merge->read->parts->windows, window);
}

static bool was_session_read(const struct merge *merge, uint32_t session)
{
	return merge->read != NULL &&
	    (merge->read->parts->tree || part_ids_have(&merge->read->parts->sessions, session));
}

static void copy_sessions(struct merge *merge)
{
	next_each (const struct muxbus_session, session, muxbus_model_next_session, merge->before) {
		struct muxbus_session copy = *session;
		if (was_session_read(merge, session->id))
			continue;
		copy.windows = 0;
		copy.attached = 0;
		copy.current_window = MUXBUS_NO_ID;
		model_keep_text(merge->model, &copy.name);
		model_add_session(merge->model, &copy);
	}
}

/* Compares an old link with the links of windows that were read. False: the old one is replaced. */
static bool fit_link(struct merge *merge, struct muxbus_link *link)
{
	for (unsigned i = 0; i < merge->read->link_count; i++) {
		const struct muxbus_link *now = &merge->read->links[i];
		if (now->session != link->session)
			continue;
		if (now->window != link->window) {
			if (now->index == link->index)
				parts_add_session(merge->more, link->session);
			link->is_current = link->is_current && !now->is_current;
			continue;
		}
		if (now->index != link->index || (link->is_current && !now->is_current))
			parts_add_session(merge->more, link->session);
		return false;
	}
	return true;
}

static void note_link(struct merge *merge, const struct muxbus_link *link)
{
	if (map_set(&merge->linked, link->window, merge) != 0)
		model_fail(merge->model);
}

static void copy_links(struct merge *merge)
{
	next_each (const struct muxbus_link, link, muxbus_model_next_link, merge->before) {
		struct muxbus_link copy = *link;
		if (was_session_read(merge, link->session) ||
		    (merge->drop != NULL && merge->drop->window == link->window))
			continue;
		if (merge->read != NULL && !fit_link(merge, &copy))
			continue;
		model_add_link(merge->model, &copy);
		note_link(merge, &copy);
	}
}

static void note_links(struct merge *merge)
{
	next_each (const struct muxbus_link, link, muxbus_model_next_link, merge->model)
		note_link(merge, link);
}

static void copy_windows(struct merge *merge)
{
	next_each (const struct muxbus_window, window, muxbus_model_next_window, merge->before) {
		struct muxbus_window copy = *window;
		if (was_window_read(merge, window->id) ||
		    map_get(&merge->linked, window->id) == NULL)
			continue;
		copy.panes = 0;
		copy.active_pane = MUXBUS_NO_ID;
		copy.has_bell = copy.has_activity = copy.has_silence = false;
		model_keep_text(merge->model, &copy.name);
		model_keep_text(merge->model, &copy.layout);
		model_keep_text(merge->model, &copy.visible_layout);
		model_add_window(merge->model, &copy);
	}
}

/* Updates a pane's details. If the listing lacks or contradicts the pane, lists its window next. */
static void take_detail(struct merge *merge, struct muxbus_pane *pane)
{
	const struct pane_detail *detail = map_get(&merge->read->details, pane->id);
	if (detail == NULL || detail->window != pane->window) {
		parts_add_window(merge->more, pane->window);
		return;
	}
	if (detail->width != pane->width || detail->height != pane->height ||
	    detail->top != pane->top)
		parts_add_window(merge->more, pane->window);
	pane->title = detail->title;
	pane->alternate_screen = detail->alternate_screen;
	pane->input_off = detail->input_off;
	pane->is_synchronized = detail->is_synchronized;
	pane->mouse_any = detail->mouse_any;
}

static void copy_pane(struct merge *merge, const struct muxbus_pane *pane)
{
	struct muxbus_pane copy = *pane;
	if (merge->read != NULL && merge->read->parts->details)
		take_detail(merge, &copy);
	model_keep_text(merge->model, &copy.tty);
	model_keep_text(merge->model, &copy.title);
	model_keep_text(merge->model, &copy.command);
	model_keep_text(merge->model, &copy.path);
	model_keep_text(merge->model, &copy.mode);
	model_add_pane(merge->model, &copy);
}

static bool is_pane_gone(const struct merge *merge, const struct muxbus_pane *pane)
{
	if (map_get(&merge->linked, pane->window) == NULL)
		return true;
	if (merge->drop != NULL && map_get(&merge->drop->panes, pane->id) != NULL)
		return true;
	return was_window_read(merge, pane->window) ||
	    (merge->read != NULL && map_get(&merge->read->panes, pane->id) != NULL);
}

static void copy_panes(struct merge *merge)
{
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, merge->before)
		if (!is_pane_gone(merge, pane))
			copy_pane(merge, pane);
}

static void copy_clients(struct merge *merge)
{
	if (merge->read != NULL && merge->read->parts->clients)
		return;
	next_each (const struct muxbus_client, client, muxbus_model_next_client, merge->before) {
		struct muxbus_client copy = *client;
		model_keep_text(merge->model, &copy.name);
		model_add_client(merge->model, &copy);
	}
}

static int run(struct merge *merge)
{
	map_init(&merge->linked);
	note_links(merge);
	copy_sessions(merge);
	copy_links(merge);
	copy_windows(merge);
	copy_panes(merge);
	copy_clients(merge);
	map_finish(&merge->linked);
	return model_finish(merge->model);
}

int merge_rest(struct muxbus_model *model, const struct muxbus_model *before,
    const struct merge_read *read, struct parts *more)
{
	struct merge merge = {.model = model, .before = before, .read = read, .more = more};
	return run(&merge);
}

int merge_copy(const struct muxbus_model *before, const struct merge_drop *drop,
    struct muxbus_model **ret_model)
{
	struct merge merge = {.before = before, .drop = drop};
	int error = model_new(&merge.model);
	if (error != 0)
		return error;
	error = run(&merge);
	if (error != 0) {
		model_free(merge.model);
		return error;
	}
	*ret_model = merge.model;
	return 0;
}
