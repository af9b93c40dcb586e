/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/echo.h"

enum {
	/* ms; the echo of a text that is younger than this may come first in the output */
	BEGIN_MS = 1000,
	/* with more lines between a prompt and the next mark, a command has run */
	ABORTED_LINES = 2,
	KEY_DELETE = 0x7f,
};

void echo_init(struct echo *echo)
{
	*echo = (struct echo){.input = SIZE_MAX};
}

static void drop(struct echo *echo, size_t at)
{
	struct echo_text *text = &echo->texts[at];
	if (text->bytes.len > 0)
		explicit_bzero(text->bytes.data, text->bytes.len); /* the text may be a secret */
	buf_finish(&text->bytes);
	echo->count--;
	memmove(text, text + 1, (echo->count - at) * sizeof *text);
}

void echo_finish(struct echo *echo)
{
	while (echo->count > 0)
		drop(echo, 0);
}

static struct echo_text *typed_text(struct echo *echo)
{
	struct echo_text *text = echo->count > 0 ? &echo->texts[echo->count - 1] : NULL;
	if (text != NULL && !text->is_ended && !text->is_over)
		return text;
	if (echo->count == ECHO_TEXTS_MAX)
		drop(echo, 0);
	text = &echo->texts[echo->count++];
	*text = (struct echo_text){0};
	buf_init(&text->bytes, ECHO_TEXT_MAX);
	return text;
}

static bool is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n';
}

void echo_type(
    struct echo *echo, const uint8_t *bytes, size_t len, enum echo_reader reader, int64_t now_ms)
{
	for (size_t at = 0; at < len; at++) {
		struct echo_text *text = typed_text(echo);
		text->typed_ms = now_ms;
		text->reader = reader;
		text->needs_prompt |= reader == ECHO_LATER;
		if (bytes[at] == '\r')
			text->is_ended = true;
		else if ((bytes[at] < ' ' && !is_blank(bytes[at])) || bytes[at] == KEY_DELETE)
			text->is_lost = true;
		else if (bytes[at] == '\n')
			text->has_lines = true;
		else if (!is_blank(bytes[at]) && buf_append_byte(&text->bytes, bytes[at]) < 0)
			text->is_lost = true;
	}
}

void echo_follow(struct echo *echo, int64_t now_ms)
{
	echo->input = SIZE_MAX;
	echo->has_start_mark = false;
	for (size_t at = 0; at < echo->count; at++) {
		struct echo_text *text = &echo->texts[at];
		text->at = 0;
		text->is_done = false;
		text->needs_prompt = true;
		text->may_begin = now_ms - text->typed_ms < BEGIN_MS;
	}
}

bool echo_is_awaited(struct echo *echo, int64_t now_ms)
{
	for (size_t at = echo->count; at-- > 0;) {
		struct echo_text *text = &echo->texts[at];
		if (text->at == 0 && now_ms - text->typed_ms > ECHO_FRESH_MS)
			text->needs_prompt = true;
		if ((text->is_ended && (text->is_lost || text->bytes.len == 0)) ||
		    (text->needs_prompt && text->reader == ECHO_BY_TERMINAL))
			text->is_over = true;
		if (text->is_over && text->at == 0)
			drop(echo, at);
	}
	return echo->count > 0;
}

static bool is_behind_prompt(const struct buf *text, size_t line)
{
	static const char *const ends[] = {"$", "#", "%", ">", "\xc2\xbb", "\xe2\x80\xba",
	    "\xe2\x9d\xaf", "\xe2\x9e\xa4", "\xe2\x96\xb6"};
	size_t end = text->len;
	while (end > line && is_blank(text->data[end - 1]))
		end--;
	for (size_t at = 0; at < sizeof ends / sizeof *ends; at++) {
		size_t len = strlen(ends[at]);
		if (end >= line + len && memcmp(text->data + end - len, ends[at], len) == 0)
			return true;
	}
	return false;
}

/*
 * Returns true if the echo can go on at `at` in the text: this byte stands there, and the text->run
 * bytes that were echoed last stand before it.
 */
static bool stands(const struct echo_text *text, size_t at, uint8_t byte)
{
	const uint8_t *bytes = text->bytes.data;
	return at >= text->run && at < text->bytes.len && bytes[at] == byte &&
	    memcmp(bytes + at - text->run, bytes + text->at - text->run, text->run) == 0;
}

/*
 * Finds where in the text the echo goes on with this byte: an editor may have moved the cursor.
 * Returns SIZE_MAX if the byte is not the echo's.
 */
static size_t find_place(const struct echo_text *text, uint8_t byte)
{
	if (stands(text, text->at, byte))
		return text->at;
	if (!text->has_moved)
		return SIZE_MAX;
	for (size_t at = text->at; at-- > 0;)
		if (stands(text, at, byte))
			return at;
	for (size_t at = text->at + 1; at < text->bytes.len; at++)
		if (stands(text, at, byte))
			return at;
	return SIZE_MAX;
}

