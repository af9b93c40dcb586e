/* SPDX-License-Identifier: ISC */
/* How muxbus top is looked at: what is chosen, opened, filtered; what keys do. No input or output. */
#ifndef CLI_TOP_VIEW_H
#define CLI_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/top_keys.h"
#include "cli/top_model.h"

enum {
	TOP_FILTER_MAX = 60, /* bytes */
	TOP_PREVIEW_MAX = 256 * 1024, /* bytes of a captured pane */
	TOP_PANEL_ROWS_MIN = 30, /* screens as high as that show more of the chosen item below */
	TOP_LIST_ROWS_MIN = 8, /* of the list above it */
};

enum top_mode {
	TOP_MODE_LIST,
	TOP_MODE_DETAILS,
	TOP_MODE_CAPTURE,
	TOP_MODE_HELP,
};

enum top_prompt {
	TOP_PROMPT_NONE,
	TOP_PROMPT_FILTER,
	TOP_PROMPT_STOP, /* whether to stop the chosen item */
};

struct top_view {
	unsigned columns;
	unsigned rows;
	bool has_style; /* else not even bold */
	bool has_color;
	enum top_list list;
	enum top_mode mode;
	enum top_prompt prompt;
	char *chosen[TOP_LIST_COUNT_]; /* its id; NULL: the first */
	size_t place[TOP_LIST_COUNT_]; /* where it was last, for when it is gone */
	size_t scroll[TOP_LIST_COUNT_]; /* rows above the screen */
	size_t count; /* items that passed the filter when it was looked last */
	size_t text_scroll; /* of details, a capture or the help */
	char filter[TOP_FILTER_MAX + 1];
	bool is_paused;
	struct buf preview; /* what the pane shows */
	char preview_id[32]; /* which; "": none */
	char message[200]; /* of what was done; "": none */
};

enum top_action {
	TOP_NOTHING,
	TOP_CHANGED, /* to be drawn again */
	TOP_QUIT,
	TOP_SUSPEND,
	TOP_REDRAW, /* all of it */
	TOP_RESUME, /* no longer paused: what came meanwhile is to be asked for */
	TOP_STOP, /* the chosen item is to be stopped; this was confirmed */
};

void top_view_init(struct top_view *view, unsigned columns, unsigned rows);
void top_view_finish(struct top_view *view);

/* What a key does to the view, and what it asks of others. */
enum top_action top_view_key(
    struct top_view *view, const struct top_model *model, const struct top_key *key);

/*
 * The items of the list that is looked at which pass the filter, and where the chosen one is
 * among them; *ret_items is memory of mem_alloc(), NULL if there are none.
 */
size_t top_view_items(struct top_view *view, const struct top_model *model,
    const struct top_item ***ret_items, size_t *ret_chosen);

/* The chosen item, or NULL. */
const struct top_item *top_view_chosen(struct top_view *view, const struct top_model *model);

/* The pane whose screen is wanted now, or NULL. */
const char *top_view_wants(struct top_view *view, const struct top_model *model);

/* Takes what a pane shows. */
void top_view_preview(struct top_view *view, const char *pane, const void *text, size_t len);

/* Rows that the list, or the opened text, has; and those of the panel below (0: none). */
unsigned top_view_body(const struct top_view *view);
unsigned top_view_panel(const struct top_view *view);

#endif
