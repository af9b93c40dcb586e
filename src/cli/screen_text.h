/* SPDX-License-Identifier: ISC */
/*
 * Text for a terminal. What comes from panes, jobs, files and peers is put out through here:
 * it shows what it is, and does nothing. Colours are ours alone.
 */
#ifndef CLI_SCREEN_TEXT_H
#define CLI_SCREEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"

enum screen_style {
	SCREEN_PLAIN,
	SCREEN_BOLD,
	SCREEN_DIM,
	SCREEN_GOOD,
	SCREEN_BAD,
	SCREEN_WARN,
	SCREEN_NAME, /* of a thing that can be asked for: a pane, a job */
};

/* Whether colours are welcome on a descriptor: a terminal, that is not dumb, and no NO_COLOR. */
bool screen_has_color(int fd);

/* Whether a descriptor is a terminal that can erase a line. */
bool screen_has_cursor(int fd);

/* The columns of a terminal: of fd, else of $COLUMNS, else 80; 20 to 10000. */
int screen_columns(int fd);

/* The sequence that begins a style; "" without colours. SCREEN_PLAIN ends any. */
const char *screen_style(bool has_color, enum screen_style style);

/*
 * Appends untrusted text as one line: whatever does not show (control characters, newlines
 * and tabs too, bidi controls, what is no UTF-8) is made visible, as \n, \x1b, \u202e.
 */
int screen_text_line(struct buf *out, const void *bytes, size_t len);

/* The same, but newlines and tabs stay. */
int screen_text_block(struct buf *out, const void *bytes, size_t len);

/*
 * Appends untrusted text as one line of at most `columns` columns, "…" at its end if it was
 * cut. Returns its columns.
 */
size_t screen_text_cut(struct buf *out, const void *bytes, size_t len, size_t columns);

/*
 * Appends untrusted text and a newline, broken at spaces so that no line is wider than columns
 * (0: no matter) if its words are not; lines but the first begin with indent spaces. The first
 * goes on at column `at`, which is indent where nothing was written yet.
 */
void screen_text_wrap(struct buf *out, const char *text, size_t columns, size_t indent, size_t at);

/* Prints to a stream; for what is not built in a buffer. */
void screen_print_line(FILE *stream, const char *text);

#endif
