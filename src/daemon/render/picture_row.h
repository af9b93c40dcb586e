/* SPDX-License-Identifier: ISC */
/* A row of a picture: cells with their looks, read from what capture-pane -e gives. */
#ifndef DAEMON_RENDER_PICTURE_ROW_H
#define DAEMON_RENDER_PICTURE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/render/picture_colour.h"

enum picture_attribute {
	PICTURE_BOLD = 1 << 0,
	PICTURE_DIM = 1 << 1,
	PICTURE_ITALIC = 1 << 2,
	PICTURE_REVERSE = 1 << 3,
	PICTURE_HIDDEN = 1 << 4,
	PICTURE_STRIKE = 1 << 5,
	PICTURE_OVERLINE = 1 << 6,
	PICTURE_CURSOR = 1 << 7, /* not an attribute of the text: the cursor stands here */
};

enum picture_underline {
	PICTURE_UNDERLINE_NONE,
	PICTURE_UNDERLINE_SINGLE,
	PICTURE_UNDERLINE_DOUBLE,
	PICTURE_UNDERLINE_CURLY,
	PICTURE_UNDERLINE_DOTTED,
	PICTURE_UNDERLINE_DASHED,
};

struct picture_looks {
	uint32_t text; /* colours of picture_colour.h */
	uint32_t ground;
	uint32_t line; /* of the underline; PICTURE_COLOUR_DEFAULT: as the text */
	uint8_t attributes; /* enum picture_attribute */
	uint8_t underline; /* enum picture_underline */
};

#define PICTURE_CELL_BYTES 31 /* of a character and what combines with it; more is left out */

struct picture_cell {
	struct picture_looks looks;
	uint8_t width; /* in cells; 0: the second half of a wide one */
	uint8_t len; /* of bytes; 0: blank */
	char bytes[PICTURE_CELL_BYTES]; /* valid UTF-8 that any XML may hold; not escaped */
};

/* What goes on from one row to the next. Zeroed at the start of a picture. */
struct picture_state {
	struct picture_looks looks;
	bool is_drawing; /* the other character set, with lines instead of letters */
};

/*
 * Reads the line of len bytes (without a newline) into all of the columns cells; what it does
 * not fill is blank. The state is that behind the line before.
 */
void picture_row_read(struct picture_state *state, const uint8_t *line, size_t len,
    struct picture_cell *cells, unsigned columns);

/* What "ESC [ ... m" without its first two characters and its last makes of looks. */
void picture_looks_apply(struct picture_looks *looks, const uint8_t *text, size_t len);

#endif
