/* SPDX-License-Identifier: ISC */
/* The colours of pictures. */
#include "daemon/render/picture_colour.h"

#define DIM_PERCENT 45 /* of the way to the ground */

static const struct picture_theme dark = {
    .text = 0xd7dae0,
    .ground = 0x16181d,
    .cursor = 0xd7dae0,
    .caption = 0x9aa1ad,
    .palette = {0x3a3f4b, 0xe8656f, 0x8cc570, 0xe3b95e, 0x62a8ef, 0xc583dd, 0x52b7c3, 0xbcc2cd,
	0x6b7280, 0xff8a92, 0xa9e18c, 0xf7d27e, 0x8bc2ff, 0xdca2f2, 0x75d6e0, 0xf5f6f8},
};

static const struct picture_theme light = {
    .text = 0x2a2e37,
    .ground = 0xfcfcfb,
    .cursor = 0x2a2e37,
    .caption = 0x5d6370,
    .palette = {0x2a2e37, 0xc4303a, 0x3d8520, 0x986801, 0x2563c9, 0x9b2fa0, 0x0b7a87, 0x8a8f99,
	0x5d6370, 0xdf4a54, 0x4f9d30, 0xb57e05, 0x3f7ee8, 0xb548bb, 0x1594a3, 0xd5d7db},
};

const struct picture_theme *picture_theme(bool is_light)
{
	return is_light ? &light : &dark;
}

uint32_t picture_mix(uint32_t from, uint32_t to, unsigned percent)
{
	uint32_t mixed = 0;
	for (unsigned shift = 0; shift <= 16; shift += 8) {
		uint32_t a = from >> shift & 0xff, b = to >> shift & 0xff;
		mixed |= (a * (100 - percent) + b * percent) / 100 << shift;
	}
	return mixed;
}

/* Of 256: the palette, a cube of six steps per axis, and 24 greys. */
static uint32_t indexed(const struct picture_theme *theme, uint32_t index)
{
	static const uint32_t steps[6] = {0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff};
	if (index < 16)
		return theme->palette[index];
	if (index < 232) {
		uint32_t place = index - 16;
		return steps[place / 36] << 16 | steps[place / 6 % 6] << 8 | steps[place % 6];
	}
	return (8 + 10 * ((index - 232) % 24)) * 0x010101;
}

static uint32_t resolve(const struct picture_theme *theme, uint32_t colour, uint32_t preset)
{
	if (colour & PICTURE_COLOUR_RGB)
		return colour & 0xffffff;
	if (colour & PICTURE_COLOUR_INDEX)
		return indexed(theme, colour & 0xff);
	return preset;
}

struct picture_paint picture_paint(
    const struct picture_theme *theme, const struct picture_looks *looks)
{
	struct picture_paint paint = {
	    .text = resolve(theme, looks->text, theme->text),
	    .ground = resolve(theme, looks->ground, theme->ground),
	};
	if (looks->attributes & PICTURE_REVERSE) {
		uint32_t text = paint.text;
		paint.text = paint.ground;
		paint.ground = text;
	}
	if (looks->attributes & PICTURE_DIM)
		paint.text = picture_mix(paint.text, paint.ground, DIM_PERCENT);
	if (looks->attributes & PICTURE_CURSOR) {
		paint.text = paint.ground == theme->cursor ? theme->text : paint.ground;
		paint.ground = paint.ground == theme->cursor ? theme->ground : theme->cursor;
	}
	paint.line = resolve(theme, looks->line, paint.text);
	return paint;
}
