/* SPDX-License-Identifier: ISC */
/*
 * Pictures of panes as SVG. Each run of text has its own position, and a run of several columns its
 * own length, so that columns stay aligned in any font.
 */

#include "daemon/render/picture_page.h"
#include "daemon/render/picture_shape.h"

/* Lengths are tenths of a pixel. */
#define FONT 140
#define CELL_WIDTH 84
#define CELL_HEIGHT 180
#define MARGIN 120
#define BAR 300
#define BASELINE 135 /* from the top of a row to the baseline of its text */
#define UNDERLINE 158
#define STRIKE 90

#define FONTS \
	"ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,Liberation Mono,monospace"
#define SHAPE_BYTES_MAX (1024 * 1024)

static unsigned left_of(unsigned column)
{
	return MARGIN + column * CELL_WIDTH;
}

static unsigned top_of(const struct picture_page *page)
{
	return (page->picture->has_frame ? BAR : MARGIN) + page->row * CELL_HEIGHT;
}

/* Writes an attribute, as name='12.5'; the value is in tenths. */
static void put_length(struct picture_page *page, const char *name, unsigned tenths)
{
	if (tenths % 10 == 0)
		picture_put(page, " %s='%u'", name, tenths / 10);
	else
		picture_put(page, " %s='%u.%u'", name, tenths / 10, tenths % 10);
}

static bool has_same_ground(
    const struct picture_page *page, const struct picture_cell *a, const struct picture_cell *b)
{
	return picture_cell_paint(page, a).ground == picture_cell_paint(page, b).ground;
}

static void put_grounds(struct picture_page *page)
{
	for (unsigned column = 0, end; column < page->columns; column = end) {
		uint32_t ground = picture_cell_paint(page, &page->cells[column]).ground;
		end = picture_run_end(page, column, has_same_ground);
		if (ground == page->theme->ground)
			continue;
		picture_put(page, "<rect");
		put_length(page, "x", left_of(column));
		put_length(page, "y", top_of(page));
		put_length(page, "width", (end - column) * CELL_WIDTH);
		put_length(page, "height", CELL_HEIGHT);
		picture_put(page, " fill='#%06x'/>\n", ground);
	}
}

static void put_line(struct picture_page *page, unsigned column, unsigned end, unsigned below,
    uint32_t colour, const char *more)
{
	picture_put(page, "<line");
	put_length(page, "x1", left_of(column));
	put_length(page, "x2", left_of(end));
	put_length(page, "y1", top_of(page) + below);
	put_length(page, "y2", top_of(page) + below);
	picture_put(page, " stroke='#%06x'%s/>\n", colour, more);
}

static void put_waves(
    struct picture_page *page, unsigned column, unsigned end, unsigned below, uint32_t colour)
{
	unsigned x = left_of(column), y = top_of(page) + below;
	picture_put(page, "<path fill='none' stroke='#%06x' d='M%u.%u %u.%u", colour, x / 10,
	    x % 10, y / 10, y % 10);
	for (; column < end; column++)
		picture_put(page, "q2.1-3 4.2 0t4.2 0");
	picture_put(page, "'/>\n");
}

static bool has_same_underline(
    const struct picture_page *page, const struct picture_cell *a, const struct picture_cell *b)
{
	return a->looks.underline == b->looks.underline &&
	    picture_cell_paint(page, a).line == picture_cell_paint(page, b).line;
}

static void put_underlines(struct picture_page *page)
{
	for (unsigned column = 0, end; column < page->columns; column = end) {
		uint32_t colour = picture_cell_paint(page, &page->cells[column]).line;
		end = picture_run_end(page, column, has_same_underline);
		switch ((enum picture_underline)page->cells[column].looks.underline) {
		case PICTURE_UNDERLINE_NONE:
			break;
		case PICTURE_UNDERLINE_SINGLE:
			put_line(page, column, end, UNDERLINE, colour, "");
			break;
		case PICTURE_UNDERLINE_DOUBLE:
			put_line(page, column, end, UNDERLINE - 8, colour, "");
			put_line(page, column, end, UNDERLINE + 14, colour, "");
			break;
		case PICTURE_UNDERLINE_CURLY:
			put_waves(page, column, end, UNDERLINE, colour);
			break;
		case PICTURE_UNDERLINE_DOTTED:
			put_line(
			    page, column, end, UNDERLINE, colour, " stroke-dasharray='1.4 1.4'");
			break;
		case PICTURE_UNDERLINE_DASHED:
			put_line(page, column, end, UNDERLINE, colour, " stroke-dasharray='5 3.4'");
			break;
		}
	}
}

