/* SPDX-License-Identifier: ISC */
#include "lib/model/parts.h"

bool part_ids_have(const struct part_ids *list, uint32_t id)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->ids[i] == id)
			return true;
	return false;
}

static void add(struct parts *parts, struct part_ids *list, uint32_t id)
{
	if (part_ids_have(list, id))
		return;
	if (list->count == PARTS_IDS_MAX)
		parts->all = true;
	else
		list->ids[list->count++] = id;
}

void parts_add_window(struct parts *parts, uint32_t window)
{
	add(parts, &parts->windows, window);
}

void parts_remove_window(struct parts *parts, uint32_t window)
{
	struct part_ids *list = &parts->windows;
	for (unsigned i = 0; i < list->count; i++)
		if (list->ids[i] == window)
			list->ids[i--] = list->ids[--list->count];
}

void parts_add_session(struct parts *parts, uint32_t session)
{
	add(parts, &parts->sessions, session);
}

void parts_add_ends(struct parts *parts, uint32_t session)
{
	add(parts, &parts->ends, session);
}

void parts_add_place(struct parts *parts, uint32_t pane)
{
	add(parts, &parts->places, pane);
}

void parts_add(struct parts *parts, const struct parts *more)
{
	for (unsigned i = 0; i < more->windows.count; i++)
		parts_add_window(parts, more->windows.ids[i]);
	for (unsigned i = 0; i < more->sessions.count; i++)
		parts_add_session(parts, more->sessions.ids[i]);
	for (unsigned i = 0; i < more->ends.count; i++)
		parts_add_ends(parts, more->ends.ids[i]);
	for (unsigned i = 0; i < more->places.count; i++)
		parts_add_place(parts, more->places.ids[i]);
	parts->all |= more->all;
	parts->indexes |= more->indexes;
	parts->details |= more->details;
	parts->titles |= more->titles;
	parts->tree |= more->tree;
	parts->layouts |= more->layouts;
	parts->clients |= more->clients;
}

bool parts_are_empty(const struct parts *parts)
{
	return !parts->all && parts->windows.count == 0 && parts->sessions.count == 0 &&
	    parts->ends.count == 0 && parts->places.count == 0 && !parts->indexes &&
	    !parts->details && !parts->titles && !parts->tree && !parts->layouts && !parts->clients;
}
