/* SPDX-License-Identifier: ISC */
/*
 * Finds the lines of a block that a pattern matches. Matches are those of single lines,
 * without their ends; but where the pattern allows it, all lines are searched in one call,
 * which is many times cheaper, and only what that finds is looked at as a line.
 */
#ifndef DAEMON_FILE_LINE_MATCH_H
#define DAEMON_FILE_LINE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/core/pattern.h"

#define LINE_LITERAL_MAX 64

struct line_matcher {
	struct pattern *pattern;
	size_t literal_len; /* 0: there is none */
	char literal[LINE_LITERAL_MAX]; /* no line matches without these bytes */
	bool is_blockwise; /* a line that matches cannot hide in a block that does not */
	bool has_dollar; /* but for this and the CR of CRLF */
};

/* A line of a block. */
struct matched_line {
	size_t start;
	size_t end; /* without its LF or CRLF */
	size_t after; /* where the next one begins */
	struct pattern_match match; /* from start on */
};

void line_matcher_init(struct line_matcher *matcher, struct pattern *pattern);

/*
 * The first line at or behind from (where a line begins) that matches. PATTERN_LIMIT: the
 * pattern gave up on that line; go on behind it.
 */
enum pattern_result line_match(struct line_matcher *matcher, const char *text, size_t len,
    size_t from, struct matched_line *ret_line);

#endif
