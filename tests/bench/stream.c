/* SPDX-License-Identifier: ISC */
/* The output of typical programs, and the same output as tmux -C passes it on. */
#include "stream.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"

/* tmux puts at most so many bytes of a program into one line; a read gives it fewer. */
#define LINE_SOURCE_MAX 2730
#define LINE_SOURCE_MIN 1200

const char *const stream_kinds[] = {"ascii", "ansi", "utf8", "bin", "short", "tui", NULL};

static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16 & 0x7fff;
}

static void put_text(struct buf *out, unsigned *state, size_t width)
{
	for (size_t i = 0; i < width; i++)
		buf_append_byte(out, (uint8_t)(' ' + next_random(state) % 94));
}

static void put_ascii(struct buf *out, unsigned *state)
{
	size_t width = 40 + next_random(state) % 81;
	for (size_t i = 0; i < width; i++)
		buf_append_byte(out, (uint8_t)(i % 7 == 6 ? ' ' : 'a' + next_random(state) % 26));
	buf_append_str(out, "\r\n");
}

/* A coloured log: about nine escape sequences in a line. */
static void put_ansi(struct buf *out, unsigned *state)
{
	static const char *const levels[] = {"32mINFO", "33mWARN", "31mERROR", "36mDEBUG"};
	unsigned random = next_random(state);
	buf_printf(out,
	    "\033[2m12:%02u:%02u.%03u\033[0m \033[1;%s\033[0m \033[34mworker-%u\033[0m "
	    "path=\033[4m/api/v1/items/%u\033[0m status=\033[32m200\033[0m %u ms\r\n",
	    random % 60, random % 59, random % 1000, levels[random % 4], random % 16, random,
	    random % 97);
}

static void put_utf8(struct buf *out, unsigned *state)
{
	static const char *const words[] = {"Straße", "naïve", "日本語のテキスト", "русский",
	    "ελληνικά", "🚀✨", "plain words", "中文字符"};
	for (int i = 0; i < 8; i++)
		buf_printf(out, "%s ", words[next_random(state) % 8]);
	buf_append_str(out, "\r\n");
}

/* Any bytes but those that would change the terminal's state. */
static void put_bin(struct buf *out, unsigned *state)
{
	for (int i = 0; i < 64; i++) {
		uint8_t byte = (uint8_t)next_random(state);
		buf_append_byte(out, byte == 0x1b || byte == 0x0e || byte == 0x0f ? '.' : byte);
	}
}

static void put_short(struct buf *out, unsigned *state)
{
	put_text(out, state, next_random(state) % 9);
	buf_append_str(out, "\r\n");
}

/* One row of a full-screen program: goes to a place, writes coloured runs. */
static void put_tui(struct buf *out, unsigned *state)
{
	buf_printf(out, "\033[%u;%uH", next_random(state) % 24 + 1, next_random(state) % 20 + 1);
	for (int i = 0; i < 3; i++) {
		buf_printf(out, "\033[38;5;%um", next_random(state) % 256);
		put_text(out, state, 8 + next_random(state) % 24);
	}
	buf_append_str(out, "\033[0m");
}

static void put_kind(struct buf *out, const char *kind, unsigned *state)
{
	static void (*const makers[])(struct buf *, unsigned *) = {
	    put_ascii, put_ansi, put_utf8, put_bin, put_short, put_tui};

	for (size_t i = 0; stream_kinds[i] != NULL; i++) {
		if (strcmp(kind, stream_kinds[i]) == 0)
			makers[i](out, state);
	}
}

/* Appends a line as tmux writes it, and notes where its data are. */
static void put_line(struct stream *stream, struct buf *wire, const uint8_t *bytes, size_t len)
{
	struct stream_line *line;
	stream->lines = xrealloc(stream->lines, (stream->line_count + 1) * sizeof *stream->lines);
	line = &stream->lines[stream->line_count++];
	buf_append_str(wire, "%output %0 ");
	line->start = wire->len;
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] < ' ' || bytes[i] == '\\')
			buf_printf(wire, "\\%03o", bytes[i]);
		else
			buf_append_byte(wire, bytes[i]);
	}
	line->len = wire->len - line->start;
	buf_append_byte(wire, '\n');
}

struct stream *stream_new(const char *kind, size_t size)
{
	struct stream *stream = xcalloc(1, sizeof *stream);
	unsigned state = 1;
	struct buf source;
	struct buf wire;
	buf_init(&source, SIZE_MAX / 2);
	buf_init(&wire, SIZE_MAX / 2);
	while (source.len < size)
		put_kind(&source, kind, &state);
	for (size_t done = 0; done < source.len;) {
		size_t take =
		    LINE_SOURCE_MIN + next_random(&state) % (LINE_SOURCE_MAX - LINE_SOURCE_MIN + 1);
		if (take > source.len - done)
			take = source.len - done;
		put_line(stream, &wire, source.data + done, take);
		done += take;
	}
	stream->decoded_len = source.len;
	stream->bytes = buf_steal(&wire, &stream->len);
	buf_finish(&source);
	return stream;
}

void stream_free(struct stream *stream)
{
	mem_free(stream->bytes);
	mem_free(stream->lines);
	mem_free(stream);
}
