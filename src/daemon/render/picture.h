/* SPDX-License-Identifier: ISC */
/*
 * Renders pictures of panes: output of capture-pane -e as SVG 1.1 or as an HTML page. A picture is
 * self-contained: it loads nothing and runs nothing. Output of programs appears only as text.
 */
#pragma once

#include "base/base.h"

#define PICTURE_COLUMNS_MAX 10000 /* the widest tmux window; further columns are cut off */
#define PICTURE_TITLE_MAX 200 /* the longest title in bytes; the rest is cut off */

struct picture {
	const uint8_t *text; /* lines with their newlines and escape sequences */
	size_t len;
	unsigned first; /* index of the first line shown; colours of earlier lines carry over */
	unsigned rows; /* number of lines shown; missing lines are blank */
	unsigned columns;
	int64_t cursor_row; /* in the picture; -1: not visible */
	unsigned cursor_column;
	const char *title; /* any bytes; NULL: no title */
	bool is_light; /* dark text on a light ground */
	bool has_frame; /* draw a title bar above the text */
	bool joins_emoji; /* tmux is 3.4 or later: see struct picture_state */
};

/*
 * Returns the number of columns that the first len bytes of a row take on a screen with `columns`
 * columns. Characters that join count once; a tab goes to the next tab stop.
 */
unsigned picture_width(const uint8_t *line, size_t len, unsigned columns, bool joins_emoji);

/* Both append the picture to out. They return 0, or an enum buf_error if out has only a part. */
int picture_svg(struct buf *out, const struct picture *picture);
int picture_html(struct buf *out, const struct picture *picture);
