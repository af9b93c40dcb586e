/* SPDX-License-Identifier: ISC */
/* One row of a frame of muxbus top, from left to right. No input or output. */
#ifndef CLI_TOP_LINE_H
#define CLI_TOP_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "cli/screen_text.h"

struct top_line {
	struct buf *out;
	size_t columns; /* of the row */
	size_t used;
	bool has_style;
	bool has_color;
	bool is_marked; /* in reverse, all of it */
};

/* Begins a row in an empty buffer. */
void top_line_begin(struct top_line *line, struct buf *out, size_t columns, bool has_style,
    bool has_color, bool is_marked);
/* A marked row is filled up; styles end. */
void top_line_end(struct top_line *line);

/* Untrusted text in at most width cells. Returns how many it took. */
size_t top_line_put(
    struct top_line *line, enum screen_style style, const void *bytes, size_t len, size_t width);
size_t top_line_put_str(struct top_line *line, enum screen_style style, const char *text);
/* The same, of its end what fits. */
size_t top_line_put_end(
    struct top_line *line, enum screen_style style, const char *text, size_t width);
/* Blanks; as many as fit. */
void top_line_blank(struct top_line *line, size_t width);
/* Cells that are left. */
size_t top_line_left(const struct top_line *line);

/*
 * The colours of a captured screen, from one line to the next: only those sequences go through
 * that set them; links are left out, and anything else is made visible. Zeroed at its start.
 */
struct top_ink {
	char text[256]; /* the sequences since the last that reset all */
	size_t len;
	bool is_drawing; /* the other character set, with lines instead of letters */
};

/* A line of a captured screen, as far as it fits. line NULL: only what goes on behind it. */
void top_line_put_screen(struct top_line *line, struct top_ink *ink, const char *bytes, size_t len);

/* Text in exactly width cells, to the left or to the right. */
void top_line_cell(
    struct top_line *line, enum screen_style style, const char *text, size_t width, bool is_right);

#endif
