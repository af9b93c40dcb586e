/* SPDX-License-Identifier: ISC */
/*
 * Looking for patterns in logs (G11): the watcher's way, block by block, against pcre2's JIT
 * line by line on the same text in turns.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "bench.h"
#include "daemon/core/line_match.h"
#include "daemon/core/pattern.h"

enum { TEXT_BYTES = 8 * 1024 * 1024, BLOCK_BYTES = 64 * 1024, ROUNDS = 5, MANY = 100 };

static struct buf text;

static void make_text(void)
{
	static const char *const levels[] = {"INFO", "DEBUG", "INFO", "WARN", "INFO", "ERROR"};
	unsigned state = 1;
	buf_init(&text, TEXT_BYTES + 4096);
	for (int i = 0; text.len < TEXT_BYTES; i++) {
		state = state * 1103515245 + 12345;
		(void)buf_printf(&text,
		    "2026-11-21T02:15:%02d.%03u %s worker-%u: request %u done in %u ms status=%u\n",
		    i % 60, state >> 22, levels[state >> 16 & 3 ? 0 : state >> 18 & 3], state >> 28,
		    state >> 8, state >> 20 & 1023, 200 + (state >> 24 & 3) * 100);
	}
}

/* Lines that match, as a watch finds them. */
static size_t ours(struct line_matcher *matcher)
{
	size_t found = 0;
	for (size_t at = 0; at < text.len;) {
		size_t end = at + BLOCK_BYTES < text.len ? at + BLOCK_BYTES : text.len;
		struct matched_line line;
		const char *block;
		while (end < text.len && text.data[end - 1] != '\n')
			end++;
		block = (const char *)text.data + at;
		for (size_t from = 0;
		     line_match(matcher, block, end - at, from, &line) == PATTERN_MATCH;
		     from = line.after)
			found++;
		at = end;
	}
	return found;
}

/* The same line by line, with the plainest use of the JIT. */
static size_t theirs(pcre2_code *code, pcre2_match_data *data)
{
	size_t found = 0;
	const uint8_t *end = text.data + text.len;
	for (const uint8_t *line = text.data; line < end;) {
		const uint8_t *stop = memchr(line, '\n', (size_t)(end - line));
		found += pcre2_match(code, line, (size_t)(stop - line), 0, PCRE2_NO_UTF_CHECK, data,
			     NULL) > 0;
		line = stop + 1;
	}
	return found;
}

/* The cost of one pattern in our way, in ns; the ratio to the plain way goes to *ret_ratio. */
static void bench_one(const char *regex, const char *row)
{
	double ratios[ROUNDS], ours_ms[ROUNDS], theirs_ms[ROUNDS];
	char reason[256];
	struct line_matcher matcher;
	struct pattern *pattern = pattern_new(regex, strlen(regex), reason, sizeof reason);
	int error;
	PCRE2_SIZE offset;
	pcre2_code *code = pcre2_compile(
	    (PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &offset, NULL);
	pcre2_match_data *data;
	if (pattern == NULL || code == NULL)
		live_bail("%s: %s", regex, reason);
	(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	data = pcre2_match_data_create_from_pattern(code, NULL);
	line_matcher_init(&matcher, pattern);
	for (int i = 0; i < ROUNDS; i++) {
		int64_t start_ns = live_now_ns();
		size_t found = ours(&matcher);
		int64_t middle_ns = live_now_ns();
		if (theirs(code, data) != found)
			live_bail("%s: other lines are found", regex);
		theirs_ms[i] = (double)(live_now_ns() - middle_ns) / 1e6;
		ours_ms[i] = (double)(middle_ns - start_ns) / 1e6;
		ratios[i] = ours_ms[i] / theirs_ms[i];
	}
	bench_row(row, bench_median(ratios, ROUNDS), "x", "%s: %.2f against %.2f ms a MB", regex,
	    bench_median(ours_ms, ROUNDS) / 8, bench_median(theirs_ms, ROUNDS) / 8);
	pcre2_match_data_free(data);
	pcre2_code_free(code);
	pattern_free(pattern);
}

/* As many patterns with a literal each, one after the other as watches are, against as many passes. */
static void bench_many(void)
{
	static struct line_matcher matchers[MANY];
	static pcre2_code *codes[MANY];
	double ratios[ROUNDS];
	char regex[64], reason[256];
	int error;
	PCRE2_SIZE offset;
	pcre2_match_data *data;
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(regex, sizeof regex, "needle%02d.*retry (\\d+)", i);
		line_matcher_init(
		    &matchers[i], pattern_new(regex, strlen(regex), reason, sizeof reason));
		codes[i] = pcre2_compile(
		    (PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &offset, NULL);
		(void)pcre2_jit_compile(codes[i], PCRE2_JIT_COMPLETE);
	}
	data = pcre2_match_data_create(4, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		int64_t start_ns = live_now_ns();
		int64_t middle_ns;
		for (int p = 0; p < MANY; p++)
			(void)ours(&matchers[p]);
		middle_ns = live_now_ns();
		for (int p = 0; p < MANY; p++)
			(void)theirs(codes[p], data);
		ratios[i] = (double)(live_now_ns() - middle_ns) / (double)(middle_ns - start_ns);
	}
	bench_row("pattern_100", bench_median(ratios, ROUNDS), "x", "of %d patterns", MANY);
	for (int i = 0; i < MANY; i++) {
		pattern_free(matchers[i].pattern);
		pcre2_code_free(codes[i]);
	}
	pcre2_match_data_free(data);
}

int main(void)
{
	make_text();
	bench_one("status=(\\d{3}) *$", "pattern_regex");
	bench_one("\\b(?:error|fatal|panic|exception)\\b", "pattern_words");
	bench_one("OutOfMemory", "pattern_literal");
	bench_many();
	buf_finish(&text);
	return 0;
}
