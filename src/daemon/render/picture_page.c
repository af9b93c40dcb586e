/* SPDX-License-Identifier: ISC */
/* Common parts of all kinds of pictures. */
#include "daemon/render/picture_page.h"

#include <stdarg.h>
#include <string.h>

#include "base/cells.h"
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
