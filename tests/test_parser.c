/* SPDX-License-Identifier: ISC */
/* The parser: scripted cases, recorded streams, its maximum, its counts. */
#include <muxbus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser_script.h"
#include "recorder.h"
#include "tap.h"

static void run_script(const char *name)
{
	const char *srcdir = getenv("MUXBUS_SRCDIR");
	char path[4096];
	snprintf(path, sizeof path, "%s/tests/%s", srcdir == NULL ? "." : srcdir, name);
	parser_script_run(path);
}

struct count {
	size_t blocks;
	size_t body_len;
	uint8_t last_byte;
	bool is_error;
	size_t events;
	size_t event_len;
	size_t sentinels;
};

static void on_event(void *data, const struct muxbus_event *event)
{
	struct count *count = data;
	count->events++;
	count->event_len = event->line_len;
}

static void on_block(void *data, const struct muxbus_block *block)
{
	struct count *count = data;
	count->blocks++;
	count->body_len = block->body_len;
	count->last_byte = block->body_len == 0 ? 0 : block->body[block->body_len - 1];
	count->is_error = block->is_error;
}

static void on_sentinel(void *data)
{
	((struct count *)data)->sentinels++;
}

static const struct muxbus_parser_handlers counting = {
    .event = on_event, .block = on_block, .sentinel = on_sentinel};

static void feed_text(struct muxbus_parser *parser, const char *text)
{
	if (muxbus_parser_feed(parser, text, strlen(text)) != 0)
		ok(false, "feed: %s", text);
}

/* Feeds lines of 1 MiB, more in sum than is kept. */
static void feed_much(struct muxbus_parser *parser, const char *line_end)
{
	const size_t len = 1024 * 1024;
	char *line = malloc(len);
	size_t end_len = strlen(line_end);
	memset(line, 'x', len);
	memcpy(line + len - end_len, line_end, end_len);
	for (size_t i = 0; i < MUXBUS_LINE_MAX / len + 2; i++)
		muxbus_parser_feed(parser, line, len);
	free(line);
}

static void test_long_event(void)
{
	struct count count = {0};
	struct muxbus_parser_stats stats;
	struct muxbus_parser *parser;
	muxbus_parser_new(&counting, &count, &parser);
	feed_text(parser, "%message ");
	feed_much(parser, "");
	feed_text(parser, "\n%window-add @1\n");
	muxbus_parser_stats(parser, &stats);
	is_int((long long)count.events, 2,
	    "an event beyond the maximum is an event, and so is the next");
	is_int((long long)stats.cut_lines, 1, "it is counted");
	is_int((long long)stats.unknown_events, 0, "it has its kind");
	is_int((long long)count.event_len, 2, "the next is whole");
	muxbus_parser_free(parser);
}

/* The same in one piece. */
static void test_whole_event(void)
{
	const size_t len = (size_t)MUXBUS_LINE_MAX + 100;
	char *line = malloc(len);
	struct count count = {0};
	struct muxbus_parser_stats stats;
	struct muxbus_parser *parser;
	memset(line, 'x', len);
	memcpy(line, "%message ", 9);
	line[len - 1] = '\n';
	muxbus_parser_new(&counting, &count, &parser);
	is_int(muxbus_parser_feed(parser, line, len), 0, "a whole event beyond the maximum");
	feed_text(parser, "%window-add @1\n");
	muxbus_parser_stats(parser, &stats);
	is_int((long long)count.events, 2, "... is an event, and so is the next");
	is_int((long long)stats.cut_lines, 1, "... is counted");
	muxbus_parser_free(parser);
	free(line);
}

static void test_long_block(void)
{
	struct count count = {0};
	struct muxbus_parser_stats stats;
	struct muxbus_parser *parser;
	muxbus_parser_new(&counting, &count, &parser);
	feed_text(parser, "%begin 1 2 1\n");
	feed_much(parser, "\n");
	feed_text(parser, "%end 1 3 1\n%error 1 2 1\n%window-add @1\n");
	muxbus_parser_stats(parser, &stats);
	is_int((long long)count.blocks, 1, "a block beyond the maximum ends");
	ok(count.is_error, "with its status");
	ok(count.body_len > MUXBUS_LINE_MAX / 2 && count.body_len <= MUXBUS_LINE_MAX,
	    "its body is cut at the maximum: %zu", count.body_len);
	is_int(count.last_byte, '\n', "behind a newline");
	is_int((long long)count.events, 1, "the lines after it are read");
	is_int((long long)stats.cut_lines, 1, "the cut is counted");
	muxbus_parser_free(parser);
}

