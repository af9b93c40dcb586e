/* SPDX-License-Identifier: ISC */
/* Lines of a pane's output: stripped, cut, whole and split at every byte. */
#include <muxbus.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "fail_alloc.h"
#include "tap.h"

/* Appends "[text]", or "[text>" if the line was cut. */
static void on_line(void *data, const char *text, size_t len, bool is_cut)
{
	struct buf *found = data;
	ok(text[len] == '\0', "a line ends with a NUL");
	(void)buf_printf(found, "[%s%c", text, is_cut ? '>' : ']');
}

/* Feeds bytes in pieces and compares the lines, and the rest behind them. */
static void check_pieces(const char *bytes, size_t len, size_t piece, const char *want)
{
	struct muxbus_lines *lines;
	struct buf found;
	size_t rest_len;
	const char *rest;
	int error = 0;
	buf_init(&found, SIZE_MAX);
	if (muxbus_lines_new(on_line, &found, &lines) != 0)
		abort();
	for (size_t at = 0; at < len; at += piece)
		error |= muxbus_lines_feed(lines, bytes + at, len - at < piece ? len - at : piece);
	is_int(error, 0, "all is read");
	rest = muxbus_lines_rest(lines, &rest_len);
	is_int(strlen(rest), rest_len, "the rest has its length");
	(void)buf_append_str(&found, rest);
	is_str((char *)found.data, want, "in pieces of %zu", piece);
	muxbus_lines_free(lines);
	buf_finish(&found);
}

static void test_stripping(void)
{
	static const struct {
		const char *bytes;
		const char *want;
	} rows[] = {
	    {"one\r\ntwo\n\nthree", "[one][two][]three"},
	    {"\033[1;31mred\033[0m\r\n\033]0;a title\007$ ", "[red]$ "},
	    {" 10%\r 50%\r100%\r\n", "[100%]"},
	    {"abx\bc\td\a\n", "[abc\td]"},
	    {"z\xc3\xa4\bh\r\n", "[zh]"},
	    {"\xe2\x82\xac \xff\r\n", "[\xe2\x82\xac \xff]"},
	    {"\033Pq#0\033\\x\n", "[x]"},
	};
	for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
		size_t len = strlen(rows[row].bytes);
		for (size_t piece = len; piece > 0; piece--)
			check_pieces(rows[row].bytes, len, piece, rows[row].want);
	}
}

static void test_long(void)
{
	struct muxbus_lines *lines;
	struct buf found, want;
	char *text = malloc(MUXBUS_LINES_MAX + 2);
	buf_init(&found, SIZE_MAX);
	buf_init(&want, SIZE_MAX);
	memset(text, 'x', MUXBUS_LINES_MAX + 2);
	(void)muxbus_lines_new(on_line, &found, &lines);
	(void)muxbus_lines_feed(lines, text, MUXBUS_LINES_MAX);
	(void)muxbus_lines_feed(lines, "\n", 1);
	(void)buf_printf(&want, "[%.*s]", MUXBUS_LINES_MAX, text);
	ok(strcmp((char *)found.data, (char *)want.data) == 0, "the longest line is whole");

	buf_clear(&found);
	buf_clear(&want);
	/* The last character does not fit whole. */
	memcpy(text + MUXBUS_LINES_MAX - 1, "\xc3\xa4", 2);
	(void)muxbus_lines_feed(lines, text, MUXBUS_LINES_MAX + 1);
	(void)muxbus_lines_feed(lines, "more\nshort\n", 11);
	(void)buf_printf(&want, "[%.*s>[short]", MUXBUS_LINES_MAX - 1, text);
	ok(strcmp((char *)found.data, (char *)want.data) == 0,
	    "a longer one is cut, and only that");

	buf_clear(&found);
	(void)muxbus_lines_feed(lines, text, MUXBUS_LINES_MAX + 1);
	(void)muxbus_lines_feed(lines, "\ragain\n", 7);
	is_str((char *)found.data, "[again]", "a carriage return makes room");
	muxbus_lines_free(lines);
	buf_finish(&found);
	buf_finish(&want);
	free(text);
}

static void test_gap(void)
{
	struct muxbus_lines *lines;
	struct buf found;
	buf_init(&found, SIZE_MAX);
	(void)muxbus_lines_new(on_line, &found, &lines);
	(void)muxbus_lines_feed(lines, "lost\033]0;title", 13);
	muxbus_lines_gap(lines);
	(void)muxbus_lines_feed(lines, "found\n", 6);
	is_str((char *)found.data, "[found]", "after a gap a line begins");
	muxbus_lines_free(lines);
	muxbus_lines_free(NULL);
	buf_finish(&found);
}

static void test_no_memory(void)
{
	struct muxbus_lines *lines;
	struct buf found;
	size_t failed = 0;
	bool is_over = false;
	buf_init(&found, SIZE_MAX);
	(void)buf_reserve(&found, 100);
	while (!is_over) {
		int error;
		fail_alloc_arm(failed++);
		error = muxbus_lines_new(on_line, &found, &lines);
		if (error == 0) {
			error = muxbus_lines_feed(lines, "text\n", 5);
			muxbus_lines_free(lines);
		}
		is_over = !fail_alloc_disarm();
		is_int(error, is_over ? 0 : MUXBUS_ERR_NOMEM, "allocation %zu", failed);
	}
	is_str((char *)found.data, "[text]", "only complete text becomes a line");
	buf_finish(&found);
}

int main(void)
{
	test_stripping();
	test_long();
	test_gap();
	test_no_memory();
	return done_testing();
}
