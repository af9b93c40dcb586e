/* SPDX-License-Identifier: ISC */
/* The last few lines before a place in a text. */
#include "daemon/file/context_lines.h"

#include <string.h>

#include "base/xalloc.h"

void context_lines_finish(struct context_lines *context)
{
	for (size_t i = 0; i < CONTEXT_LINES; i++)
		mem_free(context->lines[i].bytes);
	*context = (struct context_lines){0};
}

size_t context_line_len(const char *bytes, size_t len)
{
	if (len > 0 && bytes[len - 1] == '\n')
		len--;
	if (len > 0 && bytes[len - 1] == '\r')
		len--;
	return len;
}

/* Remembers one line and forgets the oldest. */
static void push(struct context_lines *context, const char *bytes, size_t len)
{
	len = context_line_len(bytes, len);
	if (len > CONTEXT_LINE_MAX)
		len = CONTEXT_LINE_MAX;
	mem_free(context->lines[0].bytes);
	memmove(context->lines, context->lines + 1, (CONTEXT_LINES - 1) * sizeof *context->lines);
	context->lines[CONTEXT_LINES - 1] =
	    (struct context_line){.bytes = xmemdup(bytes, len), .len = len};
	context->count++;
}

void context_lines_add(struct context_lines *context, const char *text, size_t end)
{
	size_t starts[CONTEXT_LINES], ends[CONTEXT_LINES];
	size_t count = 0;
	while (end > 0 && count < CONTEXT_LINES) {
		const char *before = end > 1 ? memrchr(text, '\n', end - 1) : NULL;
		starts[count] = before != NULL ? (size_t)(before + 1 - text) : 0;
		ends[count] = end;
		end = starts[count++];
	}
	while (count-- > 0)
		push(context, text + starts[count], ends[count] - starts[count]);
}

void context_lines_copy(
    const struct context_lines *context, uint64_t from, struct context_lines *ret_copy)
{
	*ret_copy = (struct context_lines){0};
	for (size_t i = 0; i < CONTEXT_LINES; i++) {
		const struct context_line *line = &context->lines[i];
		if (line->bytes != NULL && context->count - (CONTEXT_LINES - i) >= from)
			push(ret_copy, line->bytes, line->len);
	}
}
