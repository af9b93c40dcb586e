/* SPDX-License-Identifier: ISC */
#include "cli/top/top_line.h"

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
	size_t room = top_line_left(line), took;
	width = width < room ? width : room;
	if (width == 0 || len == 0)
		return 0;
	begin_style(line, style);
	took = screen_text_cut(line->out, bytes, len, width);
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
	size_t took, cells, room, at = 0;
	buf_init(&visible, VISIBLE_MAX);
	(void)screen_text_line(&visible, text, strlen(text));
	cells = visible.len > 0 ? utf8_cells(visible.data, visible.len) : 0;
	room = top_line_left(line);
	width = width < room ? width : room;
	if (cells <= width || width == 0) {
		took = top_line_put(line, style, text, strlen(text), width);
		buf_finish(&visible);
		return took;
	}
	while (at < visible.len && cells > width - 1) {
		size_t size = 1;
		(void)utf8_part(visible.data + at, visible.len - at, &size);
		cells -= utf8_cells(visible.data + at, size);
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
	size_t cells = utf8_cells(text, strlen(text)), took;
	if (is_right && cells < width)
		top_line_blank(line, width - cells);
	took = top_line_put(line, style, text, strlen(text), width);
	if (!is_right && took < width)
		top_line_blank(line, width - took);
}

static size_t colour_len(const char *bytes, size_t len)
{
	size_t at = 2;
	if (len < 3 || bytes[0] != '\033' || bytes[1] != '[')
		return 0;
	while (at < len && ((bytes[at] >= '0' && bytes[at] <= ';')))
		at++;
	return at < len && bytes[at] == 'm' ? at + 1 : 0;
}

/* Returns the length of a hyperlink "ESC ] 8 ; ... ESC \" at the start of bytes, or 0. */
static size_t link_len(const char *bytes, size_t len)
{
	if (len < 6 || memcmp(bytes, "\033]8;", 4) != 0)
		return 0;
	for (size_t at = 4; at + 1 < len; at++)
		if (bytes[at] == '\033')
			return bytes[at + 1] == '\\' ? at + 2 : 0;
	return 0;
}

static void take_colour(struct top_ink *ink, const char *bytes, size_t len)
{
	/* ESC[m, ESC[0m and ESC[0;...m reset all styles. Without room, older styles are dropped. */
	bool is_reset = len == 3 || (bytes[2] == '0' && (bytes[3] == ';' || bytes[3] == 'm'));
	if (is_reset || ink->len + len > sizeof ink->text)
		ink->len = 0;
	if (len > sizeof ink->text || len == 3 || (is_reset && len == 4))
		return;
	memcpy(ink->text + ink->len, bytes, len);
	ink->len += len;
}

/* Appends text in which letters stand for line drawing characters of the VT100. */
static void put_drawn(struct top_line *line, const char *bytes, size_t len)
{
	static const char *const drawn[] = {
	    "┘", "┐", "┌", "└", "┼", "⎺", "⎻", "─", "⎼", "⎽", "├", "┤", "┴", "┬", "│"};
	for (size_t at = 0; at < len; at++) {
		const char *shape = bytes[at] == 'a' ? "▒" : bytes[at] == '~' ? "·" : NULL;
		if (bytes[at] >= 'j' && bytes[at] <= 'x')
			shape = drawn[bytes[at] - 'j'];
		if (shape != NULL)
			(void)top_line_put_str(line, SCREEN_PLAIN, shape);
		else
			(void)top_line_put(line, SCREEN_PLAIN, bytes + at, 1, 1);
	}
}

static size_t text_len(const char *bytes, size_t len)
{
	size_t at = 0;
	while (at < len && bytes[at] != '\016' && bytes[at] != '\017' &&
	    colour_len(bytes + at, len - at) == 0 && link_len(bytes + at, len - at) == 0)
		at++;
	return at;
}

void top_line_put_screen(struct top_line *line, struct top_ink *ink, const char *bytes, size_t len)
{
	bool has_ink = line != NULL && line->has_style && line->has_color;
	if (has_ink && ink->len > 0)
		(void)buf_append(line->out, ink->text, ink->len);
	for (size_t at = 0; at < len;) {
		size_t colour = colour_len(bytes + at, len - at);
		size_t text = text_len(bytes + at, len - at);
		if (colour > 0) {
			take_colour(ink, bytes + at, colour);
			if (has_ink && top_line_left(line) > 0)
				(void)buf_append(line->out, bytes + at, colour);
			at += colour;
		} else if (text > 0) {
			if (line != NULL && ink->is_drawing)
				put_drawn(line, bytes + at, text);
			else if (line != NULL)
				(void)top_line_put(
				    line, SCREEN_PLAIN, bytes + at, text, line->columns);
			at += text;
		} else if (bytes[at] == '\033') {
			at += link_len(bytes + at, len - at);
		} else {
			ink->is_drawing = bytes[at] == '\016';
			at++;
		}
	}
	if (has_ink)
		(void)buf_append_str(line->out, screen_style(true, SCREEN_PLAIN));
}

void top_format_seconds(char *out, size_t size, int64_t seconds, bool has_two)
{
	int first = (int)(seconds < 3600 ? seconds / 60 : seconds / 3600);
	if (seconds < 60)
		(void)snprintf(out, size, "%ds", (int)seconds);
	else if (seconds >= 86400)
		(void)snprintf(out, size, "%" PRId64 "d", seconds / 86400);
	else if (has_two)
		(void)snprintf(out, size, "%d%c%02d", first, seconds < 3600 ? 'm' : 'h',
		    (int)(seconds < 3600 ? seconds % 60 : seconds / 60 % 60));
	else
		(void)snprintf(out, size, "%d%c", first, seconds < 3600 ? 'm' : 'h');
}

void top_format_age(char *out, size_t size, int64_t seconds)
{
	if (seconds < 1)
		(void)snprintf(out, size, "now");
	else
		top_format_seconds(out, size, seconds, false);
}
