/* SPDX-License-Identifier: ISC */
/* The looks of a cell in a picture: its colours, attributes and underline. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A colour as set by a program: 0, PICTURE_COLOUR_INDEX + 0..255, or PICTURE_COLOUR_RGB + rgb. */
#define PICTURE_COLOUR_DEFAULT 0u
#define PICTURE_COLOUR_INDEX 0x1000000u
#define PICTURE_COLOUR_RGB 0x2000000u

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
	uint32_t text; /* a colour as above, like the next two */
	uint32_t ground;
	uint32_t line; /* of the underline; PICTURE_COLOUR_DEFAULT: as the text */
	uint8_t attributes; /* enum picture_attribute */
	uint8_t underline; /* enum picture_underline */
};

/* Applies "ESC [ ... m", given without its first two characters and its last, to looks. */
void picture_looks_apply(struct picture_looks *looks, const uint8_t *text, size_t len);
