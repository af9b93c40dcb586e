/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as the output of a program, as events and lines: whole and byte by byte the output
 * gives the same text, lines and marks; each event is one line of JSON that controls no terminal.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/stripper.h"
#include "base/tokenizer.h"
#include "daemon/core/pattern.h"
#include "daemon/event/event_log.h"
#include "daemon/tmux/line_feed.h"
#include "daemon/tmux/pane_events.h"
#include "daemon/tmux/pane_lines.h"
#include "daemon/tmux/tmux.h"
#include "wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 65536, LINE_MAX_BYTES = 1024 * 1024, OUT_MAX = 16 * 1024 * 1024, PATTERNS = 4 };

/* The events go to no session: there is no tmux. */
void tmux_scope_pane(const struct tmux *tmux, uint32_t pane, struct event_scope *ret_scope)
{
	(void)tmux;
	*ret_scope = (struct event_scope){.pane = pane, .window = UINT32_MAX};
	ret_scope->sessions[0] = UINT32_MAX;
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

struct reading {
	struct event_log_listener listener;
	struct pane_events_sink sink;
	struct pane_events events;
	struct line_feed *feed;
	struct pane_lines *lines;
	struct lines_turn turn;
	struct line_watch watches[PATTERNS];
	struct tokenizer tokenizer;
	struct stripper stripper;
	struct buf stripped;
	struct buf text; /* of pane_output */
	struct buf told; /* of all other events */
	bool has_gap;
};

static void put_member(struct buf *out, const struct json *params, const char *name)
{
	const struct json *member = json_member(params, name);
	if (member != NULL && (member->type == JSON_STRING || member->type == JSON_NUMBER))
		(void)buf_printf(out, " %s=%s", name, member->text);
}

static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	static struct json_reader *reader;
	struct reading *reading = (struct reading *)(void *)listener;
	const struct json *params, *text;
	struct json_error error;
	struct buf line;
	if (reader == NULL)
		reader = json_reader_new(LINE_MAX_BYTES);
	buf_init(&line, LINE_MAX_BYTES);
	must(buf_printf(&line, "{%.*s}", (int)event->json_len, event->json) == 0);
	for (size_t at = 0; at < line.len; at++)
		must(line.data[at] >= 0x20 && line.data[at] != 0x7f);
	params = json_read(reader, (const char *)line.data, line.len, &error);
	must(params != NULL);
	reading->has_gap |= event->kind == EVENT_GAP;
	if (event->kind == EVENT_PANE_OUTPUT) {
		text = json_member(params, "text");
		(void)buf_append(&reading->text, text->text, text->len);
	} else if (event->kind != EVENT_BELL) { /* bells of a turn are one event */
		static const char *const names[] = {
		    "kind", "text", "title", "state", "percent", "status", "osc"};
		for (size_t at = 0; at < sizeof names / sizeof *names; at++)
			put_member(&reading->told, params, names[at]);
		(void)buf_append_str(&reading->told, "\n");
	}
	buf_finish(&line);
}

static void on_token(void *data, const struct token *token)
{
	struct pane_events_intake *intake = data;
	struct reading *reading =
	    (struct reading *)(void *)((char *)intake->events - offsetof(struct reading, events));
	line_feed_token(reading->feed, token);
	pane_lines_token(reading->lines, token);
	stripper_take(&reading->stripper, token);
	pane_events_token(intake, token);
}

static void on_found(struct line_watch *watch, const struct line_found *found)
{
	(void)watch;
	must(found->result == PATTERN_LIMIT || found->match->spans[0].to <= found->len);
}

static void on_closed(struct line_watch *watch)
{
	(void)watch;
}

