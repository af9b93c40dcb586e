/* SPDX-License-Identifier: ISC */
/* Finds the lines of a block that a pattern matches. */
#include "daemon/core/line_match.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Whether a pattern with this escape can be searched in blocks: its match does not depend
 * on bytes outside the line, or the line is matched alone anyway.
 */
static bool is_local_escape(char c)
{
	return ispunct((unsigned char)c) || (c != '\0' && strchr("dDwWsSbBhHvVtrfnea", c));
}

/* Group openings that still allow block search: "(", "(?:", "(?i)", "(?<name>". */
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
 * Whether each match in a line is also found in a block with that line: the pattern has no
 * assertions about the surrounding text, and no possessive or atomic parts. Anything unknown
 * counts as one of these.
 */
static bool pattern_is_local(const char *text)
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

/* The end of a class: "[^]a\\]b]". NULL if it is not simple. */
static const char *skip_class(const char *c)
{
	c += c[1] == '^' ? 2 : 1;
	if (*c == ']')
		c++;
	for (; *c && *c != ']'; c++) {
		if (*c == '[')
			return NULL; /* perhaps [:alpha:]; it ends elsewhere */
		if (*c == '\\' && *++c == '\0')
			return NULL;
	}
	return *c ? c + 1 : NULL;
}

/* The end of a group. NULL if it is not simple. */
static const char *skip_group(const char *c)
{
	unsigned depth = 0;
	while (c != NULL && *c) {
		if (*c == '\\') {
			c += c[1] ? 2 : 1;
		} else if (*c == '[') {
			c = skip_class(c);
		} else if (*c++ == '(') {
			depth++;
		} else if (c[-1] == ')' && --depth == 0) {
			return c;
		}
	}
	return NULL;
}

/* The literal byte at c and its end; '\0' if there is none. */
static char plain_byte(const char *c, const char **ret_after)
{
	if (*c == '\\' && ispunct((unsigned char)c[1])) {
		*ret_after = c + 2;
		return c[1];
	}
	*ret_after = c + 1;
	return (unsigned char)*c < 0x80 && isprint((unsigned char)*c) &&
		!strchr("\\^$.[]|()?*+{}", *c)
	    ? *c
	    : '\0';
}

/* The end of an item that is not literal; NULL if it is unknown. */
static const char *skip_other(const char *c)
{
	if (*c == '[')
		return skip_class(c);
	if (*c == '(')
		return skip_group(c);
	if (*c == '{') {
		c += 1 + strspn(c + 1, "0123456789,");
		return *c == '}' ? c + 1 : NULL; /* else it is no quantifier */
	}
	if (*c == '|' || *c == ')')
		return NULL;
	return c + (*c == '\\' && c[1] ? 2 : 1);
}

/*
 * The longest string that every match contains: literal bytes outside of all groups, if there
 * are no alternatives. Printable ASCII. Returns its length, 0 in doubt and for any pattern that
 * is not local.
 */
static size_t pattern_literal(const char *text, char ret_literal[PATTERN_LITERAL_MAX])
{
	char run[PATTERN_LITERAL_MAX];
	size_t len = 0, best = 0;
	if (!pattern_is_local(text) || strstr(text, "(?i"))
		return 0;
	for (const char *c = text, *after; *c; c = after) {
		char byte = plain_byte(c, &after);
		bool is_optional = byte && *after && strchr("*?{", *after);
		if (byte && !is_optional && len < PATTERN_LITERAL_MAX)
			run[len++] = byte;
		if (len > best)
			memcpy(ret_literal, run, best = len);
		if (!byte || is_optional || *after == '+' || len == PATTERN_LITERAL_MAX)
			len = 0;
		if (!byte && (after = skip_other(c)) == NULL)
			return 0;
	}
	return best;
}

#ifdef __SSE2__
#include <emmintrin.h>

/*
 * Facts about the matches of a pattern, read from its text: literal bytes that each match contains,
 * and whether a match depends on bytes around it. Knows the syntax of PCRE2 in part, and says
 * nothing of patterns with other syntax.
 */
#endif

