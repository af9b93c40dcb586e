/* SPDX-License-Identifier: ISC */
/*
 * The home list of muxbus top: agents, jobs, late notifications and panes. First come items that
 * need a person, then running, then finished ones, then all panes by session and window. In a
 * fleet, panes are sorted by host first.
 */
#pragma once

#include "cli/top/top_line.h"
#include "cli/top/top_model.h"

#define TOP_HOME_NOTICES_MAX 3 /* maximum number of late notifications that are shown */

/* Returns the number of items. *ret_items is their array, which the caller frees; NULL if none. */
size_t top_home_items(const struct top_model *model, const struct top_item ***ret_items);
size_t top_home_needs(const struct top_model *model); /* number of items that need a person */

/* Draws the row of an item. before: the item in the row above, or NULL. */
void top_home_draw(struct top_line *line, const struct top_item *item,
    const struct top_item *before, int64_t now_ms);
