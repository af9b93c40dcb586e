/* SPDX-License-Identifier: ISC */
#include "daemon/render/picture_page.h"

#include "base/tokenizer.h"
#include "daemon/render/picture_shape.h"

#define TAB_CELLS 8
#define SHIFT_OUT 0x0e
#define SHIFT_IN 0x0f
#define REPLACEMENT "\xef\xbf\xbd"
#define JOINER "\xe2\x80\x8d" /* U+200D: joins the characters on both sides into one emoji */
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
	unsigned column; /* column of the next character */
	int64_t last; /* column of the last character; -1: none that can be combined with */
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

/* Makes the last character wide if the row has room, as tmux does. */
static void widen(struct picture_reading *reading)
{
	struct picture_cell *cell = &reading->cells[reading->last];
	if (cell->width != 1 || reading->column >= reading->columns)
		return;
	cell->width = 2;
	cell[1] = (struct picture_cell){.looks = cell->looks};
	reading->column++;
}

/* Returns true for a regional indicator, which is half a flag. */
static bool is_half_flag(const struct picture_cell *cell)
{
	uint32_t c;
	return cell->len == 4 && utf8_decode((const uint8_t *)cell->bytes, cell->len, &c) > 0 &&
	    c >= FLAG_FIRST && c <= FLAG_LAST;
}

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

/* The line drawing characters of the VT100. */
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

/* Returns true for characters to leave out, for example because they turn the direction of text. */
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

static void put_wide(struct picture_reading *reading, uint32_t c, const uint8_t *bytes, size_t len)
{
	size_t width = utf8_cells(bytes, len);
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
		if (!utf8_part(bytes + at, len - at, &used))
			put_cell(reading, REPLACEMENT, strlen(REPLACEMENT), 1);
		else if (utf8_decode(bytes + at, used, &c) > 0 && c < 0xa0)
			put_cell(reading, REPLACEMENT, strlen(REPLACEMENT), 1);
		else if (!is_unwanted(c))
			put_wide(reading, c, bytes + at, used);
		at += used;
	}
}

