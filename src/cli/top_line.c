/* SPDX-License-Identifier: ISC */
/* One row of a frame of muxbus top. */
#include "cli/top_line.h"

#include <string.h>

#include "base/cells.h"
#include "base/utf8.h"

#define REVERSE "\033[7m"
#define ELLIPSIS "…"
#define VISIBLE_MAX ((size_t)64 * 1024)

static void begin_style(struct top_line *line, enum screen_style style)
{
	bool has_any = line->has_color || style == SCREEN_BOLD || style == SCREEN_DIM;
	if (line->has_style && style != SCREEN_PLAIN && has_any)
		(void)buf_append_str(line->out, screen_style(true, style));
}

static void end_style(struct top_line *line, enum screen_style style)
{
	if (!line->has_style || style == SCREEN_PLAIN)
		return;
	(void)buf_append_str(line->out, screen_style(true, SCREEN_PLAIN));
	if (line->is_marked)
		(void)buf_append_str(line->out, REVERSE);
}

void top_line_begin(struct top_line *line, struct buf *out, size_t columns, bool has_style,
    bool has_color, bool is_marked)
{
	*line = (struct top_line){.out = out,
	    .columns = columns,
	    .has_style = has_style,
	    .has_color = has_color,
	    .is_marked = is_marked};
	buf_clear(out);
	if (has_style && is_marked)
		(void)buf_append_str(out, REVERSE);
}

void top_line_end(struct top_line *line)
{
	if (!line->is_marked || !line->has_style)
		return;
	top_line_blank(line, top_line_left(line));
	(void)buf_append_str(line->out, screen_style(true, SCREEN_PLAIN));
}

size_t top_line_left(const struct top_line *line)
{
	return line->columns - line->used;
}

size_t top_line_put(
    struct top_line *line, enum screen_style style, const void *bytes, size_t len, size_t width)
{
	size_t room = top_line_left(line);
	width = width < room ? width : room;
	if (width == 0 || len == 0)
		return 0;
	begin_style(line, style);
	size_t took = screen_text_cut(line->out, bytes, len, width);
	end_style(line, style);
	line->used += took;
	return took;
}

size_t top_line_put_str(struct top_line *line, enum screen_style style, const char *text)
{
	return top_line_put(line, style, text, strlen(text), line->columns);
}

size_t top_line_put_end(
    struct top_line *line, enum screen_style style, const char *text, size_t width)
{
	struct buf visible, cut;
	size_t took;
	buf_init(&visible, VISIBLE_MAX);
	(void)screen_text_line(&visible, text, strlen(text));
	size_t cells = visible.len > 0 ? cells_width(visible.data, visible.len) : 0;
	size_t room = top_line_left(line);
	width = width < room ? width : room;
	if (cells <= width || width == 0) {
		took = top_line_put(line, style, text, strlen(text), width);
		buf_finish(&visible);
		return took;
	}
	size_t at = 0;
	while (at < visible.len && cells > width - 1) {
		size_t size = 1;
		(void)utf8_part(visible.data + at, visible.len - at, &size);
		cells -= cells_width(visible.data + at, size);
		at += size;
	}
	buf_init(&cut, VISIBLE_MAX);
	(void)buf_append_str(&cut, ELLIPSIS);
	(void)buf_append(&cut, visible.data + at, visible.len - at);
	took = top_line_put(line, style, cut.data, cut.len, width);
	buf_finish(&cut);
	buf_finish(&visible);
	return took;
}

void top_line_blank(struct top_line *line, size_t width)
{
	size_t room = top_line_left(line);
	width = width < room ? width : room;
	for (size_t i = 0; i < width; i++)
		(void)buf_append_byte(line->out, ' ');
	line->used += width;
}

void top_line_cell(
    struct top_line *line, enum screen_style style, const char *text, size_t width, bool is_right)
{
	size_t cells = cells_width(text, strlen(text));
	if (is_right && cells < width)
		top_line_blank(line, width - cells);
	size_t took = top_line_put(line, style, text, strlen(text), width);
	if (!is_right && took < width)
		top_line_blank(line, width - took);
}