static void begin(struct reading *reading)
{
	static const char *const regexes[PATTERNS] = {"^\\$ $", "error|%end", "(?i)done\\s", "."};
	static struct pattern *patterns[PATTERNS];
	char reason[256];
	*reading = (struct reading){.listener.event = on_event, .turn.spent_us = -1000000000};
	reading->sink.log = event_log_new(NULL, 16, 65536, reason, sizeof reason);
	buf_init(&reading->sink.members, OUT_MAX);
	buf_init(&reading->stripped, OUT_MAX);
	buf_init(&reading->text, OUT_MAX);
	buf_init(&reading->told, OUT_MAX);
	event_log_listen(reading->sink.log, &reading->listener);
	pane_events_init(&reading->events, 3);
	pane_events_want(&reading->events, &reading->sink, true, true);
	stripper_init(&reading->stripper, &reading->stripped);
	tokenizer_init(&reading->tokenizer, true);
	reading->feed = line_feed_new(3, false);
	reading->lines = pane_lines_new(&reading->turn, NULL);
	for (size_t at = 0; at < PATTERNS; at++) {
		if (patterns[at] == NULL)
			patterns[at] =
			    pattern_new(regexes[at], strlen(regexes[at]), reason, sizeof reason);
		reading->watches[at] = (struct line_watch){.found = on_found, .closed = on_closed};
		pane_lines_add(reading->lines, &reading->watches[at], patterns[at]);
	}
}

/* All of it is one turn of the loop. */
static void run(struct reading *reading, const uint8_t *data, size_t size, size_t step)
{
	begin(reading);
	for (size_t at = 0; at < size; at += step) {
		struct pane_events_intake intake = {.events = &reading->events,
		    .sink = &reading->sink,
		    .offset = at,
		    .bytes = data + at,
		    .len = size - at < step ? size - at : step};
		tokenizer_feed(
		    &reading->tokenizer, at, intake.bytes, intake.len, on_token, &intake);
		(void)pane_events_output(&intake);
		pane_lines_look(reading->lines, at + intake.len);
		while (pane_lines_is_behind(reading->lines))
			pane_lines_continue(reading->lines);
	}
	pane_events_flush(&reading->events, &reading->sink);
	line_feed_flush(reading->feed, &reading->sink, size);
	pane_events_end(&reading->events, &reading->sink);
	line_feed_end(reading->feed, &reading->sink);
	pane_lines_free(reading->lines);
	line_feed_free(reading->feed);
	tokenizer_finish(&reading->tokenizer);
	pane_events_finish(&reading->events);
	list_remove(&reading->listener.link);
	event_log_free(reading->sink.log);
	buf_finish(&reading->sink.members);
}

static void finish(struct reading *reading)
{
	buf_finish(&reading->stripped);
	buf_finish(&reading->text);
	buf_finish(&reading->told);
}

static void must_be_same(const struct buf *one, const struct buf *other)
{
	must(one->len == other->len &&
	    (one->len == 0 || memcmp(one->data, other->data, one->len) == 0));
}

/* Lines are stripped the same in one call, and in many that take what was left. */
static void check_stripper(const uint8_t *data, size_t size, size_t step)
{
	struct buf whole, parts, rest;
	size_t used;
	buf_init(&whole, OUT_MAX);
	buf_init(&parts, OUT_MAX);
	buf_init(&rest, OUT_MAX);
	used = stripper_lines(&whole, data, size);
	must(used <= size);
	for (size_t at = 0; at < size; at += step) {
		(void)buf_append(&rest, data + at, size - at < step ? size - at : step);
		used = stripper_lines(&parts, rest.data, rest.len);
		must(used <= rest.len);
		buf_consume(&rest, used);
	}
	for (size_t at = 0; at < whole.len; at++)
		must(whole.data[at] >= 0x20 || whole.data[at] == '\n' || whole.data[at] == '\t');
	buf_finish(&whole);
	buf_finish(&parts);
	buf_finish(&rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading whole, split;
	size_t step;
	if (size < 1 || size > INPUT_MAX)
		return 0;
	step = data[0] % 16 == 0 ? 1 : data[0];
	run(&whole, data + 1, size - 1, size);
	run(&split, data + 1, size - 1, step);
	must_be_same(&whole.text, &split.text);
	must_be_same(&whole.stripped, &split.stripped);
	if (!whole.has_gap && !split.has_gap)
		must_be_same(&whole.told, &split.told);
	check_stripper(data + 1, size - 1, step);
	finish(&whole);
	finish(&split);
	return 0;
}
