/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/way.h"

#include "daemon/deliver/person.h"

const struct way *const ways[] = {
    &way_follow, &way_hook, &way_queue_command, &way_shown, &way_on_notify, &way_typed, NULL};

bool way_wakes(const struct way *way)
{
	return way != &way_none && !way->is_for_person;
}

void way_find(const struct way_place *place, struct way_found *ret_found)
{
	int is_person = -1; /* -1: unknown */
	for (size_t at = 0; ways[at] != NULL; at++) {
		const struct way *way = ways[at];
		enum way_use use;
		if (place->needs_start && way->start == NULL)
			continue;
		if (way->is_for_person && is_person < 0)
			is_person = person_has_pane(place->parts, place->address);
		if (way->is_for_person && is_person == 0)
			continue;
		*ret_found = (struct way_found){.way = way, .by = way};
		use = way->use(place, ret_found);
		if (use == WAY_PASSES)
			continue;
		if (use != WAY_TAKES)
			ret_found->way = &way_none;
		ret_found->is_final = use == WAY_REFUSES;
		return;
	}
	*ret_found = (struct way_found){.way = &way_none, .by = &way_typed};
	snprintf(ret_found->text, WAY_TEXT_SIZE, "no way leads there");
}
