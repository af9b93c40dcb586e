/* SPDX-License-Identifier: ISC */
/* Bytes in, lines out. */
#include "wire/line.h"

#include <stdint.h>
#include <string.h>

#include "base/xalloc.h"

/* Memory kept for the next piece while nothing is pending. */
#define KEEP_BYTES 1024

void line_input_init(struct line_input *input, size_t max_bytes)
{
	*input = (struct line_input){.max_bytes = max_bytes};
	buf_init(&input->buf, SIZE_MAX); /* the caller bounds its input */
}

void line_input_finish(struct line_input *input)
{
	buf_finish(&input->buf);
	mem_free(input->lost);
}

/* Drops consumed bytes. */
static void compact(struct line_input *input)
{
	if (input->start == 0)
		return;
	buf_consume(&input->buf, input->start);
	input->scanned -= input->start;
	input->start = 0;
	if (input->buf.len == 0)
		buf_shrink(&input->buf, KEEP_BYTES);
}

void line_input_add(struct line_input *input, const void *bytes, size_t len)
{
	size_t need;
	compact(input);
	need = input->buf.len + len + 1;
	if (buf_reserve(&input->buf, len) < 0)
		(void)xalloc(need); /* reports out of memory and ends */
	(void)buf_append(&input->buf, bytes, len); /* the room is there */
}

/* Passes a part of a line that is too long. */
static void skip(struct line_input *input, size_t end)
{
	if (input->wants_id && !input->is_skipping) {
		mem_free(input->lost);
		input->lost = xcalloc(1, sizeof *input->lost);
	}
	if (input->wants_id)
		lost_id_add(
		    input->lost, (const char *)input->buf.data + input->start, end - input->start);
	input->is_skipping = true;
}

/* Consumes all bytes. */
static void drop_all(struct line_input *input)
{
	input->start = input->buf.len;
	input->scanned = input->buf.len;
	compact(input);
}

static void take(
    struct line_input *input, size_t end, size_t next, const char **ret_line, size_t *ret_len)
{
	char *line = (char *)input->buf.data + input->start;
	size_t len = end - input->start;
	if (len > 0 && line[len - 1] == '\r')
		len--;
	line[len] = '\0'; /* its end, or the NUL behind all bytes */
	*ret_line = line;
	*ret_len = len;
	input->start = next;
	input->scanned = next;
}

/* Whether the line from start to end is too long, leaving out a "\r" at its end. */
static bool is_too_long(const struct line_input *input, size_t end)
{
	size_t len = end - input->start;
	if (len == input->max_bytes + 1 && input->buf.data[end - 1] == '\r')
		return false;
	return len > input->max_bytes;
}

enum line_result line_input_next(struct line_input *input, const char **ret_line, size_t *ret_len)
{
	for (;;) {
		size_t left = input->buf.len - input->scanned;
		const uint8_t *newline =
		    left == 0 ? NULL : memchr(input->buf.data + input->scanned, '\n', left);
		size_t end;
		bool was_skipping;
		if (newline == NULL) {
			input->scanned = input->buf.len;
			was_skipping = input->is_skipping;
			if (was_skipping || is_too_long(input, input->buf.len)) {
				skip(input, input->buf.len);
				drop_all(input);
				if (!was_skipping && !input->wants_id)
					return LINE_TOO_LONG;
			}
			compact(input);
			return LINE_NONE;
		}
		end = (size_t)(newline - input->buf.data);
		was_skipping = input->is_skipping;
		if (was_skipping || is_too_long(input, end)) {
			skip(input, end);
			input->is_skipping = false;
			input->start = end + 1;
			input->scanned = end + 1;
			if (was_skipping && !input->wants_id)
				continue; /* it was reported when it became too long */
			return LINE_TOO_LONG;
		}
		take(input, end, end + 1, ret_line, ret_len);
		return LINE_FOUND;
	}
}

enum line_result line_input_end(struct line_input *input, const char **ret_line, size_t *ret_len)
{
	enum line_result result = line_input_next(input, ret_line, ret_len);
	if (result != LINE_NONE || !line_input_is_pending(input))
		return result;
	if (input->is_skipping) {
		input->is_skipping = false;
		return LINE_TOO_LONG;
	}
	take(input, input->buf.len, input->buf.len, ret_line, ret_len);
	return LINE_FOUND;
}

bool line_input_is_pending(const struct line_input *input)
{
	return input->start < input->buf.len || (input->is_skipping && input->wants_id);
}

bool line_input_has_unseen(const struct line_input *input)
{
	return input->scanned < input->buf.len;
}

bool line_is_blank(const char *line, size_t len)
{
	while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	return len == 0;
}
