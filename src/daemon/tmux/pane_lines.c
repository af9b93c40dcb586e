/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/pane_lines.h"

#include "base/stripper.h"
#include "base/tokenizer.h"
#include "daemon/tmux/echo.h"

enum {
	BLOCK_MAX = 64 * 1024, /* maximum bytes of new text that are searched as one block */
	TEXT_MAX = 2 * LINES_BEHIND_MAX,
	TEXT_KEEP = 4096, /* bytes of memory that are kept for a pane while it has no text */
};

/*
 * The text of a pane. Its bytes are numbered from its start; text.data[0] has the number base. The
 * list todo has the watches whose pattern may match: those without a literal, and those whose
 * literal is in the block or in an earlier part of its first line.
 */
struct pane_lines {
	struct lines_turn *turn;
	struct echo *echo; /* finds echoes, which are cut out of the lines; or NULL */
	struct stripper stripper;
	struct buf text;
	uint64_t base;
	/* Number of the first byte of the first line; less than base if the line was cut. */
	uint64_t line;
	size_t len; /* text.len after the last piece of output */
	/* offset in text where the next block begins; all watches have seen the bytes before */
	size_t seen;
	size_t block; /* offset in text where the present block ends; valid if todo is not empty */
	bool is_ending; /* there are no more turns, so looking has no time limit */
	bool is_changed; /* text after the present block must be looked at */
	bool is_shown; /* text that was held back as a possible echo must be looked at */
	uint64_t youngest; /* no watch begins after the byte with this number */
	uint64_t offset; /* offset in the pane's output of the end of text */
	struct pattern_set patterns;
	size_t searched; /* number of bytes of text that were searched for literals */
	struct list watches;
	struct list todo;
	struct list held;
};

struct pane_lines *pane_lines_new(struct lines_turn *turn, struct echo *echo)
{
	struct pane_lines *lines = xcalloc(1, sizeof *lines);
	lines->turn = turn;
	lines->echo = echo;
	if (echo != NULL)
		echo_follow(echo, clock_mono_ms());
	buf_init(&lines->text, TEXT_MAX);
	stripper_init(&lines->stripper, &lines->text);
	list_init(&lines->watches);
	list_init(&lines->todo);
	list_init(&lines->held);
	pattern_set_init(&lines->patterns);
	return lines;
}

void pane_lines_remove(struct pane_lines *lines, struct line_watch *watch)
{
	list_remove(&watch->link);
	list_remove(&watch->todo);
	list_remove(&watch->held);
	pattern_set_remove(&lines->patterns, &watch->member);
}

void pane_lines_add(struct pane_lines *lines, struct line_watch *watch, struct pattern *pattern)
{
	watch->from = lines->base + lines->text.len;
	lines->youngest = watch->from;
	list_append(&lines->watches, &watch->link);
	list_init(&watch->todo);
	list_init(&watch->held);
	pattern_set_add(&lines->patterns, &watch->member, pattern);
}

bool pane_lines_is_empty(const struct pane_lines *lines)
{
	return list_is_empty(&lines->watches);
}

static void cut_echo(struct pane_lines *lines, size_t place)
{
	if (place < lines->text.len)
		stripper_cut(&lines->stripper, place);
	echo_cut(lines->echo, lines->text.len);
}

static void take_text(struct pane_lines *lines, const struct token *token)
{
	struct token byte = *token;
	for (byte.len = 1; byte.bytes < token->bytes + token->len; byte.bytes++) {
		size_t len;
		stripper_take(&lines->stripper, &byte);
		len = lines->text.len;
		lines->text.len -= len > 0; /* hides the new byte from echo_take() */
		echo_cut(lines->echo, lines->text.len);
		echo_take(lines->echo, &lines->text, lines->stripper.line, byte.bytes[0]);
		lines->text.len = len;
	}
}

static void take_control(struct pane_lines *lines, const struct token *token)
{
	if (token->bytes[0] == '\n')
		cut_echo(lines, echo_end_line(lines->echo));
	else if (token->bytes[0] == '\r' || token->bytes[0] == '\b')
		echo_move(lines->echo, false);
	stripper_take(&lines->stripper, token);
}

/* Takes a mark. Text that was held back as a possible echo is cut out, or looked at. */
static void take_mark(struct pane_lines *lines, char mark)
{
	lines->is_shown |= echo_start(lines->echo) != SIZE_MAX;
	cut_echo(lines, echo_mark(lines->echo, mark, lines->text.len));
}

