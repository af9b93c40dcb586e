/* SPDX-License-Identifier: ISC */
/* Merges the records that were read with the rest of the old model. Copies all strings. */
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

static int copy_sessions(struct merge *merge)
{
	const struct muxbus_session *session = NULL;
	int error = 0;
	while (
	    error == 0 && (session = muxbus_model_next_session(merge->before, session)) != NULL) {
		struct muxbus_session copy = *session;
		if (was_session_read(merge, session->id))
			continue;
		copy.windows = 0;
		copy.attached = 0;
		copy.current_window = MUXBUS_NO_ID;
		error = model_keep_text(merge->model, &copy.name);
		if (error == 0)
			error = model_add_session(merge->model, &copy);
	}
	return error;
}

/*
 * Compares an old link with the links of the windows that were read. Returns false if the link is
 * outdated.
 */
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

static int add_link(struct merge *merge, const struct muxbus_link *link)
{
	int error = model_add_link(merge->model, link);
	if (error == 0 && map_set(&merge->linked, link->window, merge) != 0)
		error = MUXBUS_ERR_NOMEM;
	return error;
}

static int copy_links(struct merge *merge)
{
	const struct muxbus_link *link = NULL;
	int error = 0;
	while (error == 0 && (link = muxbus_model_next_link(merge->before, link)) != NULL) {
		struct muxbus_link copy = *link;
		if (was_session_read(merge, link->session) ||
		    (merge->drop != NULL && merge->drop->window == link->window))
			continue;
		if (merge->read == NULL || fit_link(merge, &copy))
			error = add_link(merge, &copy);
	}
	return error;
}

/* Adds to `linked` the windows whose links the new model already has: those of listed sessions. */
static int note_links(struct merge *merge)
{
	next_each (const struct muxbus_link, link, muxbus_model_next_link, merge->model)
		if (map_set(&merge->linked, link->window, merge) != 0)
			return MUXBUS_ERR_NOMEM;
	return 0;
}

static int copy_windows(struct merge *merge)
{
	const struct muxbus_window *window = NULL;
	int error = 0;
	while (error == 0 && (window = muxbus_model_next_window(merge->before, window)) != NULL) {
		struct muxbus_window copy = *window;
		if (was_window_read(merge, window->id) ||
		    map_get(&merge->linked, window->id) == NULL)
			continue;
		copy.panes = 0;
		copy.active_pane = MUXBUS_NO_ID;
		copy.has_bell = copy.has_activity = copy.has_silence = false;
		error = model_keep_text(merge->model, &copy.name);
		if (error == 0)
			error = model_keep_text(merge->model, &copy.layout);
		if (error == 0)
			error = model_keep_text(merge->model, &copy.visible_layout);
		if (error == 0)
			error = model_add_window(merge->model, &copy);
	}
	return error;
}

/* Updates a pane's details. Lists its window next if the listing lacks or contradicts the pane. */
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

static int copy_pane(struct merge *merge, const struct muxbus_pane *pane)
{
	struct muxbus_pane copy = *pane;
	int error;
	if (merge->read != NULL && merge->read->parts->details)
		take_detail(merge, &copy);
	error = model_keep_text(merge->model, &copy.tty);
	if (error == 0)
		error = model_keep_text(merge->model, &copy.title);
	if (error == 0)
		error = model_keep_text(merge->model, &copy.command);
	if (error == 0)
		error = model_keep_text(merge->model, &copy.path);
	if (error == 0)
		error = model_keep_text(merge->model, &copy.mode);
	return error == 0 ? model_add_pane(merge->model, &copy) : error;
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

static int copy_panes(struct merge *merge)
{
	const struct muxbus_pane *pane = NULL;
	int error = 0;
	while (error == 0 && (pane = muxbus_model_next_pane(merge->before, pane)) != NULL)
		if (!is_pane_gone(merge, pane))
			error = copy_pane(merge, pane);
	return error;
}

static int copy_clients(struct merge *merge)
{
	const struct muxbus_client *client = NULL;
	int error = 0;
	if (merge->read != NULL && merge->read->parts->clients)
		return 0;
	while (error == 0 && (client = muxbus_model_next_client(merge->before, client)) != NULL) {
		struct muxbus_client copy = *client;
		error = model_keep_text(merge->model, &copy.name);
		if (error == 0)
			error = model_add_client(merge->model, &copy);
	}
	return error;
}

static int run(struct merge *merge)
{
	int error;
	map_init(&merge->linked);
	error = note_links(merge);
	if (error == 0)
		error = copy_sessions(merge);
	if (error == 0)
		error = copy_links(merge);
	if (error == 0)
		error = copy_windows(merge);
	if (error == 0)
		error = copy_panes(merge);
	if (error == 0)
		error = copy_clients(merge);
	map_finish(&merge->linked);
	return error == 0 ? model_finish(merge->model) : error;
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
