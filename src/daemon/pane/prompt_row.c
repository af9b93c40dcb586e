/* SPDX-License-Identifier: ISC */
#include "daemon/pane/prompt_row.h"

enum {
	VALUES_MAX = 32,
	LIGHT = 128, /* minimum brightness of a light background */
	DIM_FROM = 38, /* less bright text is meant for a light terminal */
	DIM_TO = 180,
	TAB_CELLS = 8,
	JOINER = 0x200d, /* zero width joiner: joins two emojis to one */
	/* skin tones, which since tmux 3.4 are part of the emoji before them */
	TONE_FIRST = 0x1f3fb,
	TONE_LAST = 0x1f3ff,
	PALE = 75, /* on a light ground, grey text that differs by less is a suggestion */
};

/* The attributes of the present cell. tmux writes only changes of attributes, also between rows. */
struct looks {
	bool is_faint, is_grey, is_reverse;
	bool is_coloured; /* the background is coloured: a label, not a suggestion */
	unsigned grey; /* brightness of the text, 0 to 255 */
	unsigned back; /* brightness of the background */
};

/* Takes a colour, given by its largest and its smallest component. */
static void take_colour(struct looks *looks, bool is_text, unsigned most, unsigned least)
{
	if (is_text) {
		looks->is_grey = most - least < 24;
		looks->grey = most;
	} else {
		looks->is_coloured = most - least >= 24;
		looks->back = most;
	}
}

static void take_rgb(struct looks *looks, bool is_text, const unsigned *rgb)
{
	unsigned most = rgb[0] > rgb[1] ? rgb[0] : rgb[1],
		 least = rgb[0] < rgb[1] ? rgb[0] : rgb[1];
	take_colour(looks, is_text, rgb[2] > most ? rgb[2] : most, rgb[2] < least ? rgb[2] : least);
}

/* Takes one of the terminal's 16 basic colours, of which four are greys. */
static void take_basic(struct looks *looks, bool is_text, unsigned number)
{
	static const unsigned greys[] = {[7] = 229, [8] = 127, [15] = 255};
	bool is_grey = number % 8 == 0 || number % 8 == 7;
	take_colour(looks, is_text, is_grey ? greys[number] : 255, is_grey ? greys[number] : 0);
}

/* Takes one of 256 colours: the 16 basic ones, a cube, and a ramp of greys. */
static void take_number(struct looks *looks, bool is_text, unsigned number)
{
	static const unsigned steps[] = {0, 95, 135, 175, 215, 255};
	unsigned cube = number - 16, ramp = 8 + 10 * (number - 232);
	if (number < 16)
		take_basic(looks, is_text, number);
	else if (number >= 232)
		take_rgb(looks, is_text, (const unsigned[]){ramp, ramp, ramp});
	else
		take_rgb(looks, is_text,
		    (const unsigned[]){steps[cube / 36 % 6], steps[cube / 6 % 6], steps[cube % 6]});
}

/*
 * Takes a colour from values that begin with 38 or 48. Returns how many of the further values
 * belong to it.
 */
static size_t apply_colour(const unsigned *values, size_t count, struct looks *looks)
{
	bool is_text = values[0] == 38;
	if (count > 2 && values[1] == 5) {
		take_number(looks, is_text, values[2]);
		return 2;
	}
	if (count > 4 && values[1] == 2) {
		take_rgb(looks, is_text, values + 2);
		return 4;
	}
	return 0;
}

/* Returns true for the look of a suggestion: faint, or in a grey near to its background. */
static bool is_dim(const struct looks *looks)
{
	if (looks->is_faint || looks->is_coloured || !looks->is_grey)
		return looks->is_faint;
	if (looks->back < LIGHT)
		return looks->grey >= DIM_FROM && looks->grey < DIM_TO;
	return looks->grey + PALE > looks->back && looks->grey < looks->back + PALE;
}

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
		else if (value == 39)
			looks->is_grey = false;
		else if (value == 49)
			take_basic(looks, false, 0);
		else if ((value >= 30 && value <= 37) || (value >= 40 && value <= 47))
			take_basic(looks, value < 40, value % 10);
		else if ((value >= 90 && value <= 97) || (value >= 100 && value <= 107))
			take_basic(looks, value < 100, 8 + value % 10);
		else if (value == 38 || value == 48)
			at += apply_colour(values + at, count - at, looks);
	}
}