void pane_lines_token(struct pane_lines *lines, const struct token *token)
{
	struct echo *echo = lines->echo;
	if (echo == NULL)
		stripper_take(&lines->stripper, token);
	else if (token->kind == TOKEN_MARK)
		take_mark(lines, token->mark);
	else if (echo_start(echo) == SIZE_MAX && !echo_is_awaited(echo, clock_mono_ms()))
		stripper_take(&lines->stripper, token);
	else if (token->kind == TOKEN_TEXT)
		take_text(lines, token);
	else if (token->kind == TOKEN_CONTROL)
		take_control(lines, token);
	else if (token->kind == TOKEN_SEQUENCE)
		echo_move(echo, token->to - token->from == 2);
}

/* The text from this byte number on was drawn again: watches that begin later begin here now. */
static void begin_earlier(struct pane_lines *lines, uint64_t from)
{
	lines->youngest = from;
	list_each (struct line_watch, watch, &lines->watches, link) {
		if (watch->from <= from)
			continue;
		watch->from = from;
		watch->has_line = false;
	}
}

static void note_piece(struct pane_lines *lines)
{
	size_t kept = lines->stripper.kept;
	if (kept == lines->len && lines->text.len == lines->len && !lines->is_shown)
		return;
	lines->is_shown = false;
	lines->is_changed = true;
	lines->len = lines->stripper.kept = lines->text.len;
	if (lines->seen > kept)
		lines->seen = kept;
	if (lines->searched > kept)
		lines->searched = kept;
	if (lines->block > kept)
		lines->block = kept;
	if (lines->youngest > lines->base + kept)
		begin_earlier(lines, lines->base + kept);
}

static size_t shown_len(const struct pane_lines *lines)
{
	size_t len = lines->text.len;
	size_t start = lines->echo != NULL ? echo_start(lines->echo) : SIZE_MAX;
	return start > len ? len : start < lines->seen ? lines->seen : start;
}

/* Returns where the block ends; if there is more text, after a newline if there is one. */
static size_t block_end(const struct pane_lines *lines)
{
	const struct buf *text = &lines->text;
	const uint8_t *newline;
	size_t len = shown_len(lines);
	if (len - lines->seen <= BLOCK_MAX)
		return len - utf8_incomplete_tail(text->data, len);
	newline = memrchr(text->data + lines->seen, '\n', BLOCK_MAX);
	return newline != NULL ? (size_t)(newline + 1 - text->data) : lines->seen + BLOCK_MAX;
}

static void add_todo(struct pane_lines *lines, struct line_watch *watch)
{
	if (list_is_empty(&watch->todo) && watch->from < lines->base + lines->block)
		list_append(&lines->todo, &watch->todo);
}

static void on_picked(void *data, struct pattern_member *member)
{
	struct line_watch *watch = list_entry(member, struct line_watch, member);
	struct pane_lines *lines = data;
	if (list_is_empty(&watch->held))
		list_append(&lines->held, &watch->held);
}

static void begin_block(struct pane_lines *lines)
{
	/* A literal may begin in text that was searched already. */
	size_t from =
	    lines->searched < PATTERN_LITERAL_MAX ? 0 : lines->searched - PATTERN_LITERAL_MAX;
	lines->is_changed = shown_len(lines) - lines->seen > BLOCK_MAX;
	lines->block = block_end(lines);
	if (lines->block > from)
		pattern_set_pick(&lines->patterns, (const char *)lines->text.data + from,
		    lines->block - from, on_picked, lines);
	lines->searched = lines->block;
	list_each (struct line_watch, watch, &lines->held, held)
		add_todo(lines, watch);
}

static void consume(struct pane_lines *lines, size_t len)
{
	stripper_consume(&lines->stripper, len);
	if (lines->echo != NULL)
		echo_consume(lines->echo, len);
	lines->base += len;
	lines->len -= len;
	lines->seen -= len;
	lines->searched = lines->searched > len ? lines->searched - len : 0;
}

static void consume_lines(struct pane_lines *lines)
{
	const uint8_t *newline =
	    lines->seen > 0 ? memrchr(lines->text.data, '\n', lines->seen) : NULL;
	if (newline == NULL)
		return;
	consume(lines, (size_t)(newline + 1 - lines->text.data));
	lines->line = lines->base;
	/* A watch in `held` may have its literal in a removed line: search the rest again. */
	lines->searched = 0;
	while (!list_is_empty(&lines->held))
		list_remove(lines->held.next);
}

