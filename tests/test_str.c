/* SPDX-License-Identifier: ISC */
/* Numbers, ids, nearest names, visible text and base64. */
#include "base/str.h"

#include <inttypes.h>
#include <string.h>

#include "tap.h"

static const struct {
	const char *text;
	bool is_valid;
	int64_t value;
} numbers[] = {
    {"0", true, 0},
    {"007", true, 7},
    {"42", true, 42},
    {"-1", true, -1},
    {"-0", true, 0},
    {"9223372036854775807", true, INT64_MAX},
    {"9223372036854775808", false, 0},
    {"-9223372036854775808", true, INT64_MIN},
    {"-9223372036854775809", false, 0},
    {"99999999999999999999999", false, 0},
    {"", false, 0},
    {"-", false, 0},
    {"--1", false, 0},
    {"+1", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"0x10", false, 0},
    {"1e3", false, 0},
};

static void test_numbers(void)
{
	uint64_t u64 = 0;
	uint32_t u32 = 0;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		int64_t value = 0;
		const char *text = numbers[i].text;
		is_int(
		    str_parse_i64(text, strlen(text), &value), numbers[i].is_valid, "\"%s\"", text);
		is_int(value, numbers[i].value, "\"%s\" is %" PRId64, text, numbers[i].value);
	}
	ok(str_parse_u64("18446744073709551615", 20, &u64) && u64 == UINT64_MAX, "the largest");
	ok(!str_parse_u64("18446744073709551616", 20, &u64), "one more is too many");
	ok(!str_parse_u64("-1", 2, &u64), "a sign is no digit");
	ok(str_parse_u32("4294967295", 10, &u32) && u32 == UINT32_MAX, "the largest of 32 bits");
	ok(!str_parse_u32("4294967296", 10, &u32), "one more is too many");
	ok(str_parse_u64("123", 2, &u64) && u64 == 12, "no byte is read past the length");
}

static void test_ids(void)
{
	uint32_t id = 7;
	ok(str_parse_id("%12", 3, '%', &id) && id == 12, "%%12");
	ok(!str_parse_id("@12", 3, '%', &id), "another sigil");
	ok(!str_parse_id("%", 1, '%', &id), "no number");
	ok(!str_parse_id("", 0, '%', &id), "nothing");
	ok(!str_parse_id("%1x", 3, '%', &id), "something behind");
	ok(!str_parse_id("%-1", 3, '%', &id), "a sign");
	ok(!str_parse_id("%4294967296", 11, '%', &id), "too large");
	is_int(id, 12, "a refused text is not written");
}

