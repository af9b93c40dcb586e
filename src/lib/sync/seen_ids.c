/* SPDX-License-Identifier: ISC */
#include "lib/sync/seen_ids.h"

void seen_ids_init(struct seen_ids *list)
{
	list->count = 0;
	list->last_window = -1;
	list->last_pane = -1;
}

static void add(struct seen_ids *list, uint32_t window, uint32_t pane)
{
	bool is_new = pane != MUXBUS_NO_ID ? pane > list->last_pane : window > list->last_window;
	if (!is_new || list->count == SEEN_IDS_MAX)
		return;
	for (unsigned i = 0; i < list->count; i++) {
		struct seen_id *known = &list->items[i];
		if (known->pane == pane && (pane != MUXBUS_NO_ID || known->window == window)) {
			known->window = window;
			return;
		}
	}
	list->items[list->count++] = (struct seen_id){.window = window, .pane = pane};
}

void seen_ids_note(struct seen_ids *list, const struct muxbus_event *event)
{
	struct muxbus_layout *layout;
	if (event->window == MUXBUS_NO_ID || list->last_window < 0)
		return;
	add(list, event->window, MUXBUS_NO_ID);
	if (event->pane != MUXBUS_NO_ID)
		add(list, event->window, event->pane);
	if (event->layout == NULL ||
	    muxbus_layout_parse(event->layout, strlen(event->layout), &layout) != 0)
		return;
	for (uint32_t i = 0; i < layout->count; i++)
		if (layout->cells[i].pane != MUXBUS_NO_ID)
			add(list, event->window, layout->cells[i].pane);
	muxbus_layout_free(layout);
}

void seen_ids_begin_listing(struct seen_ids *list, const struct parts *parts)
{
	for (unsigned i = 0; i < list->count; i++)
		list->items[i].is_due |=
		    parts->all || part_ids_have(&parts->windows, list->items[i].window);
}

static bool is_known(const struct muxbus_model *model, const struct seen_id *id)
{
	if (id->pane != MUXBUS_NO_ID)
		return muxbus_model_pane(model, id->pane) != NULL;
	return muxbus_model_window(model, id->window) != NULL;
}

static void take_out(struct seen_ids *list, unsigned position)
{
	list->count--;
	memmove(&list->items[position], &list->items[position + 1],
	    (list->count - position) * sizeof list->items[0]);
}

bool seen_ids_next_missed(
    struct seen_ids *list, const struct muxbus_model *model, struct seen_id *ret_id)
{
	for (unsigned i = 0; i < list->count; i++) {
		struct seen_id id = list->items[i];
		if (!id.is_due || is_known(model, &id))
			continue;
		take_out(list, i);
		if (id.pane != MUXBUS_NO_ID && id.pane > list->last_pane)
			list->last_pane = id.pane;
		if (id.pane == MUXBUS_NO_ID && id.window > list->last_window)
			list->last_window = id.window;
		*ret_id = id;
		return true;
	}
	return false;
}

void seen_ids_end_listing(struct seen_ids *list, const struct muxbus_model *model)
{
	for (unsigned i = list->count; i-- > 0;)
		if (is_known(model, &list->items[i]))
			take_out(list, i);
	next_each (const struct muxbus_window, window, muxbus_model_next_window, model)
		if (window->id > list->last_window)
			list->last_window = window->id;
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, model)
		if (pane->id > list->last_pane)
			list->last_pane = pane->id;
}
