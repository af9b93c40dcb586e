/* SPDX-License-Identifier: ISC */
/*
 * Text for a terminal. Text from panes, jobs, files and peers is printed through here, so that
 * its control characters are visible and have no effect. Only our own colours pass.
 */
#pragma once

#include "base/base.h"

enum screen_style {
	SCREEN_PLAIN,
	SCREEN_BOLD,
	SCREEN_DIM,
	SCREEN_GOOD,
	SCREEN_BAD,
	SCREEN_WARN,
	SCREEN_NAME, /* of a pane, a job or another object */
};

/* Whether to use colours on a descriptor: a terminal that is not dumb, without NO_COLOR. */
bool screen_has_color(int fd);

/* Whether a descriptor is a terminal that can erase a line. */
bool screen_has_cursor(int fd);

/*
 * Whether we may draw on a descriptor: not while we are a background job of a shell there, whose
 * foreground job has the screen.
 */
bool screen_is_ours(int fd);

/* The columns of a terminal: of fd, else $COLUMNS, else 80; 20 to 10000. */
int screen_columns(int fd);

/* The sequence that begins a style; "" without colours. SCREEN_PLAIN ends any. */
const char *screen_style(bool has_color, enum screen_style style);

/*
 * Appends untrusted text as one line: control characters (newlines and tabs too), bidi controls
 * and invalid UTF-8 are made visible, as \n, \x1b, \u202e.
 */
int screen_text_line(struct buf *out, const void *bytes, size_t len);

/* The same, but newlines and tabs stay. */
int screen_text_block(struct buf *out, const void *bytes, size_t len);

/*
 * The same, and the sequences that change colours and styles stay (SGR). Returns the bytes at the
 * end that were not appended, since a character or a sequence may begin there.
 */
size_t screen_text_colors(struct buf *out, const void *bytes, size_t len);

/*
 * Appends untrusted text as one line of at most `columns` columns, with "…" at the end if it was
 * cut. Returns its columns.
 */
size_t screen_text_cut(struct buf *out, const void *bytes, size_t len, size_t columns);

/*
 * Appends untrusted text and a newline, wrapped at spaces to `columns` columns (0: not wrapped);
 * longer words stay whole. All lines but the first begin with `indent` spaces. The first
 * continues at column `at`, which is `indent` if the line is empty so far.
 */
void screen_text_wrap(struct buf *out, const char *text, size_t columns, size_t indent, size_t at);

/* Prints one line of untrusted text to a stream. */
void screen_print_line(FILE *stream, const char *text);