static void test_nearest(void)
{
	static const char *const names[] = {
	    "capture_pane", "columns", "list_panes", "list_windows", "pane", "regex", "text", NULL};
	char longest[1000];
	static const struct {
		const char *text, *nearest;
	} cases[] = {{"pane", "pane"}, {"pan", "pane"}, {"panes", "pane"}, {"pnae", "pane"},
	    {"colunms", "columns"}, {"cols", NULL}, {"capture-pane", "capture_pane"},
	    {"capture.pane", "capture_pane"}, {"Capture_Pane", "capture_pane"},
	    {"list_pane", "list_panes"}, {"listpanes", "list_panes"},
	    {"list_window", "list_windows"}, {"capture", "capture_pane"}, {"pane_id", "pane"},
	    {"xyzzy", NULL}, {"", NULL}, {"regexp", "regex"}, {"t", NULL}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		is_str(
		    str_nearest(cases[i].text, names), cases[i].nearest, "\"%s\"", cases[i].text);
	memset(longest, 'p', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	ok(str_nearest(longest, names) == NULL, "a very long text is near to nothing");
	ok(str_nearest("x", (const char *const[]){NULL}) == NULL, "no names, none is near");
}

static void test_visible(void)
{
	static const struct {
		const char *bytes, *visible;
	} cases[] = {
	    {"plain \xc3\xa9 \\ \"", "plain \xc3\xa9 \\ \""},
	    {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
	    {"\x1b[31m\a\x7f", "\\x1b[31m\\x07\\x7f"},
	    {"\xc2\x9b"
	     "2J",
		"\\x9b2J"},
	    {"\xe2\x80\xae"
	     "evil",
		"\\u202eevil"},
	    {"\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8", "\\u2066\\u200f\\u061c\\u2028"},
	    {"\xef\xbb\xbf", "\\ufeff"},
	    {"\xff\xe2\x82", "\\xff\\xe2\\x82"},
	};
	struct buf out;
	buf_init(&out, 1000);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		buf_clear(&out);
		is_int(str_append_visible(&out, cases[i].bytes, strlen(cases[i].bytes)), 0,
		    "case %zu", i);
		is_str((char *)out.data, cases[i].visible, "shows as \"%s\"", cases[i].visible);
	}
	buf_clear(&out);
	(void)str_append_visible(&out, "a\0b", 3);
	is_str((char *)out.data, "a\\x00b", "a NUL shows too");
	buf_finish(&out);
	buf_init(&out, 5);
	is_int(
	    str_append_visible(&out, "abc\x1b", 4), BUF_FULL, "at the maximum the cut is reported");
	is_str((char *)out.data, "abc", "and the part that fits is there");
	buf_finish(&out);
}

/* The characters on both sides of each border between visible and invisible. */
static void test_borders(void)
{
	static const struct {
		const char *last_before, *first, *last, *first_behind;
	} hidden[] = {{"~", "\x7f", "\xc2\x9f", "\xc2\xa0"},
	    {"\xd8\x9b", "\xd8\x9c", "\xd8\x9c", "\xd8\x9d"},
	    {"\xe2\x80\x8d", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\x90"},
	    {"\xe2\x80\xa7", "\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x80\xaf"},
	    {"\xe2\x81\xa5", "\xe2\x81\xa6", "\xe2\x81\xa9", "\xe2\x81\xaa"},
	    {"~", "\x01", "\x1f", " "}};
	struct buf out;
	buf_init(&out, 1000);
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
		buf_clear(&out);
		(void)str_append_visible(
		    &out, hidden[i].last_before, strlen(hidden[i].last_before));
		(void)str_append_visible(
		    &out, hidden[i].first_behind, strlen(hidden[i].first_behind));
		ok(!strchr((char *)out.data, '\\'), "the neighbours of range %zu are visible", i);
		buf_clear(&out);
		(void)str_append_visible(&out, hidden[i].first, strlen(hidden[i].first));
		ok(out.data[0] == '\\', "its first is not");
		buf_clear(&out);
		(void)str_append_visible(&out, hidden[i].last, strlen(hidden[i].last));
		ok(out.data[0] == '\\', "nor its last");
	}
	buf_finish(&out);
}

static void test_base64_vectors(void)
{
	static const char *const wrong[] = {"Z", "Zg", "Zg=", "Zg===", "====", "=",
	    "Z===", "Zm9v=", "Zm 9", "Zm9\n", "Zg==Zg==", "Zh==", "Zm9=", "Zm-_", "Zm9vZ"};
	static const struct {
		const char *bytes, *text;
	} vectors[] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"},
	    {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
	struct buf out;
	buf_init(&out, 1000);
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		buf_clear(&out);
		(void)base64_encode(&out, vectors[i].bytes, strlen(vectors[i].bytes));
		is_str((char *)out.data, vectors[i].text, "\"%s\" as base64", vectors[i].bytes);
		buf_clear(&out);
		is_int(
		    base64_decode(&out, vectors[i].text, strlen(vectors[i].text)), 0, "and back");
		is_str((char *)out.data, vectors[i].bytes, "to \"%s\"", vectors[i].bytes);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		buf_clear(&out);
		(void)buf_append_str(&out, "kept");
		is_int(base64_decode(&out, wrong[i], strlen(wrong[i])), BASE64_INVALID,
		    "\"%s\" is none", wrong[i]);
		is_str((char *)out.data, "kept", "and nothing is appended");
	}
	buf_finish(&out);
}

static void test_base64_all(void)
{
	uint8_t bytes[256];
	struct buf text, back;
	bool is_same = true;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 7 + 3);
	buf_init(&text, 1000);
	buf_init(&back, 1000);
	for (size_t len = 0; len <= sizeof bytes; len++) {
		buf_clear(&text);
		buf_clear(&back);
		is_same &= base64_encode(&text, bytes, len) == 0;
		is_same &= base64_decode(&back, (char *)text.data, text.len) == 0;
		is_same &= back.len == len && (len == 0 || memcmp(back.data, bytes, len) == 0);
	}
	ok(is_same, "all bytes, at every length, come back");
	buf_finish(&text);
	buf_finish(&back);
	buf_init(&text, 7);
	is_int(base64_encode(&text, "four", 4), BUF_FULL, "a text that does not fit is refused");
	is_int(text.len, 0, "whole");
	buf_finish(&text);
}

static void test_refuse(void)
{
	char reason[12];
	is_int(str_refuse(reason, sizeof reason, "%s: %d", "no", 7), -1, "a refusal is -1");
	is_str(reason, "no: 7", "with its reason");
	(void)str_refuse(reason, sizeof reason, "%s", "longer than there is room");
	is_str(reason, "longer than", "which is cut");
}

static void test_lines(void)
{
	struct buf out;
	buf_init(&out, 100);
	is_int(str_append_lines(&out, "a\033[1m\n\xc3\xa9\xe2\x80\xae\xc2\x9b\ttail\n", 20), 0,
	    "lines are appended");
	is_str((char *)out.data, "a\033[1m\n\xc3\xa9\\u202e\\x9b\ttail\n",
	    "ASCII stays, bidi controls and C1 are made visible");
	buf_finish(&out);
}

static void test_shown(void)
{
	char text[200], out[STR_SHOWN_SIZE];
	is_str(str_shown("%3", 2, out), "%3", "a short text is shown as it is");
	memset(text, 'x', sizeof text);
	is_str(str_shown(text, STR_SHOWN_MAX, out) + STR_SHOWN_MAX - 1, "x", "up to the limit");
	is_str(str_shown(text, sizeof text, out) + STR_SHOWN_MAX, "\xe2\x80\xa6",
	    "a longer one is cut");
	memcpy(text + STR_SHOWN_MAX - 1, "\xc3\xa9", 2);
	is_str(str_shown(text, sizeof text, out) + STR_SHOWN_MAX - 2, "x\xe2\x80\xa6",
	    "at a character");
}

static void test_put_u64(void)
{
	static const struct {
		uint64_t value;
		size_t at_least;
		const char *text;
	} rows[] = {
	    {0, 0, "0"},
	    {0, 1, "0"},
	    {7, 3, "007"},
	    {1000, 1, "1000"},
	    {9007199254740993, 20, "00009007199254740993"},
	    {UINT64_MAX, 1, "18446744073709551615"},
	    {UINT64_MAX, 20, "18446744073709551615"},
	};
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		char text[STR_U64_SIZE];
		size_t len = str_put_u64(text, rows[at].value, rows[at].at_least);
		is_str(text, rows[at].text, "a number as text: %s", rows[at].text);
		is_int((long long)len, (long long)strlen(text), "and its length");
	}
}

int main(void)
{
	test_put_u64();
	test_numbers();
	test_ids();
	test_nearest();
	test_refuse();
	test_lines();
	test_shown();
	test_visible();
	test_borders();
	test_base64_vectors();
	test_base64_all();
	is_str(str_last_part("/a/b"), "b", "the last part of a path");
	is_str(str_last_part("b"), "b", "of a name is the name");
	is_str(str_last_part("/a/"), "", "behind a slash at the end there is none");
	return done_testing();
}
