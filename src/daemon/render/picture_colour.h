/* SPDX-License-Identifier: ISC */
/* The colours of pictures: themes, and the visible colours of a cell. */
#ifndef DAEMON_RENDER_PICTURE_COLOUR_H
#define DAEMON_RENDER_PICTURE_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/render/picture_looks.h"

/* Visible colours, 0xrrggbb. */
struct picture_paint {
	uint32_t text;
	uint32_t ground;
	uint32_t line; /* under the text */
};

struct picture_theme {
	uint32_t text;
	uint32_t ground;
	uint32_t cursor;
	uint32_t caption; /* in the frame */
	uint32_t palette[16];
};

const struct picture_theme *picture_theme(bool is_light);

/* The visible colours of looks, after defaults, reversal, dimming and the cursor. */
struct picture_paint picture_paint(
    const struct picture_theme *theme, const struct picture_looks *looks);

/* The colour at this percentage between two colours. */
uint32_t picture_mix(uint32_t from, uint32_t to, unsigned percent);

#endif
