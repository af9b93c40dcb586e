/* SPDX-License-Identifier: ISC */
/* A row of a picture: cells with their looks. */
#include "daemon/render/picture_row.h"

#include <stdbool.h>
#include <string.h>

#include "base/cells.h"
#include "base/tokenizer.h"
#include "base/utf8.h"

#define TAB_CELLS 8
#define SHIFT_OUT 0x0e
#define SHIFT_IN 0x0f
#define REPLACEMENT "\xef\xbf\xbd"
#define JOINER "\xe2\x80\x8d" /* U+200D: the characters on both sides make one emoji */
#define EMOJI_STYLE 0xfe0f
#define TONE_FIRST 0x1f3fb
#define TONE_LAST 0x1f3ff
#define FLAG_FIRST 0x1f1e6
#define FLAG_LAST 0x1f1ff

struct picture_reading {
	struct picture_state *state;
	const uint8_t *line;
	struct picture_cell *cells;
	unsigned columns;
	unsigned column; /* where the next character goes */
	int64_t last; /* where the last one went, -1: nowhere */
};

static void put_cell(struct picture_reading *reading, const char *bytes, size_t len, unsigned width)
{
	struct picture_cell *cell;
	if (reading->column + width > reading->columns) {
		reading->column = reading->columns;
		reading->last = -1;
		return;
	}
	cell = &reading->cells[reading->column];
	for (unsigned part = 0; part < width; part++)
		cell[part] = (struct picture_cell){.looks = reading->state->looks};
	cell->width = (uint8_t)width;
	if (len > 1 || bytes[0] != ' ') {
		memcpy(cell->bytes, bytes, len);
		cell->len = (uint8_t)len;
	}
	reading->last = reading->column;
	reading->column += width;
}

/* Adds a combining character to the one before; without one it is left out. */
static void put_combining(struct picture_reading *reading, const uint8_t *bytes, size_t len)
{
	struct picture_cell *cell;
	if (reading->last < 0)
		return;
	cell = &reading->cells[reading->last];
	if (cell->len == 0 || cell->len + len > PICTURE_CELL_BYTES)
		return;
	memcpy(cell->bytes + cell->len, bytes, len);
	cell->len = (uint8_t)(cell->len + len);
}

/* Gives the character before another cell, if there is room: tmux has done the same. */
static void widen(struct picture_reading *reading)
{
	struct picture_cell *cell = &reading->cells[reading->last];
	if (cell->width != 1 || reading->column >= reading->columns)
		return;
	cell->width = 2;
	cell[1] = (struct picture_cell){.looks = cell->looks};
	reading->column++;
}

/* Whether the cell holds one half of a flag. */
static bool is_half_flag(const struct picture_cell *cell)
{
	uint32_t c;
	return cell->len == 4 && utf8_decode((const uint8_t *)cell->bytes, cell->len, &c) > 0 &&
	    c >= FLAG_FIRST && c <= FLAG_LAST;
}

/* Adds a character with a width of its own to the one before, if both make one emoji. */
static bool put_joined(
    struct picture_reading *reading, uint32_t c, const uint8_t *bytes, size_t len)
{
	struct picture_cell *cell;
	bool is_flag;
	if (reading->last < 0)
		return false;
	cell = &reading->cells[reading->last];
	is_flag = c >= FLAG_FIRST && c <= FLAG_LAST && is_half_flag(cell);
	if (cell->len + len > PICTURE_CELL_BYTES ||
	    !(is_flag ||
		(c >= TONE_FIRST && c <= TONE_LAST && cell->width == 2 &&
		    reading->state->joins_emoji) ||
		(cell->len > sizeof JOINER - 1 &&
		    memcmp(cell->bytes + cell->len - (sizeof JOINER - 1), JOINER,
			sizeof JOINER - 1) == 0)))
		return false;
	put_combining(reading, bytes, len);
	if (is_flag)
		widen(reading);
	return true;
}

