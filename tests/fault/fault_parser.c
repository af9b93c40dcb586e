/* SPDX-License-Identifier: ISC */
/*
 * Each allocation of the parser and of the layout reader fails once: it is reported as
 * MUXBUS_ERR_NOMEM or does not matter, nothing leaks, and what was given out before is
 * right.
 */
#include <muxbus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail_alloc.h"
#include "lib/stream/parser.h"
#include "tap.h"

#define BODY_LINES 4000

struct seen {
	size_t output;
	size_t blocks;
	size_t events;
	size_t sentinels;
	bool is_wrong;
};

static void on_output(void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms)
{
	struct seen *seen = data;
	seen->is_wrong |= pane != 7 || age_ms != 0 || len > 3 - seen->output ||
	    memcmp(bytes, &"a\r\n"[seen->output], len) != 0;
	seen->output += len;
}

static void on_event(void *data, const struct muxbus_event *event)
{
	struct seen *seen = data;
	seen->events++;
	seen->is_wrong |= event->kind == MUXBUS_EVENT_UNKNOWN;
}

static void on_block(void *data, const struct muxbus_block *block)
{
	struct seen *seen = data;
	seen->blocks++;
	seen->is_wrong |=
	    block->number == 1 ? block->body_len != BODY_LINES * 8 : block->body_len > 8;
}

static void on_sentinel(void *data)
{
	((struct seen *)data)->sentinels++;
}

static int feed(struct muxbus_parser *parser, const char *text, size_t piece)
{
	size_t len = strlen(text);
	int error = 0;
	for (size_t done = 0; error == 0 && done < len; done += piece)
		error = muxbus_parser_feed(
		    parser, text + done, len - done < piece ? len - done : piece);
	if (error != 0 && muxbus_parser_feed(parser, "%x\n", 3) != error)
		return 1; /* the parser must not continue */
	return error;
}

/* A stream that needs memory in every place that can need some. */
static int feed_all(
    struct muxbus_parser *parser, const struct nonce *nonces, const char *long_event)
{
	char sentinel[128];
	int error = feed(parser, "%output %7 a\\015\\012\n%window-renamed @1 name\n", 5);
	if (error == 0)
		error = feed(parser, "%begin 9 1 1\n", 100);
	for (int i = 0; error == 0 && i < BODY_LINES; i++)
		error = feed(parser, i % 2 == 0 ? "%a body\n" : "a body.\n", 100);
	if (error == 0)
		error = feed(parser, "%end 9 1 1\n", 3);
	if (error == 0)
		error = parser_expect_list(parser, nonces, 3);
	if (error == 0)
		error =
		    feed(parser, "%begin 9 2 1\nx\n%end 9 2 1\n%begin 9 3 0\n%end 9 3 0\n", 100);
	if (error == 0)
		error = feed(parser, long_event, 1000);
	snprintf(sentinel, sizeof sentinel, "%%begin 9 4 1\n%s\n%%end 9 4 1\n", nonces[1].text);
	return error == 0 ? feed(parser, sentinel, 7) : error;
}

static int run_parser(const char *long_event, struct seen *seen)
{
	static const struct muxbus_parser_handlers handlers = {
	    on_output, on_event, on_block, on_sentinel, NULL};
	struct nonce nonces[3];
	struct muxbus_parser *parser = NULL;
	int error = muxbus_parser_new(&handlers, seen, &parser);
	memset(nonces, 'a', sizeof nonces);
	for (int i = 0; i < 3; i++) {
		nonces[i].text[0] = (char)('0' + i);
		nonces[i].text[MUXBUS_NONCE_LEN] = '\0';
	}
	if (error == 0)
		error = feed_all(parser, nonces, long_event);
	muxbus_parser_free(parser);
	return error;
}

static void test_parser(void)
{
	char *long_event = malloc(30000);
	unsigned wrong = 0;
	unsigned leaks = 0;
	unsigned refused = 0;
	memset(long_event, 'x', 30000);
	memcpy(long_event, "%message ", 9);
	memcpy(long_event + 29998, "\n", 2);
	for (size_t nth = 0;; nth++) {
		struct seen seen = {0};
		bool has_failed;
		int error;
		fail_alloc_arm(nth);
		error = run_parser(long_event, &seen);
		leaks += fail_alloc_live() != 0;
		has_failed = fail_alloc_disarm();
		wrong += seen.is_wrong || (error != 0 && error != MUXBUS_ERR_NOMEM);
		refused += error == MUXBUS_ERR_NOMEM;
		if (error == 0)
			wrong += seen.output != 3 || seen.blocks != 3 || seen.events != 2 ||
			    seen.sentinels != 1;
		if (!has_failed)
			break;
	}
	ok(refused > 10, "the parser: %u allocations were refused", refused);
	is_int(wrong, 0, "each was reported, and no false output came");
	is_int(leaks, 0, "and nothing leaked");
	free(long_event);
}

static void test_layout(void)
{
	static const char text[] =
	    "d099,120x40,0,0{60x40,0,0,0,59x40,61,0[59x20,61,0,1,59x19,61,21{"
	    "29x19,61,21,2,29x19,91,21,3}]}";
	struct muxbus_layout *layout = NULL;
	fail_alloc_arm(0);
	is_int(muxbus_layout_parse(text, sizeof text - 1, &layout), MUXBUS_ERR_NOMEM,
	    "a layout without memory");
	ok(layout == NULL, "is refused");
	is_int(fail_alloc_live(), 0, "and leaks nothing");
	is_int(muxbus_layout_parse(text, sizeof text - 1, &layout), 0, "with memory it is read");
	muxbus_layout_free(layout);
	is_int(fail_alloc_live(), 0, "which is freed");
	fail_alloc_disarm();
}

int main(void)
{
	test_parser();
	test_layout();
	return done_testing();
}
