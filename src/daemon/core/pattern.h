/* SPDX-License-Identifier: ISC */
/*
 * Regular expressions: PCRE2 with UTF, compiled to machine code (JIT) when they are first used. No
 * pattern can stall the daemon: length, steps, time, depth and memory are limited. \C is refused,
 * as it could split a character. Subjects may be any bytes: invalid UTF-8 matches nothing.
 */
#pragma once

#include "base/base.h"

#define PATTERN_BYTES_MAX 4096
#define PATTERN_SPANS_MAX 64 /* further captures are not reported */

enum pattern_result {
	PATTERN_LIMIT = -1, /* the search was given up: it takes too many steps, or too much time */
	PATTERN_NONE = 0,
	PATTERN_MATCH = 1,
};

/* The range of the whole match (0) or a capture (from 1); from > to: not matched. */
struct pattern_span {
	size_t from;
	size_t to;
};

struct pattern_match {
	size_t count; /* of spans, at least 1 */
	struct pattern_span spans[PATTERN_SPANS_MAX];
};

/* Returns NULL if the pattern is invalid, with a reason that names the offset of the error. */
struct pattern *pattern_new(const char *text, size_t len, char *ret_reason, size_t reason_size);
void pattern_free(struct pattern *pattern);

const char *pattern_text(const struct pattern *pattern);

/* Returns the name of a capture (from 1), or NULL; it is valid as long as the pattern. */
const char *pattern_capture_name(const struct pattern *pattern, size_t capture);

/*
 * Finds the first match that begins at or after `start`. '^' and '$' match at each line. ret_match
 * may be NULL.
 */
enum pattern_result pattern_find(struct pattern *pattern, const void *bytes, size_t len,
    size_t start, struct pattern_match *ret_match);

/*
 * For a search of many calls: pattern_begin(), then pattern_find_on() in place of pattern_find().
 * After 50 ms of processor time for all calls with one pattern, further calls return PATTERN_LIMIT.
 */
void pattern_begin(void);
enum pattern_result pattern_find_on(struct pattern *pattern, const void *bytes, size_t len,
    size_t start, struct pattern_match *ret_match);

/*
 * Returns a text in which "." matches each byte that is not valid UTF-8: the text itself, or a copy
 * with a control character in place of each such byte. An incomplete character at the end is kept.
 * The caller frees *ret_copy; NULL if no copy was made.
 */
const char *pattern_subject(const char *text, size_t len, char **ret_copy);
