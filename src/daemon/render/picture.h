/* SPDX-License-Identifier: ISC */
/*
 * Pictures of panes: the output of capture-pane -e as SVG 1.1 or as a page of HTML. They are
 * self-contained: they load nothing, run nothing, and output of programs appears in them
 * only as text.
 */
#pragma once

#include "base/base.h"

#define PICTURE_COLUMNS_MAX 10000 /* the widest tmux window; the rest is cut */
#define PICTURE_TITLE_MAX 200 /* bytes of a title that are shown */

struct picture {
	const uint8_t *text; /* lines with their newline and their escape sequences */
	size_t len;
	unsigned first; /* earlier lines are left out, but their looks carry over */
	unsigned rows; /* from there; further lines are left out, missing ones are blank */
	unsigned columns;
	int64_t cursor_row; /* in the picture; -1: not visible */
	unsigned cursor_column;
	const char *title; /* any bytes */
	bool is_light; /* dark on light */
	bool has_frame; /* a bar with the title above it */
	bool joins_emoji; /* as tmux since 3.4: see picture_page.h */
};

/*
 * The columns that the first len bytes of a row take on a screen `columns` wide, which is the most.
 * Characters that join to one are counted once, and a tab goes to the next tab stop.
 */
unsigned picture_width(const uint8_t *line, size_t len, unsigned columns, bool joins_emoji);

/* Both append the picture to out and return 0, or an enum buf_error with a part in out. */
int picture_svg(struct buf *out, const struct picture *picture);
int picture_html(struct buf *out, const struct picture *picture);
