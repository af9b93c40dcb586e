/* SPDX-License-Identifier: ISC */
/* The colours of pictures: of the palette, of 256, or any; and what is seen in the end. */
#ifndef DAEMON_RENDER_PICTURE_COLOUR_H
#define DAEMON_RENDER_PICTURE_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/render/picture_looks.h"

/* Red, green and blue, 0xrrggbb, as they are seen. */
struct picture_paint {
	uint32_t text;
	uint32_t ground;
	uint32_t line; /* under the text */
};

struct picture_theme {
	uint32_t text;
	uint32_t ground;
	uint32_t cursor;
	uint32_t bar; /* of the frame */
	uint32_t caption; /* in it */
	uint32_t palette[16];
};

const struct picture_theme *picture_theme(bool is_light);

/* What is seen of looks: defaults, reversal, dimming and the cursor have had their way. */
struct picture_paint picture_paint(
    const struct picture_theme *theme, const struct picture_looks *looks);

/* Of the way from one colour to another so many percent. */
uint32_t picture_mix(uint32_t from, uint32_t to, unsigned percent);

#endif
