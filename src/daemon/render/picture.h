/* SPDX-License-Identifier: ISC */
/*
 * Pictures of panes: turns output of capture-pane -e into SVG 1.1 or HTML. A picture loads nothing
 * and runs nothing.
 */
#pragma once

#include "base/base.h"

#define PICTURE_COLUMNS_MAX 10000 /* the widest tmux window; further columns are cut off */
#define PICTURE_TITLE_MAX 200 /* maximum bytes; the rest is cut off */

struct picture {
	const uint8_t *text; /* lines with their newlines and escape sequences */
	size_t len;
	unsigned first; /* the first line that is shown; colours of earlier lines go on in it */
	unsigned rows; /* number of lines that are shown; missing ones are blank */
	unsigned columns;
	int64_t cursor_row; /* row in the picture; -1: the cursor is not visible */
	unsigned cursor_column;
	const char *title; /* any bytes; NULL: no title */
	bool is_light; /* dark text on a light ground */
	bool has_frame; /* a title bar above the text */
	bool joins_emoji; /* tmux 3.4 or later: see struct picture_state */
};

/*
 * Returns the number of columns of a line's text, at most `columns`. Characters that join others
 * count once. A tab goes to the next tab stop.
 */
unsigned picture_width(const uint8_t *line, size_t len, unsigned columns, bool joins_emoji);

/* Append a picture. Both return 0, or an enum buf_error if out has only a part of the picture. */
int picture_svg(struct buf *out, const struct picture *picture);
int picture_html(struct buf *out, const struct picture *picture);
