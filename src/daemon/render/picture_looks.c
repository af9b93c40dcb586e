/* SPDX-License-Identifier: ISC */
/* The looks of a cell in a picture, read from "ESC [ ... m" (SGR). */
#include "daemon/render/picture_looks.h"

#include <stdbool.h>

#define VALUES_MAX 64

/* One parameter of a sequence: "4:3" is the value 4 with the part 3. */
struct look_values {
	unsigned number[VALUES_MAX];
	bool is_part[VALUES_MAX]; /* follows a colon */
	size_t count;
};

static void read_values(struct look_values *values, const uint8_t *text, size_t len)
{
	*values = (struct look_values){.count = 1};
	for (size_t at = 0; at < len; at++) {
		unsigned *number = &values->number[values->count - 1];
		if (text[at] >= '0' && text[at] <= '9')
			*number =
			    *number > 9999 ? 10000 : *number * 10 + (unsigned)(text[at] - '0');
		else if ((text[at] == ';' || text[at] == ':') && values->count < VALUES_MAX)
			values->is_part[values->count++] = text[at] == ':';
		else
			return;
	}
}

static uint32_t indexed(unsigned index)
{
	return PICTURE_COLOUR_INDEX + (index & 0xff);
}

static uint32_t rgb(const unsigned *parts)
{
	return PICTURE_COLOUR_RGB +
	    ((parts[0] & 0xff) << 16 | (parts[1] & 0xff) << 8 | (parts[2] & 0xff));
}

/* A colour that begins with 38, 48 or 58 at an index. Returns the number of values used. */
static size_t read_colour(const struct look_values *values, size_t at, uint32_t *colour)
{
	const unsigned *number = values->number;
	size_t left = values->count - at, parts = 1;
	if (left > 1 && values->is_part[at + 1]) {
		while (at + parts < values->count && values->is_part[at + parts])
			parts++;
		if (number[at + 1] == 5 && parts >= 3)
			*colour = indexed(number[at + 2]);
		else if (number[at + 1] == 2 && parts >= 5)
			*colour = rgb(number + at + parts - 3 - (parts > 6 ? parts - 6 : 0));
		return parts;
	}
	if (left > 2 && number[at + 1] == 5) {
		*colour = indexed(number[at + 2]);
		return 3;
	}
	if (left > 4 && number[at + 1] == 2) {
		*colour = rgb(number + at + 2);
		return 5;
	}
	return left;
}

/* Underline, with an optional style after a colon. */
static size_t read_underline(
    const struct look_values *values, size_t at, struct picture_looks *looks)
{
	bool has_style = at + 1 < values->count && values->is_part[at + 1];
	unsigned style = has_style ? values->number[at + 1] : PICTURE_UNDERLINE_SINGLE;
	looks->underline =
	    style <= PICTURE_UNDERLINE_DASHED ? (uint8_t)style : PICTURE_UNDERLINE_SINGLE;
	return has_style ? 2 : 1;
}

struct switching {
	uint8_t number;
	uint8_t on;
	uint8_t off;
};

static const struct switching switchings[] = {
    {1, PICTURE_BOLD, 0},
    {2, PICTURE_DIM, 0},
    {3, PICTURE_ITALIC, 0},
    {7, PICTURE_REVERSE, 0},
    {8, PICTURE_HIDDEN, 0},
    {9, PICTURE_STRIKE, 0},
    {22, 0, PICTURE_BOLD | PICTURE_DIM},
    {23, 0, PICTURE_ITALIC},
    {27, 0, PICTURE_REVERSE},
    {28, 0, PICTURE_HIDDEN},
    {29, 0, PICTURE_STRIKE},
    {53, PICTURE_OVERLINE, 0},
    {55, 0, PICTURE_OVERLINE},
};

static void switch_attributes(struct picture_looks *looks, unsigned number)
{
	for (size_t i = 0; i < sizeof switchings / sizeof switchings[0]; i++) {
		if (switchings[i].number != number)
			continue;
		looks->attributes |= switchings[i].on;
		looks->attributes &= (uint8_t)~switchings[i].off;
	}
}

static void apply_plain(struct picture_looks *looks, unsigned number)
{
	if (number == 0)
		*looks = (struct picture_looks){0};
	else if (number == 21)
		looks->underline = PICTURE_UNDERLINE_DOUBLE;
	else if (number == 24)
		looks->underline = PICTURE_UNDERLINE_NONE;
	else if (number >= 30 && number <= 37)
		looks->text = indexed(number - 30);
	else if (number == 39)
		looks->text = PICTURE_COLOUR_DEFAULT;
	else if (number >= 40 && number <= 47)
		looks->ground = indexed(number - 40);
	else if (number == 49)
		looks->ground = PICTURE_COLOUR_DEFAULT;
	else if (number == 59)
		looks->line = PICTURE_COLOUR_DEFAULT;
	else if (number >= 90 && number <= 97)
		looks->text = indexed(number - 90 + 8);
	else if (number >= 100 && number <= 107)
		looks->ground = indexed(number - 100 + 8);
	else
		switch_attributes(looks, number);
}

void picture_looks_apply(struct picture_looks *looks, const uint8_t *text, size_t len)
{
	struct look_values values;
	read_values(&values, text, len);
	for (size_t at = 0; at < values.count;) {
		unsigned number = values.number[at];
		if (number == 38)
			at += read_colour(&values, at, &looks->text);
		else if (number == 48)
			at += read_colour(&values, at, &looks->ground);
		else if (number == 58)
			at += read_colour(&values, at, &looks->line);
		else if (number == 4)
			at += read_underline(&values, at, looks);
		else if (values.is_part[at])
			at++;
		else
			apply_plain(looks, values.number[at++]);
	}
}
