/* SPDX-License-Identifier: ISC */
#include "daemon/pane/prompt_row.h"

enum { VALUES_MAX = 32 };

/* The attributes at the moment. tmux sets them again in each row. */
struct looks {
	bool is_faint;
	bool is_grey;
	bool is_reverse;
};

/* Greys that are too dark to be meant to be read: suggestions. */
static bool is_dark_grey(unsigned red, unsigned green, unsigned blue)
{
	unsigned most = red > green ? red : green, least = red < green ? red : green;
	most = blue > most ? blue : most;
	least = blue < least ? blue : least;
	return most < 180 && most - least < 24;
}

/* The same of a palette of 256: its ramp of greys, and those of its cube. */
static bool is_dark_grey_number(unsigned number)
{
	return number == 8 || number == 59 || number == 102 || number == 145 ||
	    (number >= 235 && number <= 249);
}

/* Takes a colour of several values, beginning at 38 or 48. Returns how many follow it. */
static size_t apply_colour(const unsigned *values, size_t count, struct looks *looks)
{
	bool is_text = values[0] == 38;
	if (count > 2 && values[1] == 5) {
		if (is_text)
			looks->is_grey = is_dark_grey_number(values[2]);
		return 2;
	}
	if (count > 4 && values[1] == 2) {
		if (is_text)
			looks->is_grey = is_dark_grey(values[2], values[3], values[4]);
		return 4;
	}
	return 0;
}

/* Follows "ESC [ ... m". */
static void apply_sgr(const char *text, size_t len, struct looks *looks)
{
	unsigned values[VALUES_MAX] = {0};
	size_t count = 1;
	for (size_t at = 0; at < len && count < VALUES_MAX; at++)
		if (text[at] >= '0' && text[at] <= '9')
			values[count - 1] =
			    (values[count - 1] * 10 + (unsigned)(text[at] - '0')) % 100000;
		else
			count++;
	for (size_t at = 0; at < count; at++) {
		unsigned value = values[at];
		if (value == 0)
			*looks = (struct looks){0};
		else if (value == 2 || value == 22)
			looks->is_faint = value == 2;
		else if (value == 7 || value == 27)
			looks->is_reverse = value == 7;
		else if (value == 39 || (value >= 30 && value <= 37) ||
		    (value >= 91 && value <= 97))
			looks->is_grey = false;
		else if (value == 90)
			looks->is_grey = true;
		else if (value == 38 || value == 48)
			at += apply_colour(values + at, count - at, looks);
	}
}

static void put_cell(
    struct prompt_row *row, uint32_t character, size_t width, const struct looks *looks)
{
	for (size_t part = 0; part < width && row->count < PROMPT_CELLS_MAX; part++) {
		row->characters[row->count] = part == 0 ? character : 0;
		row->is_dim[row->count] = looks->is_faint || looks->is_grey;
		row->is_reverse[row->count] = looks->is_reverse;
		row->count++;
	}
}

static void read_cells(const char *text, size_t len, struct prompt_row *row)
{
	struct looks looks = {0};
	size_t at = 0;
	while (at < len && row->count < PROMPT_CELLS_MAX) {
		uint32_t character;
		int size;
		if (text[at] == '\033' && at + 1 < len && text[at + 1] == '[') {
			size_t begin = at + 2, end = begin;
			while (end < len && !(text[end] >= '@' && text[end] <= '~'))
				end++;
			if (end < len && text[end] == 'm')
				apply_sgr(text + begin, end - begin, &looks);
			at = end + 1;
			continue;
		}
		size = utf8_decode(text + at, len - at, &character);
		if (size <= 0) {
			size = 1;
			character = 0xfffd;
		}
		/* No controls, as shifts to the character set that lines are drawn with, and back. */
		if ((character >= ' ' && character < 0x7f) || character >= 0xa0)
			put_cell(row, character, utf8_cells(text + at, (size_t)size), &looks);
		at += (size_t)size;
	}
}

void prompt_row_read(const char *screen, size_t len, unsigned number, struct prompt_row *row)
{
	const char *at = screen, *end = screen + len, *newline;
	row->count = 0;
	for (; number > 0; number--) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (newline == NULL)
			return;
		at = newline + 1;
	}
	newline = memchr(at, '\n', (size_t)(end - at));
	read_cells(at, (size_t)((newline == NULL ? end : newline) - at), row);
}

unsigned prompt_row_count(const char *screen, size_t len)
{
	unsigned count = 0;
	for (size_t at = 0; at < len; at++)
		count += screen[at] == '\n' || at + 1 == len;
	return count;
}

bool prompt_row_is_frame(uint32_t character)
{
	return character <= ' ' || character == 0xa0 || character == '|' ||
	    (character >= 0x2500 && character <= 0x259f);
}

void prompt_row_text(const struct prompt_row *row, size_t begin, size_t end, char *out, size_t size)
{
	size_t len = 0;
	for (size_t at = begin; at < end && len + 5 < size; at++)
		if (at >= row->count)
			out[len++] = ' ';
		else if (row->characters[at] != 0)
			len += utf8_encode(row->characters[at], out + len);
	out[len] = '\0';
}
