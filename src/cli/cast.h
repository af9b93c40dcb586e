/* SPDX-License-Identifier: ISC */
/* Recordings in the format of asciinema (asciicast v2): a header, then a line for each event. */
#ifndef CLI_CAST_H
#define CLI_CAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct cast {
	unsigned columns;
	unsigned rows;
	int64_t start_ms; /* CLOCK_REALTIME of time 0 */
	int64_t last_ms; /* of the last event, behind time 0: time never goes back */
};

/* Appends the header. title may be NULL, and anything. */
void cast_begin(struct cast *cast, struct buf *out, unsigned columns, unsigned rows,
    int64_t start_ms, const char *title);

/* Appends what was written at a moment; nothing if it is empty. */
void cast_output(struct cast *cast, struct buf *out, int64_t now_ms, const void *bytes, size_t len);

/* Appends that the terminal has another size, if it has. */
void cast_resize(
    struct cast *cast, struct buf *out, int64_t now_ms, unsigned columns, unsigned rows);

/* What a capture of a screen with its escape sequences says. */
struct cast_screen {
	const char *text; /* lines with newlines */
	size_t len;
	unsigned cursor_row; /* from 0 */
	unsigned cursor_column;
	bool cursor_visible;
	bool alternate_screen;
};

/* Appends all that makes a terminal show such a screen. */
void cast_screen(struct buf *out, const struct cast_screen *screen);

#endif
