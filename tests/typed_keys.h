/* SPDX-License-Identifier: ISC */
/* Keys for the screen of muxbus top, as a terminal sends them. For its tests. */
#pragma once

#include <string.h>

#include "cli/top/top_view.h"

/* Types bytes; returns the action of the last key. */
static inline enum top_action type_keys(
    struct top_view *view, struct top_model *model, const char *bytes)
{
	struct top_keys keys = {.len = 0};
	struct top_key key;
	enum top_action action = TOP_NOTHING;
	top_keys_feed(&keys, bytes, strlen(bytes));
	while (top_keys_next(&keys, true, &key))
		action = top_view_key(view, model, &key);
	return action;
}
