/* SPDX-License-Identifier: ISC */
/* Recordings in the format of asciinema (asciicast v2): a header, then a line for each event. */
#pragma once

#include "base/base.h"

struct cast {
	unsigned columns;
	unsigned rows;
	int64_t start_ms; /* CLOCK_REALTIME of time 0 */
	int64_t last_ms; /* of the last event, relative to start_ms: time never goes back */
};

/* Appends the header. title may be NULL, and may hold any bytes. */
void cast_begin(struct cast *cast, struct buf *out, unsigned columns, unsigned rows,
    int64_t start_ms, const char *title);

/* Appends the output of one moment; nothing if it is empty. */
void cast_output(struct cast *cast, struct buf *out, int64_t now_ms, const void *bytes, size_t len);

/* Appends a new size of the terminal, if the size has changed. */
void cast_resize(
    struct cast *cast, struct buf *out, int64_t now_ms, unsigned columns, unsigned rows);

/* The content of a captured screen, with escape sequences. */
struct cast_screen {
	const char *text; /* lines with newlines */
	size_t len;
	unsigned cursor_row; /* from 0 */
	unsigned cursor_column;
	bool cursor_visible;
	bool alternate_screen;
};

/* Appends everything that a terminal needs to show such a screen. */
void cast_screen(struct buf *out, const struct cast_screen *screen);
