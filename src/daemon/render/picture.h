/* SPDX-License-Identifier: ISC */
/* Output of capture-pane -e as SVG 1.1 or HTML. A picture loads nothing and runs nothing. */
#pragma once

#include "base/base.h"

#define PICTURE_COLUMNS_MAX 10000 /* of the widest tmux window; further columns are cut off */
#define PICTURE_TITLE_MAX 200 /* bytes; the rest is cut off */

struct picture {
	const uint8_t *text; /* lines with their newlines and escape sequences */
	size_t len;
	unsigned first; /* first line shown; colours of earlier lines carry over */
	unsigned rows; /* lines shown; missing lines are blank */
	unsigned columns;
	int64_t cursor_row; /* in the picture; -1: not visible */
	unsigned cursor_column;
	const char *title; /* any bytes; NULL: no title */
	bool is_light; /* dark text on a light ground */
	bool has_frame; /* a title bar above the text */
	bool joins_emoji; /* tmux is 3.4 or later: see struct picture_state */
};

/* Returns columns. Characters that join count once; a tab goes to the next tab stop. */
unsigned picture_width(const uint8_t *line, size_t len, unsigned columns, bool joins_emoji);

/* Both return 0, or an enum buf_error if out has only a part. */
int picture_svg(struct buf *out, const struct picture *picture);
int picture_html(struct buf *out, const struct picture *picture);
