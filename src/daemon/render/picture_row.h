/* SPDX-License-Identifier: ISC */
/* A row of a picture: cells with their looks, read from the output of capture-pane -e. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/render/picture_looks.h"

#define PICTURE_CELL_BYTES \
	31 /* of a character with its combining characters; the rest is left out */

struct picture_cell {
	struct picture_looks looks;
	uint8_t width; /* in cells; 0: the second half of a wide one */
	uint8_t len; /* of bytes; 0: blank */
	char bytes[PICTURE_CELL_BYTES]; /* valid UTF-8 that any XML may hold; not escaped */
};

/* State carried from row to row. At the start of a picture only joins_emoji may be set. */
struct picture_state {
	struct picture_looks looks;
	bool is_drawing; /* the line drawing character set is active */
	/*
	 * tmux puts a skin tone into the cell of the emoji before it, and U+FE0F makes a character
	 * two cells wide. Before 3.4, a skin tone has two cells of its own.
	 */
	bool joins_emoji;
};

/*
 * Reads the line of len bytes (without a newline) into the columns cells; the rest is blank.
 * The state is that at the end of the previous line.
 */
void picture_row_read(struct picture_state *state, const uint8_t *line, size_t len,
    struct picture_cell *cells, unsigned columns);
