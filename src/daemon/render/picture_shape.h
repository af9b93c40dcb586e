/* SPDX-License-Identifier: ISC */
/*
 * Lines and blocks that programs draw with (U+2500 to U+259F), as paths, since those of a
 * font meet only if the viewer has that font, at that size, with that distance of lines.
 */
#ifndef DAEMON_RENDER_PICTURE_SHAPE_H
#define DAEMON_RENDER_PICTURE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The paths of a run of cells with the same colour, and the box they are in, in tenths. */
struct picture_shapes {
	struct buf light; /* to be drawn with a thin pen */
	struct buf heavy; /* with a thick one */
	struct buf fill; /* to be filled */
	unsigned width; /* of a cell */
	unsigned height;
};

/* Whether it is one of those that are known. */
bool picture_shape_has(uint32_t c);

/*
 * Adds count cells with this character, the first of which has its corner at x, y. Without
 * memory something is missing.
 */
void picture_shape_add(
    struct picture_shapes *shapes, uint32_t c, unsigned x, unsigned y, unsigned count);

/* How many percent of the ground shine through a shade; 0 for all others. */
unsigned picture_shape_shade(uint32_t c);

#endif
