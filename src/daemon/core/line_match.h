/* SPDX-License-Identifier: ISC */
/*
 * Finds the lines of a block that match a pattern. Each line is matched alone, without its
 * end. If the pattern allows it, all lines are first searched in one call, which is many
 * times cheaper, and only lines with a hit are matched alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "daemon/core/pattern.h"

#define PATTERN_LITERAL_MAX 64 /* bytes */

struct line_matcher {
	struct pattern *pattern;
	size_t literal_len; /* 0: there is none */
	char literal[PATTERN_LITERAL_MAX]; /* no line matches without these bytes */
	bool is_blockwise; /* a block without a match has no matching line */
	bool has_dollar; /* except with "$" and the CR of CRLF */
};

/* A line of a block. */
struct matched_line {
	size_t start;
	size_t end; /* without its LF or CRLF */
	size_t after; /* where the next one begins */
	struct pattern_match match; /* from start on */
};

/* The bounds of the line that contains the byte at an offset; from: the start of a line before. */
void line_at(const char *text, size_t len, size_t from, size_t at, struct matched_line *ret_line);

void line_matcher_init(struct line_matcher *matcher, struct pattern *pattern);

/*
 * The first matching line at or after from (the start of a line). PATTERN_LIMIT: the
 * pattern gave up on that line; continue after it.
 */
enum pattern_result line_match(struct line_matcher *matcher, const char *text, size_t len,
    size_t from, struct matched_line *ret_line);
