/* SPDX-License-Identifier: ISC */
#include "cli/screen_text.h"

#include <sys/ioctl.h>

#define COLUMNS_DEFAULT 80
#define COLUMNS_MIN 20
#define COLUMNS_MAX 10000
#define SGR_MAX 64 /* bytes of a colour sequence; longer ones are made visible */
#define VISIBLE_MAX ((size_t)256 * 1024 * 1024)

static const char *const styles[] = {
    [SCREEN_PLAIN] = "\033[0m",
    [SCREEN_BOLD] = "\033[1m",
    [SCREEN_DIM] = "\033[2m",
    [SCREEN_GOOD] = "\033[32m",
    [SCREEN_BAD] = "\033[31m",
    [SCREEN_WARN] = "\033[33m",
    [SCREEN_NAME] = "\033[36m",
};

bool screen_has_color(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	return (no_color == NULL || !*no_color) && screen_has_cursor(fd);
}

bool screen_has_cursor(int fd)
{
	const char *term = getenv("TERM");
	return isatty(fd) && term != NULL && *term && strcmp(term, "dumb") != 0;
}

bool screen_is_ours(int fd)
{
	pid_t group = tcgetpgrp(fd);
	return group < 0 || group == getpgrp(); /* < 0: it is not our controlling terminal */
}

int screen_columns(int fd)
{
	struct winsize size;
	uint32_t columns = COLUMNS_DEFAULT;
	const char *text = getenv("COLUMNS");
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		columns = size.ws_col;
	else if (text != NULL)
		(void)str_parse_u32(text, strlen(text), &columns); /* on failure COLUMNS_DEFAULT */
	return columns < COLUMNS_MIN ? COLUMNS_MIN
	    : columns > COLUMNS_MAX  ? COLUMNS_MAX
				     : (int)columns;
}

const char *screen_style(bool has_color, enum screen_style style)
{
	return has_color ? styles[style] : "";
}

int screen_text_line(struct buf *out, const void *bytes, size_t len)
{
	return str_append_visible(out, bytes, len);
}

int screen_text_block(struct buf *out, const void *bytes, size_t len)
{
	const char *at = bytes, *end = at + len;
	while (at < end) {
		const char *stop = at;
		int r;
		while (stop < end && *stop != '\n' && *stop != '\t')
			stop++;
		r = str_append_visible(out, at, (size_t)(stop - at));
		if (r == 0 && stop < end)
			r = buf_append_byte(out, (uint8_t)*stop);
		if (r < 0)
			return r;
		at = stop + 1;
	}
	return 0;
}

/* Returns the length of an SGR sequence at the start of text; 0 if none; SIZE_MAX if cut off. */
static size_t sgr_length(const char *text, size_t len)
{
	size_t at = 2;
	if (len == 0 || text[0] != '\033' || (len > 1 && text[1] != '['))
		return 0;
	while (at < len && at < SGR_MAX && text[at] && strchr("0123456789;:", text[at]) != NULL)
		at++;
	if (at >= len)
		return len < SGR_MAX ? SIZE_MAX : 0;
	return text[at] == 'm' ? at + 1 : 0;
}

size_t screen_text_colors(struct buf *out, const void *bytes, size_t len)
{
	const char *at = bytes, *end = at + len;
	while (at < end) {
		size_t sgr = sgr_length(at, (size_t)(end - at));
		const char *stop = at;
		if (sgr == SIZE_MAX)
			return (size_t)(end - at);
		if (sgr > 0) {
			(void)buf_append(out, at, sgr);
			at += sgr;
			continue;
		}
		stop = memchr(at + 1, '\033', (size_t)(end - at - 1));
		if (stop == NULL)
			stop = end - utf8_incomplete_tail((const uint8_t *)at, (size_t)(end - at));
		(void)screen_text_block(out, at, (size_t)(stop - at));
		at = stop;
		if (stop < end && *stop != '\033')
			break;
	}
	return (size_t)(end - at);
}

size_t screen_text_cut(struct buf *out, const void *bytes, size_t len, size_t columns)
{
	struct buf line = BUF(VISIBLE_MAX);
	/* Bytes that fill the columns. A text with very many marks of width 0 is cut earlier. */
	size_t enough = columns * 64 + 64;
	const char *text;
	size_t width, at;
	bool is_cut;
	(void)screen_text_line(&line, bytes, len < enough ? len : enough);
	text = buf_text(&line);
	width = utf8_cells(text, line.len);
	at = line.len;
	is_cut = width > columns || len > enough;
	if (is_cut && columns > 0) {
		width = 0;
		for (at = 0; at < line.len;) {
			size_t size = 1, cells;
			(void)utf8_part(text + at, line.len - at, &size);
			cells = utf8_cells(text + at, size);
			if (width + cells > columns - 1)
				break;
			width += cells;
			at += size;
		}
	} else if (is_cut) {
		at = 0;
	}
	(void)buf_append(out, text, at);
	if (is_cut && columns > 0) {
		(void)buf_append_str(out, "…");
		width++;
	}
	buf_finish(&line);
	return columns > 0 ? width : 0;
}

void screen_text_wrap(struct buf *out, const char *text, size_t columns, size_t indent, size_t at)
{
	while (*text) {
		size_t len = strcspn(text, " ");
		size_t width = utf8_cells(text, len);
		if (columns > 0 && at > indent && at + 1 + width > columns) {
			(void)buf_printf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			(void)buf_append_byte(out, ' ');
			at++;
		}
		(void)screen_text_line(out, text, len);
		at += width;
		text += len + strspn(text + len, " ");
	}
	(void)buf_append_byte(out, '\n');
}

void screen_print_line(FILE *stream, const char *text)
{
	struct buf line = BUF(VISIBLE_MAX);
	(void)screen_text_line(&line, text, strlen(text));
	if (line.len > 0)
		(void)fwrite(line.data, 1, line.len, stream);
	buf_finish(&line);
}
