/* SPDX-License-Identifier: ISC */
/*
 * Lines, except dashed ones, and blocks (U+2500 to U+259F) as paths. Characters of a font touch
 * each other only with the right font and spacing.
 */
#pragma once

#include "base/base.h"

/* Shapes of a run of cells with one colour; lengths are tenths of a pixel. */
struct picture_shapes {
	struct buf light; /* thin strokes */
	struct buf heavy; /* thick strokes */
	struct buf fill; /* filled areas */
	unsigned width; /* width of a cell */
	unsigned height;
};

bool picture_shape_has(uint32_t c);

/*
 * Adds the same character in count cells. x, y is the upper left corner of the first cell. If a
 * buffer is full or memory runs out, shapes are missing.
 */
void picture_shape_add(
    struct picture_shapes *shapes, uint32_t c, unsigned x, unsigned y, unsigned count);

/* Returns the percentage of the ground that is seen through a shade; 0 for other characters. */
unsigned picture_shape_shade(uint32_t c);
