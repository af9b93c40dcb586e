/* SPDX-License-Identifier: ISC */
/*
 * Regular expressions: PCRE2 with UTF, where possible compiled to machine code (JIT) at the first
 * use. Length, steps, time, depth and memory are limited, so that no pattern stalls the daemon. \C
 * is refused, as it could split a character. Subjects may be any bytes: invalid UTF-8 matches
 * nothing.
 */
#pragma once

#include "base/base.h"

#define PATTERN_BYTES_MAX 4096
#define PATTERN_SPANS_MAX 64 /* further captures are not reported */

enum pattern_result {
	PATTERN_LIMIT = -1, /* the search was given up at a limit, such as of steps or time */
	PATTERN_NONE = 0,
	PATTERN_MATCH = 1,
};

/* The range of the whole match (index 0) or of a capture (from 1); from > to: not matched. */
struct pattern_span {
	size_t from;
	size_t to;
};

struct pattern_match {
	size_t count; /* of spans, at least 1 */
	struct pattern_span spans[PATTERN_SPANS_MAX];
};

/* Returns NULL with a reason if the pattern is invalid or exceeds a limit. */
struct pattern *pattern_new(const char *text, size_t len, char *ret_reason, size_t reason_size);
void pattern_free(struct pattern *pattern);

const char *pattern_text(const struct pattern *pattern);

/* Returns the name of a capture (from 1), valid as long as the pattern; NULL: it has none. */
const char *pattern_capture_name(const struct pattern *pattern, size_t capture);

/*
 * Finds the first match that begins at or after `start`. '^' and '$' match at each line. ret_match
 * may be NULL.
 */
enum pattern_result pattern_find(struct pattern *pattern, const void *bytes, size_t len,
    size_t start, struct pattern_match *ret_match);

/*
 * For a search of many calls: pattern_begin(), then pattern_find_on() in place of pattern_find().
 * If the calls with one pattern together take too much processor time, further calls return
 * PATTERN_LIMIT.
 */
void pattern_begin(void);
enum pattern_result pattern_find_on(struct pattern *pattern, const void *bytes, size_t len,
    size_t start, struct pattern_match *ret_match);

/*
 * Makes bytes that are not valid UTF-8 match ".". Returns the text itself, or a copy with a control
 * character in place of each such byte. An incomplete character at the end is kept. The caller
 * frees *ret_copy; NULL: there is no copy.
 */
const char *pattern_subject(const char *text, size_t len, char **ret_copy);
