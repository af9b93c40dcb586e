/* SPDX-License-Identifier: ISC */
/* Common parts of all kinds of pictures. */
#include "daemon/render/picture_page.h"

#include <stdarg.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "daemon/render/picture_shape.h"

#define PLAIN_LAST 0x52f /* Latin, Greek and Cyrillic: in every fixed-width font */

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

/* Marks the character under the cursor; both cells of a wide one. */
static void mark_cursor(struct picture_page *page)
{
	unsigned column = page->picture->cursor_column;
	if (page->picture->cursor_row != (int64_t)page->row)
		return;
	/* After the last column the cursor waits for the next row. */
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

/* Two characters of each 65,536 are UTF-8, visible, and not allowed in XML. */
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
	struct buf text;
	if (len > PICTURE_TITLE_MAX) {
		len = PICTURE_TITLE_MAX;
		len -= utf8_incomplete_tail(title, len);
	}
	buf_init(&text, PICTURE_TITLE_MAX * 8);
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
