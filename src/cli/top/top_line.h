/* SPDX-License-Identifier: ISC */
/* A row of a frame of muxbus top, written from left to right. No I/O. */
#pragma once

#include "cli/screen_text.h"

struct top_line {
	struct buf *out;
	size_t columns;
	size_t used;
	bool has_style, has_color;
	bool is_marked; /* the row is shown in reverse */
};

/* Begins a row in `out`, and drops what `out` had. */
void top_line_begin(struct top_line *line, struct buf *out, size_t columns, bool has_style,
    bool has_color, bool is_marked);
/* Ends a row: a marked one is filled with blanks. */
void top_line_end(struct top_line *line);

/* Appends untrusted text in at most width cells. Returns the cells used. */
size_t top_line_put(
    struct top_line *line, enum screen_style style, const void *bytes, size_t len, size_t width);
size_t top_line_put_str(struct top_line *line, enum screen_style style, const char *text);
/* As top_line_put_str(), but keeps the end of a text that is too long. */
size_t top_line_put_end(
    struct top_line *line, enum screen_style style, const char *text, size_t width);
void top_line_blank(struct top_line *line, size_t width);
size_t top_line_left(const struct top_line *line);

/*
 * The colours and styles (SGR) of a captured screen, carried from line to line. Links are omitted,
 * and other sequences are made visible. Begins as all zeros.
 */
struct top_ink {
	char text[256]; /* sequences since the last reset */
	size_t len;
	bool is_drawing; /* the line-drawing character set is active */
};

/* Appends a line of a captured screen as far as it fits. If line is NULL, only updates ink. */
void top_line_put_screen(struct top_line *line, struct top_ink *ink, const char *bytes, size_t len);

/* Appends text in `width` cells, as far as the row has room, aligned left or right. */
void top_line_cell(
    struct top_line *line, enum screen_style style, const char *text, size_t width, bool is_right);

#define TOP_AGE_SIZE 32

/* Writes "5s", "3m20", "2h05" or "4d"; without has_two "5s", "3m", "2h" or "4d". */
void top_format_seconds(char *out, size_t size, int64_t seconds, bool has_two);
/* As top_format_seconds() without has_two, but "now" below one second. */
void top_format_age(char *out, size_t size, int64_t seconds);
