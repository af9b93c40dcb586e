/* SPDX-License-Identifier: ISC */
/* One row of a frame of muxbus top, from left to right. No input or output. */
#pragma once

#include "cli/screen_text.h"

struct top_line {
	struct buf *out;
	size_t columns; /* of the row */
	size_t used;
	bool has_style;
	bool has_color;
	bool is_marked; /* the whole row in reverse */
};

/* Begins a row in an empty buffer. */
void top_line_begin(struct top_line *line, struct buf *out, size_t columns, bool has_style,
    bool has_color, bool is_marked);
/* Fills up a marked row and ends styles. */
void top_line_end(struct top_line *line);

/* Appends untrusted text in at most width cells. Returns the number of cells used. */
size_t top_line_put(
    struct top_line *line, enum screen_style style, const void *bytes, size_t len, size_t width);
size_t top_line_put_str(struct top_line *line, enum screen_style style, const char *text);
/* The same, but keeps the end of the text. */
size_t top_line_put_end(
    struct top_line *line, enum screen_style style, const char *text, size_t width);
/* Appends blanks, as many as fit. */
void top_line_blank(struct top_line *line, size_t width);
/* The number of free cells. */
size_t top_line_left(const struct top_line *line);

/*
 * The colours of a captured screen, carried from line to line: only sequences that set colours
 * pass; links are left out, and other sequences are made visible. Initialised with zeros.
 */
struct top_ink {
	char text[256]; /* the sequences since the last reset */
	size_t len;
	bool is_drawing; /* the line-drawing character set is active */
};

/*
 * Appends a line of a captured screen, as far as it fits. line NULL: only updates the colours for
 * the next line.
 */
void top_line_put_screen(struct top_line *line, struct top_ink *ink, const char *bytes, size_t len);

/* Appends text in exactly width cells, aligned to the left or to the right. */
void top_line_cell(
    struct top_line *line, enum screen_style style, const char *text, size_t width, bool is_right);

#define TOP_AGE_SIZE 32

/*
 * A duration in two parts, "5s", "3m20", "2h05", "4d", or in one, so that few change each second;
 * and an age: in one part, or "now".
 */
void top_format_seconds(char *out, size_t size, int64_t seconds, bool has_two);
void top_format_age(char *out, size_t size, int64_t seconds);
