/* SPDX-License-Identifier: ISC */
/* Finds the lines of a block that a pattern matches. */
#include "daemon/line_match.h"

#include <ctype.h>
#include <string.h>

/*
 * Whether an escape may stand in a pattern that is searched in blocks: what it matches does
 * not depend on bytes beyond the line, or the line is tried on its own anyway.
 */
static bool is_local_escape(char c)
{
	return ispunct((unsigned char)c) || (c != '\0' && strchr("dDwWsSbBhHvVtrfnea", c));
}

/* Group openings that change nothing of that: "(", "(?:", "(?i)", "(?<name>". */
static bool is_local_group(const char *after)
{
	if (*after == '*')
		return false;
	if (*after != '?')
		return true;
	return strncmp(after, "?:", 2) == 0 || strncmp(after, "?i)", 3) == 0 ||
	    (strncmp(after, "?<", 2) == 0 && isalpha((unsigned char)after[2]));
}

/*
 * A pattern is searched in blocks if whatever it matches in a line it also finds in a block
 * with that line: no assertion that what is around may turn down, no part that takes what it
 * can and gives nothing back. Anything unknown counts as one of those.
 */
static bool is_local(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\\') {
			if (!is_local_escape(*++c))
				return false;
		} else if (*c == '(') {
			if (!is_local_group(c + 1))
				return false;
		} else if (strchr("*+?}", *c) && c[1] == '+') {
			return false;
		}
	}
	return true;
}

void line_matcher_init(struct line_matcher *matcher, struct pattern *pattern)
{
	const char *text = pattern_text(pattern);
	matcher->pattern = pattern;
	matcher->is_blockwise = is_local(text);
	matcher->has_dollar = strchr(text, '$') != NULL;
}

/* The line around a byte that lies behind from. */
static void find_line(
    const char *text, size_t len, size_t from, size_t at, struct matched_line *ret_line)
{
	const char *before = at > from ? memrchr(text + from, '\n', at - from) : NULL;
	size_t start = before ? (size_t)(before + 1 - text) : from;
	const char *newline = memchr(text + start, '\n', len - start);
	size_t end = newline ? (size_t)(newline - text) : len;
	ret_line->start = start;
	ret_line->after = newline ? end + 1 : len;
	ret_line->end = newline && end > start && text[end - 1] == '\r' ? end - 1 : end;
}

enum pattern_result line_match(struct line_matcher *matcher, const char *text, size_t len,
    size_t from, struct matched_line *ret_line)
{
	bool in_block = matcher->is_blockwise &&
	    !(matcher->has_dollar && from < len && memchr(text + from, '\r', len - from));
	while (from < len) {
		size_t at = from;
		if (in_block) {
			struct pattern_match match;
			enum pattern_result found =
			    pattern_find(matcher->pattern, text + from, len - from, 0, &match);
			if (found == PATTERN_NONE)
				return PATTERN_NONE;
			/* Too much for a block may be little for each line. */
			if (found == PATTERN_LIMIT)
				in_block = matcher->is_blockwise = false;
			else
				at = from + match.spans[0].from;
		}
		if (at >= len)
			return PATTERN_NONE; /* it is behind the last line */
		find_line(text, len, from, at, ret_line);
		enum pattern_result result = pattern_find(matcher->pattern, text + ret_line->start,
		    ret_line->end - ret_line->start, 0, &ret_line->match);
		if (result != PATTERN_NONE)
			return result;
		from = ret_line->after;
	}
	return PATTERN_NONE;
}
