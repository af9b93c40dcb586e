/* SPDX-License-Identifier: ISC */
/* Quoting against a reader of tmux's grammar, and fields. tests/live/test_quote_live.c asks tmux. */
#include <muxbus.h>

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void is_quoted(const char *bytes, const char *want)
{
	char out[MUXBUS_QUOTED_MAX(64)];
	ssize_t len = muxbus_quote(out, bytes, strlen(bytes));
	is_mem(out, len < 0 ? 0 : (size_t)len, want, strlen(want), "quote: %s", bytes);
}

/* Reads the inside of a double-quoted string as cmd-parse.y does; -1 for text that would expand. */
static ssize_t unquote(const char *text, size_t len, char *out)
{
	size_t filled = 0;
	if (len < 2 || text[0] != '"' || text[len - 1] != '"')
		return -1;
	for (size_t i = 1; i < len - 1; i++) {
		if (text[i] == '$' || text[i] == '"' || text[i] == '\n' || text[i] == '\0' ||
		    text[i] == '\377' || (i == 1 && text[i] == '~'))
			return -1;
		if (text[i] != '\\') {
			out[filled++] = text[i];
			continue;
		}
		if (i + 3 >= len - 1 || text[i + 1] < '0' || text[i + 1] > '3' ||
		    text[i + 2] < '0' || text[i + 2] > '7' || text[i + 3] < '0' ||
		    text[i + 3] > '7')
			return -1;
		out[filled++] = (char)((text[i + 1] - '0') << 6 | (text[i + 2] - '0') << 3 |
		    (text[i + 3] - '0'));
		i += 3;
	}
	return (ssize_t)filled;
}

static void test_quote(void)
{
	char all[255];
	char quoted[MUXBUS_QUOTED_MAX(sizeof all)];
	char back[sizeof quoted];
	ssize_t len;
	is_quoted("", "\"\"");
	is_quoted("new-window", "\"new-window\"");
	is_quoted("a b;c#{d}'%0", "\"a b;c#{d}'%0\"");
	is_quoted("\"$~\\", "\"\\042\\044\\176\\134\"");
	is_quoted("\n\t\033\177", "\"\\012\\011\\033\\177\"");
	is_quoted("\303\251\377", "\"\\303\\251\\377\"");
	for (size_t i = 0; i < sizeof all; i++)
		all[i] = (char)(i + 1);
	len = muxbus_quote(quoted, all, sizeof all);
	ok(len > 0 && (size_t)len <= sizeof quoted,
	    "all bytes except NUL fit in the stated maximum");
	len = unquote(quoted, (size_t)len, back);
	is_mem(back, (size_t)len, all, sizeof all, "and come back");
	is_int(muxbus_quote(quoted, "a\0b", 3), MUXBUS_ERR_INVALID, "a NUL cannot be quoted");
	is_int(muxbus_quote(quoted, NULL, 0), 2, "no text fits in no room");
	memset(all, 1, sizeof all);
	is_int(muxbus_quote(quoted, all, sizeof all), MUXBUS_QUOTED_MAX(sizeof all),
	    "the maximum is reached");
}

static void test_literal(void)
{
	static const struct {
		const char *bytes;
		const char *want;
	} rows[] = {
	    {"", ""},
	    {"abc", "abc"},
	    {"#", "##"},
	    {"a#b", "a##b"},
	    {"###", "######"},
	    {"#(touch x)", "##(touch x)"},
	    {"#{pane_id}", "##{pane_id}"},
	    {"#S", "##S"},
	    {"#[fg=red]", "#[fg=red]"},
	    {"##[", "##["},
	    {"#[#{x}##[#", "#[##{x}##[##"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char out[64];
		size_t len = muxbus_literal(out, rows[i].bytes, strlen(rows[i].bytes));
		is_mem(out, len, rows[i].want, strlen(rows[i].want), "literal: %s", rows[i].bytes);
	}
}

static void test_field_format(void)
{
	static const char want[] = "#{s/%/%25/;s/\\\\/%5C/;s/\n/%0A/;s/\t/%09/:pane_title}";
	char out[sizeof want];
	is_int(muxbus_field_format(out, sizeof out, "pane_title"), sizeof want - 1,
	    "a format that just fits");
	is_str(out, want, "is in the form that tmux must get");
	is_int(muxbus_field_format(out, sizeof out - 1, "pane_title"), MUXBUS_ERR_LIMIT,
	    "one that does not fit");
}

static void test_field_decode(void)
{
	static const struct {
		const char *field;
		uint32_t caps;
		const char *want; /* NULL: syntax error */
	} rows[] = {
	    {"", 0, ""},
	    {"plain \303\251", 0, "plain \303\251"},
	    {"%25%5C%0A%09", 0, "%\\\n\t"},
	    {"%2525", 0, "%25"},
	    {"%5c", 0, "\\"},
	    {"%", 0, NULL},
	    {"%5", 0, NULL},
	    {"%5G", 0, NULL},
	    {"x%", 0, NULL},
	    {"a\\033b", 0, "a\\033b"},
	    {"a\\033b%5C033", MUXBUS_CAP_PRINT_ENCODED, "a\033b\\033"},
	    {"\\r\\b\\a\\v\\f\\$x", MUXBUS_CAP_PRINT_ENCODED, "\r\b\a\v\f$x"},
	    {"\\377\\177", MUXBUS_CAP_PRINT_ENCODED, "\377\177"},
	    {"\\04525", MUXBUS_CAP_PRINT_ENCODED, "%"},
	    {"\\", MUXBUS_CAP_PRINT_ENCODED, NULL},
	    {"\\q", MUXBUS_CAP_PRINT_ENCODED, NULL},
	    {"\\400", MUXBUS_CAP_PRINT_ENCODED, NULL},
	    {"\\37", MUXBUS_CAP_PRINT_ENCODED, NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t len = strlen(rows[i].field);
		char *field = malloc(len + 1); /* so that a read beyond is noticed */
		ssize_t got;
		memcpy(field, rows[i].field, len);
		got = muxbus_field_decode(field, len, rows[i].caps);
		if (rows[i].want == NULL)
			is_int(got, MUXBUS_ERR_SYNTAX, "field: %s", rows[i].field);
		else
			is_mem(field, got < 0 ? 0 : (size_t)got, rows[i].want, strlen(rows[i].want),
			    "field: %s", rows[i].field);
		free(field);
	}
}

int main(void)
{
	test_quote();
	test_literal();
	test_field_format();
	test_field_decode();
	return done_testing();
}