static bool has_same_strokes(
    const struct picture_page *page, const struct picture_cell *a, const struct picture_cell *b)
{
	const unsigned strokes = PICTURE_STRIKE | PICTURE_OVERLINE;
	return (a->looks.attributes & strokes) == (b->looks.attributes & strokes) &&
	    picture_cell_paint(page, a).text == picture_cell_paint(page, b).text;
}

static void put_strokes(struct picture_page *page)
{
	for (unsigned column = 0, end; column < page->columns; column = end) {
		const struct picture_cell *cell = &page->cells[column];
		uint32_t colour = picture_cell_paint(page, cell).text;
		end = picture_run_end(page, column, has_same_strokes);
		if (cell->looks.attributes & PICTURE_STRIKE)
			put_line(page, column, end, STRIKE, colour, "");
		if (cell->looks.attributes & PICTURE_OVERLINE)
			put_line(page, column, end, 10, colour, "");
	}
}

static bool is_same_drawing(
    const struct picture_page *page, const struct picture_cell *a, const struct picture_cell *b)
{
	return picture_class(b) == PICTURE_DRAWN &&
	    picture_shape_shade(picture_character(a)) ==
	    picture_shape_shade(picture_character(b)) &&
	    picture_cell_paint(page, a).text == picture_cell_paint(page, b).text;
}

static void put_path(
    struct picture_page *page, struct buf *path, uint32_t colour, const char *looks)
{
	if (path->len > 0)
		picture_put(
		    page, "<path%s#%06x' d='%s'/>\n", looks, colour, (const char *)path->data);
	buf_finish(path);
}

static unsigned put_drawing(struct picture_page *page, unsigned column)
{
	const struct picture_cell *cells = page->cells;
	unsigned end = picture_run_end(page, column, is_same_drawing);
	struct picture_paint paint = picture_cell_paint(page, &cells[column]);
	unsigned shade = picture_shape_shade(picture_character(&cells[column]));
	uint32_t colour = picture_mix(paint.text, paint.ground, shade);
	struct picture_shapes shapes = {.width = CELL_WIDTH, .height = CELL_HEIGHT};
	buf_init(&shapes.light, SHAPE_BYTES_MAX);
	buf_init(&shapes.heavy, SHAPE_BYTES_MAX);
	buf_init(&shapes.fill, SHAPE_BYTES_MAX);
	for (unsigned at = column; at < end;) {
		uint32_t c = picture_character(&cells[at]);
		unsigned count = 1;
		while (at + count < end && picture_character(&cells[at + count]) == c)
			count++;
		picture_shape_add(&shapes, c, left_of(at), top_of(page), count);
		at += count;
	}
	put_path(page, &shapes.fill, colour, " fill='");
	put_path(page, &shapes.light, colour,
	    " fill='none' stroke-width='1.2' stroke-linecap='square' stroke='");
	put_path(page, &shapes.heavy, colour,
	    " fill='none' stroke-width='2.4' stroke-linecap='square' stroke='");
	return end;
}

static bool has_same_writing(
    const struct picture_page *page, const struct picture_cell *a, const struct picture_cell *b)
{
	const unsigned writing = PICTURE_BOLD | PICTURE_ITALIC;
	return (a->looks.attributes & writing) == (b->looks.attributes & writing) &&
	    picture_cell_paint(page, a).text == picture_cell_paint(page, b).text;
}

/* Returns the end of a run of plain text. A single blank of any style does not end the run. */
static unsigned writing_end(const struct picture_page *page, unsigned column)
{
	const struct picture_cell *cells = page->cells;
	unsigned end = column + 1;
	for (unsigned at = end; at < page->columns && at <= end + 1; at++) {
		enum picture_class class = picture_class(&cells[at]);
		if (class == PICTURE_BLANK)
			continue;
		if (class != PICTURE_PLAIN || !has_same_writing(page, &cells[column], &cells[at]))
			break;
		end = at + 1;
	}
	return end;
}

