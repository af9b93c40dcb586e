/* SPDX-License-Identifier: ISC */
/*
 * Lines and blocks for drawing (U+2500 to U+259F), as paths, since the glyphs of a font
 * meet only if the viewer has that font, at that size, with that line spacing.
 */
#pragma once

#include "base/base.h"

/* The paths of a run of cells with the same colour, and the box they are in, in tenths. */
struct picture_shapes {
	struct buf light; /* to be drawn with a thin pen */
	struct buf heavy; /* with a thick one */
	struct buf fill; /* to be filled */
	unsigned width; /* of a cell */
	unsigned height;
};

/* Whether there is a shape for the character. */
bool picture_shape_has(uint32_t c);

/*
 * Adds count cells with this character; the corner of the first is at x, y. If out of memory,
 * shapes are missing.
 */
void picture_shape_add(
    struct picture_shapes *shapes, uint32_t c, unsigned x, unsigned y, unsigned count);

/* The percentage of ground visible through a shade; 0 for other characters. */
unsigned picture_shape_shade(uint32_t c);