static void end_block(struct pane_lines *lines)
{
	lines->seen = lines->block;
	lines->block = 0;
	consume_lines(lines);
	if (lines->seen > LINES_LINE_MAX)
		consume(lines, lines->seen - LINES_LINE_MAX / 2);
	if (lines->text.len == 0)
		buf_shrink(&lines->text, TEXT_KEEP);
}

/* Returns where in text a watch goes on looking; lines->block or more: not in this block. */
static size_t look_from(const struct pane_lines *lines, const struct line_watch *watch)
{
	size_t start = watch->from > lines->base ? (size_t)(watch->from - lines->base) : 0;
	const uint8_t *newline;
	if (start >= lines->block || !watch->has_line || watch->from <= lines->line)
		return start;
	newline = memchr(lines->text.data + start, '\n', lines->block - start);
	return newline != NULL ? (size_t)(newline + 1 - lines->text.data) : lines->block;
}

/* Puts a staying watch that has found a line back into the list todo, to go on after this line. */
static void look_on(struct pane_lines *lines, struct line_watch *watch, size_t from)
{
	watch->from = lines->base + from;
	watch->has_line = lines->text.data[from - 1] != '\n';
	if (lines->youngest < watch->from)
		lines->youngest = watch->from;
	list_add_after(&lines->todo, &watch->todo);
}

static void look(struct pane_lines *lines, struct line_watch *watch)
{
	size_t start = look_from(lines, watch);
	struct line_found found = {.offset = lines->offset};
	struct matched_line line;
	const char *text;
	char *copy;
	if (start >= lines->block)
		return;
	text = (const char *)lines->text.data + start;
	pattern_begin();
	found.result = line_match(&watch->member.matcher,
	    pattern_subject(text, lines->block - start, &copy), lines->block - start, 0, &line);
	mem_free(copy);
	if (found.result == PATTERN_NONE)
		return;
	found.line = text + line.start;
	found.len = line.end - line.start;
	found.match = &line.match;
	if (watch->is_staying && found.result == PATTERN_MATCH)
		look_on(lines, watch, start + line.after);
	else
		pane_lines_remove(lines, watch);
	watch->found(watch, &found);
}

static bool has_time(const struct pane_lines *lines)
{
	return lines->turn->spent_us < LINES_TURN_US || lines->text.len > LINES_BEHIND_MAX ||
	    lines->is_ending;
}

void pane_lines_continue(struct pane_lines *lines)
{
	int64_t start_us = clock_mono_us();
	while (pane_lines_is_behind(lines) && has_time(lines)) {
		struct line_watch *watch;
		int64_t now_us;
		if (list_is_empty(&lines->todo))
			begin_block(lines);
		while (!list_is_empty(&lines->todo) && has_time(lines)) {
			watch = list_entry(lines->todo.next, struct line_watch, todo);
			list_remove(&watch->todo);
			look(lines, watch);
			now_us = clock_mono_us();
			lines->turn->spent_us += now_us - start_us;
			start_us = now_us;
		}
		if (list_is_empty(&lines->todo))
			end_block(lines);
	}
}

void pane_lines_look(struct pane_lines *lines, uint64_t offset)
{
	bool was_behind = pane_lines_is_behind(lines);
	lines->offset = offset;
	note_piece(lines);
	if (!was_behind || lines->text.len > LINES_BEHIND_MAX)
		pane_lines_continue(lines);
}

bool pane_lines_is_behind(const struct pane_lines *lines)
{
	return lines->is_changed || !list_is_empty(&lines->todo);
}

void pane_lines_gap(const struct pane_lines *lines)
{
	if (lines == NULL)
		return;
	list_each (struct line_watch, watch, &lines->watches, link)
		if (watch->gap != NULL)
			watch->gap(watch);
}

void pane_lines_free(struct pane_lines *lines)
{
	if (lines == NULL)
		return;
	lines->is_ending = true;
	pane_lines_continue(lines);
	while (!list_is_empty(&lines->watches)) {
		struct line_watch *watch = list_entry(lines->watches.next, struct line_watch, link);
		pane_lines_remove(lines, watch);
		watch->closed(watch);
	}
	pattern_set_finish(&lines->patterns);
	buf_finish(&lines->text);
	mem_free(lines);
}
