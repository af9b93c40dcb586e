/* SPDX-License-Identifier: ISC */
/* Text of panes, jobs, files and peers for people, with control characters made visible. */
#pragma once

#include "base/base.h"

enum screen_style {
	SCREEN_PLAIN,
	SCREEN_BOLD,
	SCREEN_DIM,
	SCREEN_GOOD,
	SCREEN_BAD,
	SCREEN_WARN,
	SCREEN_NAME, /* a pane, a job or another object */
};

/* Returns true if a descriptor may get colours: a terminal, not dumb, without NO_COLOR. */
bool screen_has_color(int fd);

/* Returns true if a descriptor is a terminal that can erase a line. */
bool screen_has_cursor(int fd);

/* Returns true if we may draw on a terminal: false for a background job of its shell. */
bool screen_is_ours(int fd);

/* Returns the columns of the terminal at fd, else $COLUMNS, else 80; at least 20, at most 10000. */
int screen_columns(int fd);

/* Returns the sequence that starts a style, or "" without colours. SCREEN_PLAIN ends all styles. */
const char *screen_style(bool has_color, enum screen_style style);

/* Appends untrusted text as one line: str_append_visible(). Returns 0 or an enum buf_error. */
int screen_text_line(struct buf *out, const void *bytes, size_t len);

/* As screen_text_line(), but newlines and tabs stay. */
int screen_text_block(struct buf *out, const void *bytes, size_t len);

/*
 * As screen_text_block(), but colours and styles (SGR) stay. Returns the number of bytes of an
 * incomplete character or sequence at the end, which were not appended.
 */
size_t screen_text_colors(struct buf *out, const void *bytes, size_t len);

/* Appends untrusted text in at most `columns` columns, cut with "…". Returns the columns used. */
size_t screen_text_cut(struct buf *out, const void *bytes, size_t len, size_t columns);

/*
 * Appends text and a newline, wrapped at spaces to `columns` (0: not wrapped); longer words stay
 * whole. Lines after the first begin with `indent` spaces. at: the column of the cursor on the
 * first line; `indent` if that line has no text yet.
 */
void screen_text_wrap(struct buf *out, const char *text, size_t columns, size_t indent, size_t at);

/* Prints untrusted text to a stream as one line, without a newline. */
void screen_print_line(FILE *stream, const char *text);
