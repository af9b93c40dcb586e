/* SPDX-License-Identifier: ISC */
#include "cli/verbs/cast.h"

#include "wire/json.h"

enum { TIME_SIZE = 32 };

void cast_begin(struct cast *cast, struct buf *out, unsigned columns, unsigned rows,
    int64_t start_ms, const char *title)
{
	struct json_writer writer;
	*cast = (struct cast){.columns = columns, .rows = rows, .start_ms = start_ms};
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_put_int(&writer, "version", 2);
	json_put_int(&writer, "width", columns);
	json_put_int(&writer, "height", rows);
	json_put_int(&writer, "timestamp", start_ms / 1000);
	if (title != NULL && *title)
		json_put_str(&writer, "title", title);
	json_object_begin(&writer, "env");
	json_put_str(&writer, "TERM", "xterm-256color");
	json_object_end(&writer);
	json_object_end(&writer);
	(void)buf_append_byte(out, '\n');
}

static void put_event(struct cast *cast, struct buf *out, int64_t now_ms, const char *code,
    const void *bytes, size_t len)
{
	struct json_writer writer;
	char time[TIME_SIZE];
	int64_t ms = now_ms - cast->start_ms;
	int time_len;
	cast->last_ms = ms > cast->last_ms ? ms : cast->last_ms;
	time_len = snprintf(time, sizeof time, "%" PRId64 ".%03d", cast->last_ms / 1000,
	    (int)(cast->last_ms % 1000));
	json_writer_init(&writer, out);
	json_array_begin(&writer, NULL);
	json_put_raw(&writer, NULL, time, (size_t)time_len);
	json_put_str(&writer, NULL, code);
	(void)json_put_text(&writer, NULL, bytes, len);
	json_array_end(&writer);
	(void)buf_append_byte(out, '\n');
}

void cast_output(struct cast *cast, struct buf *out, int64_t now_ms, const void *bytes, size_t len)
{
	if (len > 0)
		put_event(cast, out, now_ms, "o", bytes, len);
}

void cast_resize(
    struct cast *cast, struct buf *out, int64_t now_ms, unsigned columns, unsigned rows)
{
	char size[TIME_SIZE];
	int len;
	if (columns == cast->columns && rows == cast->rows)
		return;
	cast->columns = columns;
	cast->rows = rows;
	len = snprintf(size, sizeof size, "%ux%u", columns, rows);
	put_event(cast, out, now_ms, "r", size, (size_t)len);
}

void cast_screen(struct buf *out, const struct cast_screen *screen)
{
	size_t len = screen->len;
	/* Captured lines may use the line drawing characters as G1, so define G1 first. */
	(void)buf_printf(out, "\033[?1049%c\033)0\017\033[0m\033[2J\033[H",
	    screen->alternate_screen ? 'h' : 'l');
	if (len > 0 && screen->text[len - 1] == '\n')
		len--;
	for (size_t at = 0; at < len;) {
		const char *newline = memchr(screen->text + at, '\n', len - at);
		size_t line = newline != NULL ? (size_t)(newline - screen->text) - at : len - at;
		(void)buf_append(out, screen->text + at, line);
		if (newline != NULL)
			(void)buf_append_str(out, "\r\n");
		at += line + (newline != NULL ? 1 : 0);
	}
	(void)buf_printf(out, "\017\033[0m\033[%u;%uH\033[?25%c", screen->cursor_row + 1,
	    screen->cursor_column + 1, screen->cursor_visible ? 'h' : 'l');
}