/* Forged guards of its own and of the next reply, as many as possible, after the cut. */
static void feed_guards(struct muxbus_parser *parser)
{
	for (int i = 0; i < 3000; i++)
		feed_text(
		    parser, i % 3 == 0 ? "%end 1 2 1\n" : "%begin 1 3 1\nno nonce\n%end 1 3 1\n");
}

static void test_long_segment(void)
{
	static const char nonce[] = "0123456789abcdef0123456789abcdef";
	struct count count = {0};
	struct muxbus_parser *parser;
	char sentinel[128];
	muxbus_parser_new(&counting, &count, &parser);
	muxbus_parser_expect(parser, nonce);
	feed_text(parser, "%begin 1 2 1\n");
	feed_much(parser, "\n");
	feed_guards(parser);
	feed_text(parser, "%error 1 2 1\n");
	snprintf(sentinel, sizeof sentinel, "%%begin 1 4 1\n%s\n%%end 1 4 1\n", nonce);
	feed_text(parser, sentinel);
	is_int((long long)count.sentinels, 1, "a sentinel after a cut body is found");
	is_int((long long)count.blocks, 1, "the body is one block");
	is_int((long long)count.events, 0, "nothing is forged in it");
	ok(count.is_error, "its status is kept");
	ok(count.body_len > MUXBUS_LINE_MAX / 2 && count.body_len <= MUXBUS_LINE_MAX,
	    "its body is cut at the maximum: %zu", count.body_len);
	muxbus_parser_free(parser);
}

/* Text of nothing but guards in range takes time in proportion, and is one block. */
static void test_hostile_segment(void)
{
	static const char nonce[] = "0123456789abcdef0123456789abcdef";
	struct count count = {0};
	struct muxbus_parser *parser;
	char line[128];
	muxbus_parser_new(&counting, &count, &parser);
	muxbus_parser_expect(parser, nonce);
	feed_text(parser, "%begin 1000 2 1\n");
	for (int i = 0; i < 200000; i++) {
		snprintf(line, sizeof line, "%%%s %d %d %d\n", i % 3 == 0 ? "begin" : "end",
		    1000 + i % 500, 2 + i % 1000, i % 2);
		feed_text(parser, line);
	}
	feed_text(parser, "%end 1000 2 1\n");
	snprintf(line, sizeof line, "%%begin 1500 1002 1\n%s\n%%end 1500 1002 1\n", nonce);
	feed_text(parser, line);
	is_int((long long)count.blocks, 1, "200,000 guards in a body are text");
	is_int((long long)count.events, 0, "none of them is an event");
	muxbus_parser_free(parser);
}

static void test_counts(void)
{
	struct recorder recorder;
	struct muxbus_parser_stats stats;
	static const char text[] = "%output %1 a\\015\n%begin 1 2 1\nbody\nbody\n%end 1 2 1\n"
				   "%what\nstray\n%window-add @1\n";
	recorder_init(&recorder);
	recorder_feed(&recorder, text, strlen(text));
	muxbus_parser_stats(recorder.parser, &stats);
	is_int((long long)stats.bytes, (long long)strlen(text), "bytes");
	is_int((long long)stats.output_bytes, 2, "output bytes");
	is_int((long long)stats.lines, 8, "lines");
	is_int((long long)stats.unknown_events, 1, "unknown events");
	is_int((long long)stats.stray_lines, 1, "stray lines");
	is_int((long long)stats.cut_lines, 0, "cut lines");
	recorder_finish(&recorder);
}

/* Without handlers everything is read and no callback runs. */
static void test_no_handlers(void)
{
	static const struct muxbus_parser_handlers none = {0};
	struct muxbus_parser_stats stats;
	struct muxbus_parser *parser;
	muxbus_parser_new(&none, NULL, &parser);
	feed_text(parser, "%output %1 a\\01\n%begin 1 2 1\n%end 1 2 1\n%x\nstray\n");
	muxbus_parser_stats(parser, &stats);
	is_int((long long)stats.lines, 5, "a parser without handlers reads on");
	is_int((long long)stats.output_bytes, 0, "and calls no handler");
	muxbus_parser_free(parser);
	muxbus_parser_free(NULL);
}

int main(void)
{
	run_script("parser.t");
	run_script("transcripts/recorded.t");
	test_long_event();
	test_whole_event();
	test_long_block();
	test_long_segment();
	test_hostile_segment();
	test_counts();
	test_no_handlers();
	return done_testing();
}
