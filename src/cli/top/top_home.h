/* SPDX-License-Identifier: ISC */
/*
 * The home list of muxbus top: items of the other lists by what they mean to a person. First what
 * needs one, then what runs, what has finished, and all panes by session and window. No input or
 * output.
 */
#pragma once

#include "cli/top/top_line.h"
#include "cli/top/top_model.h"

#define TOP_HOME_NOTICES_MAX 3 /* undelivered notifications that are shown */

/* The items in order; *ret_items is memory of mem_alloc(), NULL if there are none. */
size_t top_home_items(const struct top_model *model, const struct top_item ***ret_items);
/* How many need a person. */
size_t top_home_needs(const struct top_model *model);

/* Draws a row. before: the item above it, or NULL. */
void top_home_draw(struct top_line *line, const struct top_item *item,
    const struct top_item *before, int64_t now_ms);
