/* SPDX-License-Identifier: ISC */
/* A row of a picture: cells with their looks, read from what capture-pane -e gives. */
#ifndef DAEMON_RENDER_PICTURE_ROW_H
#define DAEMON_RENDER_PICTURE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/render/picture_looks.h"

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

#endif
