/* SPDX-License-Identifier: ISC */
/* Matching lines: a search in blocks finds the same lines as a search line by line. */
#include "daemon/core/pattern_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct pattern *compile(const char *text)
{
	char reason[256];
	struct pattern *pattern = pattern_new(text, strlen(text), reason, sizeof reason);
	if (pattern == NULL) {
		diag("%s: %s", text, reason);
		abort();
	}
	return pattern;
}

/* Records the matching lines, each with its match. */
static void find_all(
    struct line_matcher *matcher, const char *text, size_t len, char *out, size_t size)
{
	struct matched_line line;
	size_t from = 0, at = 0;
	out[0] = '\0';
	while (from < len) {
		enum pattern_result result = line_match(matcher, text, len, from, &line);
		if (result == PATTERN_NONE)
			break;
		at += (size_t)snprintf(out + at, size - at, "%d:%zu-%zu@%zu ", (int)result,
		    line.start, line.end, line.match.spans[0].from);
		from = line.after;
	}
}

static const char *const patterns[] = {"ERROR", "a.c", "^a", "c$", "^$", "\\s+x", "[^b]c", "b\\sb",
    "(?i)error", "(?:ab|cd)+", "a*", "\\bfoo\\b", "x|y|^z", "\\w+ \\w+", "(?<n>\\d+)", "a{2,3}b",
    "foo(?!bar)", "(?<!a)c", "\\Aab", "ab\\z", "[a-c]++d", "(?>a+)b", "(a)\\1", "\\Rb", "a\\Kb",
    "\\S+ \\S+ .*ERROR", ".*", "[\\s\\S]*end", "\xc3\xbc.", "e\\s*$", "\\r", "foo.*end",
    "ERROR+ ?x", "foo{b|a}|12", "x{b|c}", "fo{1,2}b", "foo(?:bar)?", "[xy]end$", "a\\b end",
    "ERROR( |x)*end", "foo\\.?b", "end|12 ", "(foo|a)bar", "(?:(?i)foo)bar", "12 *$", "ERROR|a"};

static void test_same(void)
{
	static const char *const words[] = {"a", "b", "c", "ab", "aab", "x", "y", "z", " ", "  ",
	    "ERROR", "error", "foo", "foobar", "12", "\xc3\xbc", "\xff", "end", "\t", "d",
	    "\xe2\x82"};
	char text[600], blocks[16384], lines[16384];
	unsigned differ = 0;
	srandom(5);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct pattern *pattern = compile(patterns[i]);
		for (int round = 0; round < 300; round++) {
			struct line_matcher matcher, slow;
			size_t len = 0;
			bool is_crlf = round % 5 == 0;
			for (int word = 0; word < 60; word++) {
				const char *next = words[(size_t)random() % 21];
				if (random() % 4 == 0)
					next = is_crlf ? "\r\n" : "\n";
				memcpy(text + len, next, strlen(next));
				len += strlen(next);
			}
			line_matcher_init(&matcher, pattern);
			line_matcher_init(&slow, pattern);
			slow.is_blockwise = false;
			find_all(&matcher, text, len, blocks, sizeof blocks);
			find_all(&slow, text, len, lines, sizeof lines);
			if (strcmp(blocks, lines) != 0 && differ++ < 5)
				diag("%s: %s instead of %s", patterns[i], blocks, lines);
		}
		pattern_free(pattern);
	}
	is_int(differ, 0, "blocks and lines find the same");
}

static bool is_blockwise(const char *text)
{
	struct pattern *pattern = compile(text);
	struct line_matcher matcher;
	line_matcher_init(&matcher, pattern);
	pattern_free(pattern);
	return matcher.is_blockwise;
}

static void test_which(void)
{
	ok(is_blockwise("ERROR"), "a literal is searched in blocks");
	ok(is_blockwise("\\b(?:error|fatal)\\b"), "words too");
	ok(is_blockwise("status=(\\d{3})"), "and captures");
	ok(!is_blockwise("foo(?!bar)"), "a lookahead is not");
	ok(!is_blockwise("foo\\z"), "nor is an anchor at the end of the text");
	ok(!is_blockwise("a++b"), "nor a possessive quantifier");
}

static const struct {
	const char *pattern;
	const char *literal;
} literals[] = {
    {"ERROR", "ERROR"},
    {"^\\[error\\] .*retry (\\d+)$", "[error] "},
    {"status=5\\d\\d", "status=5"},
    {"abc+d", "abc"},
    {"abc?de", "ab"},
    {"ab{2}cdef", "cdef"},
    {"abc(d|e)f[^]g]hi", "abc"},
    {"needle|other", ""},
    {"(?i)error", ""},
    {"x{b|c}", ""},
    {"[[:alpha:]]abc", ""},
    {"\\w+ \\w+", " "},
    {"(?:a|b)", ""},
    {"na\xc3\xafve", "na"},
};

static void test_literals(void)
{
	for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
		struct pattern *pattern = compile(literals[i].pattern);
		struct line_matcher matcher;
		line_matcher_init(&matcher, pattern);
		is_mem(matcher.literal, matcher.literal_len, literals[i].literal,
		    strlen(literals[i].literal), "%s: needs \"%s\"", literals[i].pattern,
		    literals[i].literal);
		pattern_free(pattern);
	}
}

int main(void)
{
	test_same();
	test_literals();
	test_which();
	return done_testing();
}
