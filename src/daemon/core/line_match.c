/* SPDX-License-Identifier: ISC */
/* Finds the lines of a block that a pattern matches. */
#include "daemon/core/line_match.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
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
