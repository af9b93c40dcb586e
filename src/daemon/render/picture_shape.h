/* SPDX-License-Identifier: ISC */
/*
 * Line and block characters (U+2500 to U+259F) as paths. Glyphs of a font would touch only if the
 * viewer has that font, size and line spacing.
 */
#pragma once

#include "base/base.h"

/* The paths of a run of cells with one colour, and the size of a cell, in tenths of a pixel. */
struct picture_shapes {
	struct buf light; /* thin strokes */
	struct buf heavy; /* thick strokes */
	struct buf fill; /* filled areas */
	unsigned width; /* of a cell */
	unsigned height;
};

/* Returns true if the character can be drawn as a shape. */
bool picture_shape_has(uint32_t c);

/*
 * Adds `count` cells with this character; x, y is the upper left corner of the first cell. Shapes
 * are missing if memory runs out.
 */
void picture_shape_add(
    struct picture_shapes *shapes, uint32_t c, unsigned x, unsigned y, unsigned count);

/* Returns the percentage of the ground that is visible through a shade; 0 for other characters. */
unsigned picture_shape_shade(uint32_t c);
