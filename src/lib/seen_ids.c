/* SPDX-License-Identifier: ISC */
/* What notifications named since the last listing. */
#include "lib/seen_ids.h"

#include <string.h>

void seen_ids_init(struct seen_ids_list *list)
{
	list->count = 0;
	list->last_window = -1;
	list->last_pane = -1;
}

static void add(struct seen_ids_list *list, uint32_t window, uint32_t pane)
{
	bool is_new = pane != MUXBUS_NO_ID ? pane > list->last_pane : window > list->last_window;

	if (!is_new || list->count == MENTIONS_MAX)
		return;
	for (unsigned i = 0; i < list->count; i++) {
		struct mention *known = &list->items[i];

		if (known->pane == pane && (pane != MUXBUS_NO_ID || known->window == window)) {
			known->window = window;
			return;
		}
	}
	list->items[list->count++] = (struct mention){.window = window, .pane = pane};
}

void seen_ids_note(struct seen_ids_list *list, const struct muxbus_event *event)
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
	for (uint32_t i = 0; i < layout->count; i++) {
		if (layout->cells[i].pane != MUXBUS_NO_ID)
			add(list, event->window, layout->cells[i].pane);
	}
	muxbus_layout_free(layout);
}

void seen_ids_begin_listing(struct seen_ids_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		list->items[i].is_due = true;
}

static bool is_known(const struct muxbus_model *model, const struct mention *mention)
{
	if (mention->pane != MUXBUS_NO_ID)
		return muxbus_model_pane(model, mention->pane) != NULL;
	return muxbus_model_window(model, mention->window) != NULL;
}

static void take_out(struct seen_ids_list *list, unsigned position)
{
	list->count--;
	memmove(&list->items[position], &list->items[position + 1],
	    (list->count - position) * sizeof list->items[0]);
}

bool seen_ids_next_missed(
    struct seen_ids_list *list, const struct muxbus_model *model, struct mention *ret_mention)
{
	for (unsigned i = 0; i < list->count; i++) {
		struct mention mention = list->items[i];

		if (!mention.is_due || is_known(model, &mention))
			continue;
		take_out(list, i);
		if (mention.pane != MUXBUS_NO_ID && mention.pane > list->last_pane)
			list->last_pane = mention.pane;
		if (mention.pane == MUXBUS_NO_ID && mention.window > list->last_window)
			list->last_window = mention.window;
		*ret_mention = mention;
		return true;
	}
	return false;
}

void seen_ids_end_listing(struct seen_ids_list *list, const struct muxbus_model *model)
{
	const struct muxbus_window *window = NULL;
	const struct muxbus_pane *pane = NULL;

	for (unsigned i = list->count; i-- > 0;) {
		if (is_known(model, &list->items[i]))
			take_out(list, i);
	}
	while ((window = muxbus_model_next_window(model, window)) != NULL) {
		if (window->id > list->last_window)
			list->last_window = window->id;
	}
	while ((pane = muxbus_model_next_pane(model, pane)) != NULL) {
		if (pane->id > list->last_pane)
			list->last_pane = pane->id;
	}
}