/* The line drawing character set of the VT100. */
static const char *const drawn[] = {
    ['`'] = "\u25c6",
    ['a'] = "\u2592",
    ['f'] = "\u00b0",
    ['g'] = "\u00b1",
    ['h'] = "\u2592",
    ['i'] = "\u240b",
    ['j'] = "\u2518",
    ['k'] = "\u2510",
    ['l'] = "\u250c",
    ['m'] = "\u2514",
    ['n'] = "\u253c",
    ['o'] = "\u23ba",
    ['p'] = "\u23bb",
    ['q'] = "\u2500",
    ['r'] = "\u23bc",
    ['s'] = "\u23bd",
    ['t'] = "\u251c",
    ['u'] = "\u2524",
    ['v'] = "\u2534",
    ['w'] = "\u252c",
    ['x'] = "\u2502",
    ['y'] = "\u2264",
    ['z'] = "\u2265",
    ['{'] = "\u03c0",
    ['|'] = "\u2260",
    ['}'] = "\u00a3",
    ['~'] = "\u00b7",
};

/* Characters that change the text direction or are not allowed in XML. */
static bool is_unwanted(uint32_t c)
{
	return (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069) || c == 0x061c || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

static void put_ascii(struct picture_reading *reading, uint8_t byte)
{
	const char *line = NULL;
	if (reading->state->is_drawing && byte < sizeof drawn / sizeof drawn[0])
		line = drawn[byte];
	if (line != NULL)
		put_cell(reading, line, strlen(line), 1);
	else
		put_cell(reading, (const char *)&byte, 1, 1);
}

/* A character that is not ASCII. */
static void put_wide(struct picture_reading *reading, uint32_t c, const uint8_t *bytes, size_t len)
{
	size_t width = cells_width(bytes, len);
	if (width == 0) {
		put_combining(reading, bytes, len);
		if (c == EMOJI_STYLE && reading->state->joins_emoji && reading->last >= 0)
			widen(reading);
	} else if (!put_joined(reading, c, bytes, len)) {
		put_cell(reading, (const char *)bytes, len, (unsigned)width);
	}
}

static void put_text(struct picture_reading *reading, const uint8_t *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t c;
		size_t used;
		if (bytes[at] < 0x80) {
			put_ascii(reading, bytes[at++]);
			continue;
		}
		if (!utf8_part(bytes + at, len - at, &used)) {
			put_cell(reading, REPLACEMENT, strlen(REPLACEMENT), 1);
		} else if (utf8_decode(bytes + at, used, &c) > 0 && c < 0xa0) {
			put_cell(reading, REPLACEMENT, strlen(REPLACEMENT), 1);
		} else if (!is_unwanted(c)) {
			put_wide(reading, c, bytes + at, used);
		}
		at += used;
	}
}

/* tmux emits tabs and shifts of the character set; other controls are shown as symbols. */
static void put_control(struct picture_reading *reading, uint8_t byte)
{
	if (byte == SHIFT_OUT || byte == SHIFT_IN) {
		reading->state->is_drawing = byte == SHIFT_OUT;
	} else if (byte == '\t') {
		do
			put_cell(reading, " ", 1, 1);
		while (reading->column % TAB_CELLS != 0 && reading->column < reading->columns);
	} else {
		/* U+2400 and following: a symbol for each. */
		char picture[3] = {'\xe2', '\x90', (char)(0x80 + (byte == 0x7f ? 0x21 : byte))};
		put_cell(reading, picture, sizeof picture, 1);
	}
}

static void on_token(void *data, const struct token *token)
{
	struct picture_reading *reading = data;
	const uint8_t *bytes = reading->line + token->from;
	size_t len = (size_t)(token->to - token->from);
	if (token->kind == TOKEN_TEXT)
		put_text(reading, bytes, len);
	else if (token->kind == TOKEN_CONTROL || token->kind == TOKEN_BELL)
		put_control(reading, token->kind == TOKEN_BELL ? 0x07 : token->bytes[0]);
	else if (token->kind == TOKEN_SEQUENCE && len > 2 && bytes[1] == '[' &&
	    bytes[len - 1] == 'm')
		picture_looks_apply(&reading->state->looks, bytes + 2, len - 3);
}

void picture_row_read(struct picture_state *state, const uint8_t *line, size_t len,
    struct picture_cell *cells, unsigned columns)
{
	struct picture_reading reading = {
	    .state = state, .line = line, .cells = cells, .columns = columns, .last = -1};
	struct tokenizer tokenizer;
	for (unsigned i = 0; i < columns; i++)
		cells[i] = (struct picture_cell){.width = 1};
	tokenizer_init(&tokenizer, true);
	tokenizer_feed(&tokenizer, 0, line, len, on_token, &reading);
	tokenizer_finish(&tokenizer);
}

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