static void put_cell(
    struct prompt_row *row, uint32_t character, size_t width, const struct looks *looks)
{
	for (size_t part = 0; part < width && row->count < PROMPT_CELLS_MAX; part++) {
		row->characters[row->count] = part == 0 || character == ' ' ? character : 0;
		row->is_dim[row->count] = is_dim(looks);
		row->is_reverse[row->count] = looks->is_reverse;
		row->count++;
	}
}

static size_t apply_escape(const char *text, size_t len, struct looks *looks)
{
	size_t end = 2;
	if (len < 2 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (end < len && !(text[end] >= '@' && text[end] <= '~'))
		end++;
	if (end < len && text[end] == 'm')
		apply_sgr(text + 2, end - 2, looks);
	return end + 1;
}

/*
 * Adds a cell for a cursor that a program draws after the text. tmux leaves this cell out, but the
 * row then ends in reverse.
 */
static void put_left_out(struct prompt_row *row, const struct looks *looks)
{
	if (looks->is_reverse && row->count > 0 && !row->is_reverse[row->count - 1])
		put_cell(row, ' ', 1, looks);
}

static bool is_joined(const struct prompt_row *row, uint32_t before, uint32_t character)
{
	bool is_tone = character >= TONE_FIRST && character <= TONE_LAST;
	return row->count > 0 &&
	    (before == JOINER || (is_tone && row->characters[row->count - 1] == 0));
}

static void read_cells(const char *text, size_t len, struct looks looks, struct prompt_row *row)
{
	size_t at = 0;
	uint32_t character = 0;
	while (at < len && row->count < PROMPT_CELLS_MAX) {
		size_t escape = apply_escape(text + at, len - at, &looks);
		uint32_t before = character;
		int size;
		if (escape > 0) {
			at += escape;
			continue;
		}
		size = utf8_decode(text + at, len - at, &character);
		if (size <= 0) {
			size = 1;
			character = 0xfffd;
		}
		/* Control characters, such as shifts of the character set, have no cell. */
		if (character == '\t')
			put_cell(row, ' ', TAB_CELLS - row->count % TAB_CELLS, &looks);
		else if (((character >= ' ' && character < 0x7f) || character >= 0xa0) &&
		    !is_joined(row, before, character))
			put_cell(row, character, utf8_cells(text + at, (size_t)size), &looks);
		at += (size_t)size;
	}
	put_left_out(row, &looks);
}

static void pass(const char *text, const char *end, struct looks *looks)
{
	while ((text = memchr(text, '\033', (size_t)(end - text))) != NULL) {
		size_t len = apply_escape(text, (size_t)(end - text), looks);
		if ((size_t)(end - text) <= len)
			return;
		text += len > 0 ? len : 1;
	}
}

void prompt_row_read(const char *screen, size_t len, unsigned number, struct prompt_row *row)
{
	const char *at = screen, *end = screen + len, *newline;
	struct looks looks = {0};
	row->count = 0;
	for (; number > 0; number--) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (newline == NULL)
			return;
		at = newline + 1;
	}
	pass(screen, at, &looks);
	newline = memchr(at, '\n', (size_t)(end - at));
	read_cells(at, (size_t)((newline == NULL ? end : newline) - at), looks, row);
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

size_t prompt_row_begin(const struct prompt_row *row)
{
	size_t at = 0;
	while (at < row->count && prompt_row_is_frame(row->characters[at]))
		at++;
	return at;
}

bool prompt_row_has_text(const struct prompt_row *row, size_t begin, size_t end)
{
	for (size_t at = begin; at < end && at < row->count; at++)
		if (!row->is_dim[at] && !prompt_row_is_frame(row->characters[at]))
			return true;
	return false;
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