static bool may_begin(const struct echo_text *text, const struct buf *out, size_t line)
{
	return !text->needs_prompt || (text->may_begin && out->len == 0) ||
	    is_behind_prompt(out, line);
}

static void take(struct echo_text *text, const struct buf *out, size_t line, uint8_t byte)
{
	size_t len = text->bytes.len, place;
	if (text->is_lost || text->is_over)
		return;
	if (text->at > 0 && text->start == SIZE_MAX)
		text->start = out->len;
	if (text->is_done || (text->at > 0 && out->len - text->start > ECHO_HELD_MAX)) {
		text->is_over = true;
		text->at = 0;
		return;
	}
	text->has_moved |= text->is_moving;
	text->run = text->is_moving ? 0 : text->run;
	text->is_moving = false;
	place = text->at > 0 ? find_place(text, byte) : SIZE_MAX;
	if (place != SIZE_MAX) {
		text->at = place + 1;
		text->run++;
		text->was_whole |= text->at == len;
		return;
	}
	/* The byte does not continue an echo. It may begin one. */
	text->is_over = text->at == len && text->is_ended;
	text->at = 0;
	if (text->is_over || len == 0 || text->bytes.data[0] != byte || !may_begin(text, out, line))
		return;
	text->at = text->run = 1;
	text->was_whole = len == 1;
	text->start = out->len;
	text->has_moved = false;
}

void echo_take(struct echo *echo, const struct buf *text, size_t line, uint8_t byte)
{
	if (is_blank(byte))
		return;
	for (size_t at = 0; at < echo->count; at++)
		take(&echo->texts[at], text, line, byte);
	if (echo->input != SIZE_MAX && text->len - echo->input > ECHO_HELD_MAX)
		echo->input = SIZE_MAX;
}

void echo_move(struct echo *echo, bool is_up)
{
	for (size_t at = 0; at < echo->count; at++) {
		struct echo_text *text = &echo->texts[at];
		text->is_moving = true;
		if (!is_up || !text->is_done)
			continue;
		text->is_done = false;
		text->start = SIZE_MAX;
	}
}

/* Returns the offset where an echo begins that ends with this line; SIZE_MAX: there is none. */
static size_t end_text(struct echo_text *text)
{
	text->may_begin = text->is_moving = false;
	if (text->at == 0 || text->is_done)
		return SIZE_MAX;
	if (text->at < text->bytes.len && (text->has_lines || !text->was_whole)) {
		if (!text->has_lines && !text->has_moved)
			text->at = 0;
		return SIZE_MAX;
	}
	if (text->reader == ECHO_BY_BOTH && !text->needs_prompt) {
		text->needs_prompt = true;
		text->at = 0;
	} else {
		text->is_done = true;
	}
	return text->start;
}

static size_t take_input(struct echo *echo)
{
	size_t start = echo->input;
	echo->input = SIZE_MAX;
	echo->input_lines = 0;
	return start;
}

size_t echo_end_line(struct echo *echo)
{
	size_t start = SIZE_MAX, place;
	for (size_t at = 0; at < echo->count; at++) {
		place = end_text(&echo->texts[at]);
		start = place < start ? place : start;
	}
	echo->input_lines += echo->input != SIZE_MAX;
	if (echo->input == SIZE_MAX || echo->has_start_mark)
		return start;
	place = take_input(echo);
	return place < start ? place : start;
}

size_t echo_mark(struct echo *echo, char mark, size_t len)
{
	if (mark == 'B') {
		echo->input = len;
		echo->input_lines = 0;
		return SIZE_MAX;
	}
	echo->has_start_mark |= mark == 'C';
	if (mark == 'C' || echo->input_lines <= ABORTED_LINES)
		return take_input(echo);
	(void)take_input(echo); /* the shell has run a command without the mark C */
	echo->has_start_mark = false;
	return SIZE_MAX;
}

size_t echo_start(const struct echo *echo)
{
	size_t start = echo->input;
	for (size_t at = 0; at < echo->count; at++)
		if (echo->texts[at].at > 0 && !echo->texts[at].is_done &&
		    echo->texts[at].start < start)
			start = echo->texts[at].start;
	return start;
}

static void shift(size_t *place, size_t len)
{
	if (*place != SIZE_MAX)
		*place -= *place < len ? *place : len;
}

void echo_consume(struct echo *echo, size_t len)
{
	shift(&echo->input, len);
	for (size_t at = 0; at < echo->count; at++)
		shift(&echo->texts[at].start, len);
}

void echo_cut(struct echo *echo, size_t len)
{
	if (echo->input != SIZE_MAX && echo->input > len)
		echo->input = len;
	for (size_t at = 0; at < echo->count; at++)
		if (echo->texts[at].start != SIZE_MAX && echo->texts[at].start > len)
			echo->texts[at].start = len;
}
