/* SPDX-License-Identifier: ISC */
/* The lines that begin and end a reply. */
#include "lib/stream/block_line.h"

#include <string.h>

#include "base/str.h"

/* The longest guard: "%begin", two numbers of at most 20 digits and a flag. */
#define BLOCK_LINE_MAX 64
/* So many digits cannot overflow. */
#define DIGITS_SAFE 19

static const struct {
	const char *word;
	size_t len;
	enum block_line_kind kind;
} block_line_words[] = {
    {"%begin ", 7, BLOCK_BEGIN},
    {"%end ", 5, BLOCK_END},
    {"%error ", 7, BLOCK_ERROR},
};

/* Reads a number and the space after it. */
static bool read_number(const char **text, const char *end, uint64_t *ret_number)
{
	const char *place = *text;
	uint64_t number = 0, exact;
	for (; place < end && (uint8_t)(*place - '0') <= 9; place++)
		number = 10 * number + (uint8_t)(*place - '0');
	if (place == *text || place == end || *place != ' ')
		return false;
	if (place - *text > DIGITS_SAFE) {
		if (!str_parse_u64(*text, (size_t)(place - *text), &exact))
			return false;
		number = exact;
	}
	*text = place + 1;
	*ret_number = number;
	return true;
}

bool block_line_read(const char *line, size_t len, struct guard *ret_guard)
{
	const char *end = line + len;
	struct guard guard;
	if (len < 2 || len > BLOCK_LINE_MAX || line[0] != '%' || (line[1] != 'b' && line[1] != 'e'))
		return false;
	for (size_t i = 0; i < sizeof block_line_words / sizeof block_line_words[0]; i++) {
		const char *text = line + block_line_words[i].len;
		if (len <= block_line_words[i].len ||
		    memcmp(line, block_line_words[i].word, block_line_words[i].len) != 0)
			continue;
		if (!read_number(&text, end, &guard.time) ||
		    !read_number(&text, end, &guard.number) || end - text != 1 ||
		    (*text != '0' && *text != '1'))
			return false;
		guard.kind = block_line_words[i].kind;
		guard.is_ours = *text == '1';
		*ret_guard = guard;
		return true;
	}
	return false;
}

bool block_line_closes(const struct guard *end, const struct guard *begin)
{
	return end->kind != BLOCK_BEGIN && end->time == begin->time &&
	    end->number == begin->number && end->is_ours == begin->is_ours;
}