static void put_writing(struct picture_page *page, unsigned column, unsigned end)
{
	const struct picture_cell *cell = &page->cells[column];
	struct picture_paint paint = picture_cell_paint(page, cell);
	bool is_other = picture_class(cell) == PICTURE_OTHER;
	picture_put(page, "<text");
	put_length(page, "x", left_of(column));
	put_length(page, "y", top_of(page) + BASELINE);
	if (is_other || end - column > 1)
		put_length(page, "textLength", (end - column) * CELL_WIDTH);
	if (is_other)
		picture_put(page, " lengthAdjust='spacingAndGlyphs'");
	if (paint.text != page->theme->text)
		picture_put(page, " fill='#%06x'", paint.text);
	if (cell->looks.attributes & PICTURE_BOLD)
		picture_put(page, " font-weight='bold'");
	if (cell->looks.attributes & PICTURE_ITALIC)
		picture_put(page, " font-style='italic'");
	picture_put(page, ">");
	for (; column < end; column++) {
		cell = &page->cells[column];
		if (picture_class(cell) == PICTURE_BLANK)
			picture_put(page, "%s", cell->width > 0 && column + 1 < end ? " " : "");
		else
			picture_put_escaped(page, cell->bytes, cell->len);
	}
	picture_put(page, "</text>\n");
}

static void put_row(struct picture_page *page)
{
	put_underlines(page);
	for (unsigned column = 0; column < page->columns;) {
		const struct picture_cell *cell = &page->cells[column];
		unsigned end = column + 1;
		switch (picture_class(cell)) {
		case PICTURE_BLANK:
			break;
		case PICTURE_PLAIN:
			end = writing_end(page, column);
			put_writing(page, column, end);
			break;
		case PICTURE_DRAWN:
			end = put_drawing(page, column);
			break;
		case PICTURE_OTHER:
			end = column + (cell->width > 0 ? cell->width : 1);
			put_writing(page, column, end);
			break;
		}
		column = end;
	}
	put_strokes(page);
}

static void put_frame(struct picture_page *page, unsigned width)
{
	static const uint32_t lights[] = {0xee6a5f, 0xf5bd4f, 0x61c454};
	const unsigned middle = BAR / 2 - 10;
	for (unsigned i = 0; i < 3; i++) {
		picture_put(page, "<circle");
		put_length(page, "cx", 180 + 180 * i);
		put_length(page, "cy", middle);
		picture_put(page, " r='5.5' fill='#%06x'/>\n", lights[i]);
	}
	picture_put(
	    page, "<text text-anchor='middle' font-size='12.5' fill='#%06x'", page->theme->caption);
	put_length(page, "x", width / 2);
	put_length(page, "y", middle + 45);
	picture_put(page, ">");
	picture_put_title(page);
	picture_put(page, "</text>\n");
}

int picture_svg(struct buf *out, const struct picture *picture)
{
	struct picture_page page;
	unsigned width, height;
	picture_page_init(&page, out, picture);
	width = 2 * MARGIN + page.columns * CELL_WIDTH;
	height = (picture->has_frame ? BAR : MARGIN) + picture->rows * CELL_HEIGHT + MARGIN;
	picture_put(&page, "<svg xmlns='http://www.w3.org/2000/svg' version='1.1'");
	put_length(&page, "width", width);
	put_length(&page, "height", height);
	picture_put(
	    &page, " viewBox='0 0 %u.%u %u.%u'", width / 10, width % 10, height / 10, height % 10);
	picture_put(&page, " font-family='%s' font-size='%u' fill='#%06x'>\n<title>", FONTS,
	    FONT / 10, page.theme->text);
	picture_put_title(&page);
	picture_put(&page,
	    "</title>\n<rect width='100%%' height='100%%' rx='8' fill='#%06x'/>\n"
	    "<g shape-rendering='crispEdges'>\n",
	    page.theme->ground);
	picture_page_rows(&page, put_grounds);
	picture_put(&page, "</g>\n");
	picture_page_rows(&page, put_row);
	if (picture->has_frame)
		put_frame(&page, width);
	picture_put(&page, "</svg>\n");
	return picture_page_finish(&page);
}
