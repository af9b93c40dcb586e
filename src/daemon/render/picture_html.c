/* SPDX-License-Identifier: ISC */
/* Pictures of panes as an HTML page, which is also valid XML. */
#include "daemon/render/picture_page.h"

static bool has_same_looks(
    const struct picture_page *page, const struct picture_cell *a, const struct picture_cell *b)
{
	struct picture_paint one = picture_cell_paint(page, a), other = picture_cell_paint(page, b);
	return one.text == other.text && one.ground == other.ground && one.line == other.line &&
	    a->looks.attributes == b->looks.attributes && a->looks.underline == b->looks.underline;
}

static void put_decoration(struct picture_page *page, const struct picture_looks *looks)
{
	static const char *const styles[] = {
	    [PICTURE_UNDERLINE_NONE] = "",
	    [PICTURE_UNDERLINE_SINGLE] = " underline",
	    [PICTURE_UNDERLINE_DOUBLE] = " underline double",
	    [PICTURE_UNDERLINE_CURLY] = " underline wavy",
	    [PICTURE_UNDERLINE_DOTTED] = " underline dotted",
	    [PICTURE_UNDERLINE_DASHED] = " underline dashed",
	};
	const unsigned strokes = PICTURE_STRIKE | PICTURE_OVERLINE;
	if (looks->underline == PICTURE_UNDERLINE_NONE && (looks->attributes & strokes) == 0)
		return;
	picture_put(page, "text-decoration:%s%s%s",
	    looks->attributes & PICTURE_STRIKE ? "line-through" : "",
	    looks->attributes & PICTURE_OVERLINE ? " overline" : "", styles[looks->underline]);
	if (looks->line != PICTURE_COLOUR_DEFAULT)
		picture_put(page, " #%06x", picture_paint(page->theme, looks).line);
	picture_put(page, ";");
}

/* Begins an element, and returns true, if the style of a cell is not that of the page. */
static bool open_span(struct picture_page *page, const struct picture_cell *cell)
{
	struct picture_paint paint = picture_cell_paint(page, cell);
	const struct picture_looks *looks = &cell->looks;
	if (paint.text == page->theme->text && paint.ground == page->theme->ground &&
	    (looks->attributes & ~(unsigned)PICTURE_HIDDEN) == 0 &&
	    looks->underline == PICTURE_UNDERLINE_NONE)
		return false;
	picture_put(page, "<span style='");
	if (paint.text != page->theme->text)
		picture_put(page, "color:#%06x;", paint.text);
	if (paint.ground != page->theme->ground)
		picture_put(page, "background:#%06x;", paint.ground);
	if (looks->attributes & PICTURE_BOLD)
		picture_put(page, "font-weight:bold;");
	if (looks->attributes & PICTURE_ITALIC)
		picture_put(page, "font-style:italic;");
	put_decoration(page, looks);
	picture_put(page, "'>");
	return true;
}

static void put_cell(struct picture_page *page, const struct picture_cell *cell)
{
	enum picture_class class = picture_class(cell);
	if (cell->width == 0)
		return;
	if (class == PICTURE_BLANK) {
		picture_put(page, "%s", cell->width == 2 ? "  " : " ");
		return;
	}
	if (class == PICTURE_OTHER)
		picture_put(page, "<i%s>", cell->width == 2 ? " class='w'" : "");
	picture_put_escaped(page, cell->bytes, cell->len);
	if (class == PICTURE_OTHER)
		picture_put(page, "</i>");
}

static void put_row(struct picture_page *page)
{
	static const struct picture_cell blank = {.width = 1};
	unsigned last = page->columns;
	while (last > 0 && picture_class(&page->cells[last - 1]) == PICTURE_BLANK &&
	    has_same_looks(page, &page->cells[last - 1], &blank))
		last--;
	for (unsigned column = 0, end; column < last; column = end) {
		bool is_open;
		end = picture_run_end(page, column, has_same_looks);
		end = end < last ? end : last;
		is_open = open_span(page, &page->cells[column]);
		for (unsigned at = column; at < end; at++)
			put_cell(page, &page->cells[at]);
		if (is_open)
			picture_put(page, "</span>");
	}
	picture_put(page, "\n");
}

int picture_html(struct buf *out, const struct picture *picture)
{
	struct picture_page page;
	const struct picture_theme *theme;
	picture_page_init(&page, out, picture);
	theme = page.theme;
	picture_put(&page,
	    "<!DOCTYPE html>\n<html xmlns='http://www.w3.org/1999/xhtml' lang='en'>\n<head>\n"
	    "<meta charset='utf-8'/>\n"
	    "<meta http-equiv='Content-Security-Policy' "
	    "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n<title>");
	picture_put_title(&page);
	picture_put(&page,
	    "</title>\n<style>\nbody{margin:1em;background:#%06x;color:#%06x}\n"
	    "pre{font:14px/18px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',"
	    "'Liberation Mono',monospace;width:%uch;unicode-bidi:bidi-override;direction:ltr}\n"
	    "i{display:inline-block;width:1ch;height:18px;font-style:inherit;overflow:hidden;"
	    "vertical-align:top}\ni.w{width:2ch}\n"
	    "p{font:12.5px sans-serif;color:#%06x}\n</style>\n</head>\n<body>\n",
	    theme->ground, theme->text, page.columns, theme->caption);
	if (picture->has_frame) {
		picture_put(&page, "<p>");
		picture_put_title(&page);
		picture_put(&page, "</p>\n");
	}
	picture_put(&page, "<pre>\n");
	picture_page_rows(&page, put_row);
	picture_put(&page, "</pre>\n</body>\n</html>\n");
	return picture_page_finish(&page);
}
