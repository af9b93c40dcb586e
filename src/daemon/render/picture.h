/* SPDX-License-Identifier: ISC */
/*
 * Pictures of panes: what capture-pane -e gives, as SVG 1.1 or as a page of HTML. They stand
 * for themselves: nothing is loaded from anywhere, nothing in them runs, and what a program
 * wrote is text in them and nothing else.
 */
#ifndef DAEMON_RENDER_PICTURE_H
#define DAEMON_RENDER_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define PICTURE_COLUMNS_MAX 10000 /* as wide as tmux makes a window; what is behind is cut */
#define PICTURE_TITLE_MAX 200 /* bytes of a title that are shown */

struct picture {
	const uint8_t *text; /* lines with their newline and their escape sequences */
	size_t len;
	unsigned first; /* lines before this one are left out, but say what looks go on */
	unsigned rows; /* from there on; further lines are left out, missing ones are blank */
	unsigned columns;
	int64_t cursor_row; /* in the picture; -1: it does not show */
	unsigned cursor_column;
	const char *title; /* what it is called; may be anything */
	bool is_light; /* dark on light */
	bool has_frame; /* a bar with the title above it */
};

/* Both append the picture to out and return 0, or an enum buf_error: then out holds a part. */
int picture_svg(struct buf *out, const struct picture *picture);
int picture_html(struct buf *out, const struct picture *picture);

#endif
