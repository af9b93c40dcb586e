/* SPDX-License-Identifier: ISC */
/* A parser whose callbacks are recorded as lines of text. */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

static void check(struct recorder *recorder, int error)
{
	if (error != 0)
		recorder->is_broken = true;
}

static void put_bytes(struct recorder *recorder, const void *bytes, size_t len, bool has_lines)
{
	const uint8_t *in = bytes;
	for (size_t i = 0; i < len; i++) {
		bool is_plain = in[i] >= ' ' && in[i] <= '~' && in[i] != '\\' && in[i] != '|';
		if (has_lines && in[i] == '\n')
			check(recorder, buf_append_byte(&recorder->text, '|'));
		else if (is_plain)
			check(recorder, buf_append_byte(&recorder->text, in[i]));
		else
			check(recorder, buf_printf(&recorder->text, "\\%03o", in[i]));
	}
}

static void put_string(struct recorder *recorder, const char *string)
{
	put_bytes(recorder, string, strlen(string), false);
}

static void put(struct recorder *recorder, const char *text)
{
	check(recorder, buf_append_str(&recorder->text, text));
}

static void flush_output(struct recorder *recorder)
{
	if (recorder->pending_pane == MUXBUS_NO_ID)
		return;
	check(recorder, buf_printf(&recorder->text, "output %%%u ", recorder->pending_pane));
	if (recorder->pending_age > 0)
		check(recorder,
		    buf_printf(
			&recorder->text, "+%llu ", (unsigned long long)recorder->pending_age));
	put_bytes(recorder, recorder->pending.data, recorder->pending.len, false);
	put(recorder, "\n");
	buf_clear(&recorder->pending);
	recorder->pending_pane = MUXBUS_NO_ID;
}

static void on_output(void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms)
{
	struct recorder *recorder = data;
	if (pane != recorder->pending_pane || age_ms != recorder->pending_age)
		flush_output(recorder);
	if (len == 0)
		recorder->is_broken = true;
	recorder->pending_pane = pane;
	recorder->pending_age = age_ms;
	check(recorder, buf_append(&recorder->pending, bytes, len));
}

static void put_id(struct recorder *recorder, char sigil, uint32_t id)
{
	if (id != MUXBUS_NO_ID)
		check(recorder, buf_printf(&recorder->text, " %c%u", sigil, id));
}

static void put_field(struct recorder *recorder, const char *mark, const char *string)
{
	if (string == NULL)
		return;
	put(recorder, mark);
	put_string(recorder, string);
}

static void on_event(void *data, const struct muxbus_event *event)
{
	struct recorder *recorder = data;
	flush_output(recorder);
	if (event->name[strlen(event->name)] != '\0' || event->line[event->line_len] != '\0')
		recorder->is_broken = true;
	put(recorder, event->kind == MUXBUS_EVENT_UNKNOWN ? "event ?" : "event ");
	put_string(recorder, event->name);
	if (event->kind == MUXBUS_EVENT_UNKNOWN) {
		put(recorder, " ");
		put_bytes(recorder, event->line, event->line_len, false);
	}
	put_field(recorder, " !", event->label);
	put_field(recorder, " ~", event->client);
	put_id(recorder, '$', event->session);
	put_id(recorder, '@', event->window);
	put_id(recorder, '#', event->index);
	put_id(recorder, '%', event->pane);
	put_field(recorder, " /", event->layout);
	put_field(recorder, "/", event->visible_layout);
	put_field(recorder, "/", event->flags);
	if (event->text != NULL) {
		put(recorder, " =");
		put_bytes(recorder, event->text, event->text_len, false);
	}
	put(recorder, "\n");
}

static void on_block(void *data, const struct muxbus_block *block)
{
	struct recorder *recorder = data;
	flush_output(recorder);
	check(recorder,
	    buf_printf(&recorder->text, "block %llu %llu %s %s ", (unsigned long long)block->time,
		(unsigned long long)block->number, block->is_ours ? "ours" : "theirs",
		block->is_error ? "error" : "ok"));
	put_bytes(recorder, block->body, block->body_len, true);
	if (block->body[block->body_len] != '\0')
		recorder->is_broken = true;
	put(recorder, "\n");
}

static void announce_next(struct recorder *recorder)
{
	size_t next = recorder->list_next;
	if (next == recorder->list_count)
		return;
	recorder->list_next++;
	recorder->count_now = recorder->counts[next];
	check(recorder,
	    parser_expect_list(recorder->parser, recorder->lists[next], recorder->count_now));
}

static void on_sentinel(void *data)
{
	struct recorder *recorder = data;
	size_t index = parser_sentinel_index(recorder->parser);
	flush_output(recorder);
	check(recorder, buf_printf(&recorder->text, "sentinel %zu\n", index));
	if (index + 1 == recorder->count_now)
		announce_next(recorder);
}

static void on_stray(void *data, const char *line, size_t len)
{
	struct recorder *recorder = data;
	flush_output(recorder);
	put(recorder, "stray ");
	put_bytes(recorder, line, len, false);
	put(recorder, "\n");
}

int recorder_init(struct recorder *recorder)
{
	static const struct muxbus_parser_handlers handlers = {
	    on_output, on_event, on_block, on_sentinel, on_stray};
	memset(recorder, 0, sizeof *recorder);
	recorder->pending_pane = MUXBUS_NO_ID;
	buf_init(&recorder->text, SIZE_MAX / 2);
	buf_init(&recorder->pending, SIZE_MAX / 2);
	return muxbus_parser_new(&handlers, recorder, &recorder->parser);
}

void recorder_finish(struct recorder *recorder)
{
	muxbus_parser_free(recorder->parser);
	buf_finish(&recorder->text);
	buf_finish(&recorder->pending);
}

void recorder_nonce(const char *word, struct nonce *ret_nonce)
{
	size_t len = strlen(word);
	for (size_t i = 0; i < MUXBUS_NONCE_LEN; i++)
		ret_nonce->text[i] = word[i % len];
	ret_nonce->text[MUXBUS_NONCE_LEN] = '\0';
}

int recorder_expect(struct recorder *recorder, const char *lists)
{
	char copy[512];
	char *rest = NULL;
	recorder->list_count = 0;
	recorder->list_next = 0;
	recorder->counts[0] = 0;
	if (strlen(lists) >= sizeof copy)
		return -1;
	strcpy(copy, lists);
	for (char *word = strtok_r(copy, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		size_t list = recorder->list_count;
		if (strcmp(word, "|") == 0) {
			recorder->counts[++recorder->list_count] = 0;
			continue;
		}
		if (list >= RECORDER_LISTS_MAX - 1 || recorder->counts[list] == RECORDER_LIST_MAX)
			return -1;
		recorder_nonce(word, &recorder->lists[list][recorder->counts[list]++]);
	}
	if (recorder->counts[recorder->list_count] > 0)
		recorder->list_count++;
	if (recorder->list_count == 0)
		muxbus_parser_expect(recorder->parser, NULL);
	announce_next(recorder);
	return recorder->is_broken ? -1 : 0;
}

int recorder_feed(struct recorder *recorder, const void *bytes, size_t len)
{
	int error = muxbus_parser_feed(recorder->parser, bytes, len);
	return error != 0 || recorder->is_broken ? -1 : 0;
}

const char *recorder_text(struct recorder *recorder)
{
	flush_output(recorder);
	return recorder->text.data == NULL ? "" : (const char *)recorder->text.data;
}