void line_matcher_init(struct line_matcher *matcher, struct pattern *pattern)
{
	const char *text = pattern_text(pattern);
	matcher->pattern = pattern;
	matcher->is_blockwise = pattern_is_local(text);
	matcher->has_dollar = strchr(text, '$') != NULL;
	matcher->literal_len = pattern_literal(text, matcher->literal);
}

void line_at(const char *text, size_t len, size_t from, size_t at, struct matched_line *ret_line)
{
	const char *before = at > from ? memrchr(text + from, '\n', at - from) : NULL;
	size_t start = before != NULL ? (size_t)(before + 1 - text) : from;
	const char *newline = memchr(text + start, '\n', len - start);
	size_t end = newline != NULL ? (size_t)(newline - text) : len;
	ret_line->start = start;
	ret_line->after = newline != NULL ? end + 1 : len;
	ret_line->end = newline != NULL && end > start && text[end - 1] == '\r' ? end - 1 : end;
}

#ifdef __SSE2__
/* Which of 16 places may be the start of a literal: its first and last bytes are there. */
static inline __m128i may_start(const char *place, size_t count, __m128i first, __m128i last)
{
	__m128i a = _mm_loadu_si128((const __m128i *)(const void *)place);
	__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(place + count - 1));
	return _mm_and_si128(_mm_cmpeq_epi8(a, first), _mm_cmpeq_epi8(b, last));
}
#endif

/* memmem() by the first and last byte: several times as fast without a match. */
static const char *find_bytes(const char *text, size_t len, const char *bytes, size_t count)
{
	size_t i = 0;
#ifdef __SSE2__
	const __m128i first = _mm_set1_epi8(bytes[0]);
	const __m128i last = _mm_set1_epi8(bytes[count - 1]);
	for (; i + count - 1 + 32 <= len; i += 32) {
		__m128i low = may_start(text + i, count, first, last);
		__m128i high = may_start(text + i + 16, count, first, last);
		unsigned mask;
		if (_mm_movemask_epi8(_mm_or_si128(low, high)) == 0)
			continue;
		mask = (unsigned)_mm_movemask_epi8(low) | (unsigned)_mm_movemask_epi8(high) << 16;
		for (; mask; mask &= mask - 1) {
			const char *place = text + i + __builtin_ctz(mask);
			if (memcmp(place, bytes, count) == 0)
				return place;
		}
	}
#endif
	return memmem(text + i, len - i, bytes, count);
}

/*
 * A lower bound for the next matching line in a block; len if there is none. With "$" in
 * the pattern, block search says nothing about lines that end in CR.
 */
static size_t skip_lines(struct line_matcher *matcher, const char *text, size_t len, size_t from)
{
	struct pattern_match match;
	enum pattern_result found =
	    pattern_find(matcher->pattern, text + from, len - from, 0, &match);
	size_t at;
	/* The limit hit by a block may suffice for each line. */
	if (found == PATTERN_LIMIT) {
		matcher->is_blockwise = false;
		return from;
	}
	at = found == PATTERN_NONE ? len : from + match.spans[0].from;
	return matcher->has_dollar && memchr(text + from, '\r', at - from) ? from : at;
}

enum pattern_result line_match(struct line_matcher *matcher, const char *text, size_t len,
    size_t from, struct matched_line *ret_line)
{
	bool has_failed = false; /* a line that had the literal */
	while (from < len) {
		size_t at = from;
		bool has_literal = matcher->is_blockwise && matcher->literal_len > 0;
		enum pattern_result result;
		if (has_literal) {
			const char *literal = find_bytes(
			    text + from, len - from, matcher->literal, matcher->literal_len);
			const char *before;
			if (literal == NULL)
				return PATTERN_NONE;
			before = memrchr(text + from, '\n', (size_t)(literal - text) - from);
			at = before != NULL ? (size_t)(before + 1 - text) : from;
		}
		if (matcher->is_blockwise && (!has_literal || has_failed))
			at = skip_lines(matcher, text, len, at);
		if (at >= len)
			return PATTERN_NONE; /* after the last line */
		line_at(text, len, from, at, ret_line);
		result = pattern_find(matcher->pattern, text + ret_line->start,
		    ret_line->end - ret_line->start, 0, &ret_line->match);
		if (result != PATTERN_NONE)
			return result;
		has_failed = true;
		from = ret_line->after;
	}
	return PATTERN_NONE;
}