/* Shows control characters as symbols, except tabs and shifts of the character set. */
static void put_control(struct picture_reading *reading, uint8_t byte)
{
	if (byte == SHIFT_OUT || byte == SHIFT_IN) {
		reading->state->is_drawing = byte == SHIFT_OUT;
	} else if (byte == '\t') {
		do
			put_cell(reading, " ", 1, 1);
		while (reading->column % TAB_CELLS != 0 && reading->column < reading->columns);
	} else {
		/* U+2400 to U+2421 are the symbols for control characters. */
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

unsigned picture_row_read(struct picture_state *state, const uint8_t *line, size_t len,
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
	return reading.column;
}

unsigned picture_width(const uint8_t *line, size_t len, unsigned columns, bool joins_emoji)
{
	struct picture_state state = {.joins_emoji = joins_emoji};
	struct picture_cell *cells = xcalloc(columns, sizeof *cells);
	unsigned width = picture_row_read(&state, line, len, cells, columns);
	mem_free(cells);
	return width;
}

#define VALUES_MAX 64

/* The values of an escape sequence: "4:3" is the value 4 and its part 3. */
struct look_values {
	unsigned number[VALUES_MAX];
	bool is_part[VALUES_MAX]; /* true for a value that follows a colon */
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

/* Reads a colour that begins at the value 38, 48 or 58. Returns the number of values used. */
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

/* Reads an underline, whose style may follow a colon. Returns the number of values used. */
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

/* last character (in Cyrillic) that is taken to be in fixed-width fonts */
#define PLAIN_LAST 0x52f

void picture_page_init(struct picture_page *page, struct buf *out, const struct picture *picture)
{
	unsigned columns = picture->columns;
	columns = columns < 1 ? 1 : columns > PICTURE_COLUMNS_MAX ? PICTURE_COLUMNS_MAX : columns;
	*page = (struct picture_page){
	    .out = out,
	    .picture = picture,
	    .theme = picture_theme(picture->is_light),
	    .cells = xcalloc(columns, sizeof(struct picture_cell)),
	    .columns = columns,
	};
}

int picture_page_finish(struct picture_page *page)
{
	mem_free(page->cells);
	return page->error;
}

/* Marks the cell of the cursor; of a wide character, both cells. */
static void mark_cursor(struct picture_page *page)
{
	unsigned column = page->picture->cursor_column;
	if (page->picture->cursor_row != (int64_t)page->row)
		return;
	/* A cursor after the last column has not wrapped yet, so it counts for the last column. */
	if (column >= page->columns)
		column = page->columns - 1;
	while (column > 0 && page->cells[column].width == 0)
		column--;
	page->cells[column].looks.attributes |= PICTURE_CURSOR;
	if (page->cells[column].width == 2)
		page->cells[column + 1].looks.attributes |= PICTURE_CURSOR;
}

void picture_page_rows(struct picture_page *page, void (*each)(struct picture_page *page))
{
	const uint8_t *at = page->picture->text;
	size_t left = page->picture->len;
	struct picture_state state = {.joins_emoji = page->picture->joins_emoji};
	unsigned lines = page->picture->first + page->picture->rows;
	for (unsigned line = 0; line < lines && page->error == 0; line++) {
		const uint8_t *newline = left > 0 ? memchr(at, '\n', left) : NULL;
		size_t len = newline != NULL ? (size_t)(newline - at) : left;
		picture_row_read(&state, at, len, page->cells, page->columns);
		if (line >= page->picture->first) {
			page->row = line - page->picture->first;
			mark_cursor(page);
			each(page);
		}
		if (newline != NULL)
			len++;
		at = len > 0 ? at + len : at;
		left -= len;
	}
}

void picture_put(struct picture_page *page, const char *format, ...)
{
	va_list args;
	if (page->error < 0)
		return;
	va_start(args, format);
	page->error = buf_vprintf(page->out, format, args);
	va_end(args);
}

void picture_put_escaped(struct picture_page *page, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len && page->error == 0; i++) {
		const char *name = NULL;
		switch (bytes[i]) {
		case '&':
			name = "&amp;";
			break;
		case '<':
			name = "&lt;";
			break;
		case '>':
			name = "&gt;";
			break;
		case '"':
			name = "&quot;";
			break;
		case '\'':
			name = "&#39;";
			break;
		default:
			break;
		}
		page->error = name != NULL ? buf_append_str(page->out, name)
					   : buf_append_byte(page->out, (uint8_t)bytes[i]);
	}
}

/* Replaces U+FFFE and U+FFFF: they are valid UTF-8 and visible, but XML does not allow them. */
static void replace_noncharacters(struct buf *text)
{
	for (size_t i = 0; i + 3 <= text->len; i++) {
		uint8_t *at = text->data + i;
		if (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe)
			at[2] = 0xbd;
	}
}

void picture_put_title(struct picture_page *page)
{
	const char *title = page->picture->title ? page->picture->title : "";
	size_t len = strnlen(title, PICTURE_TITLE_MAX + 4);
	struct buf text = BUF(PICTURE_TITLE_MAX * 8);
	if (len > PICTURE_TITLE_MAX) {
		len = PICTURE_TITLE_MAX;
		len -= utf8_incomplete_tail(title, len);
	}
	if (str_append_visible(&text, title, len) == 0 && text.len > 0) {
		replace_noncharacters(&text);
		picture_put_escaped(page, (const char *)text.data, text.len);
	}
	buf_finish(&text);
}

uint32_t picture_character(const struct picture_cell *cell)
{
	uint32_t c;
	int used = cell->len > 0 ? utf8_decode(cell->bytes, cell->len, &c) : 0;
	return used > 0 && (size_t)used == cell->len ? c : 0;
}

enum picture_class picture_class(const struct picture_cell *cell)
{
	uint32_t c;
	if (cell->len == 0 || (cell->looks.attributes & PICTURE_HIDDEN))
		return PICTURE_BLANK;
	c = picture_character(cell);
	if (c == 0 || cell->width != 1)
		return PICTURE_OTHER;
	if (c == 0xa0)
		return PICTURE_BLANK;
	if (c <= PLAIN_LAST)
		return PICTURE_PLAIN;
	return picture_shape_has(c) ? PICTURE_DRAWN : PICTURE_OTHER;
}

struct picture_paint picture_cell_paint(
    const struct picture_page *page, const struct picture_cell *cell)
{
	return picture_paint(page->theme, &cell->looks);
}

unsigned picture_run_end(const struct picture_page *page, unsigned column, picture_alike_fn *alike)
{
	unsigned end = column + 1;
	while (end < page->columns && alike(page, &page->cells[column], &page->cells[end]))
		end++;
	return end;
}

/* percentage of the ground's colour in dim text */
#define DIM_PERCENT 45

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

/* Returns one of 256 colours: 16 of the palette, a cube with six steps per axis, and 24 greys. */
static uint32_t theme_colour(const struct picture_theme *theme, uint32_t index)
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
		return theme_colour(theme, colour & 0xff);
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
