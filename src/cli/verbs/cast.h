/* SPDX-License-Identifier: ISC */
/* Recordings in the format of asciinema (asciicast v2): a header, then one line per event. */
#pragma once

#include "base/base.h"

struct cast {
	unsigned columns, rows;
	int64_t start_ms; /* real time at which the recording begins */
	int64_t last_ms; /* time of the last event, from start_ms; never decreases */
};

/* Appends the header. title may be NULL, and may hold any bytes. */
void cast_begin(struct cast *cast, struct buf *out, unsigned columns, unsigned rows,
    int64_t start_ms, const char *title);

/* Appends an event with output, unless the output is empty. */
void cast_output(struct cast *cast, struct buf *out, int64_t now_ms, const void *bytes, size_t len);

/* Appends an event with the new size of the terminal, if the size has changed. */
void cast_resize(
    struct cast *cast, struct buf *out, int64_t now_ms, unsigned columns, unsigned rows);

struct cast_screen {
	const char *text; /* captured lines with newlines and escape sequences */
	size_t len;
	unsigned cursor_row; /* from 0 */
	unsigned cursor_column;
	bool cursor_visible, alternate_screen;
};

/* Appends all output that a terminal needs to show the screen. */
void cast_screen(struct buf *out, const struct cast_screen *screen);
