/* SPDX-License-Identifier: ISC */
/* The lines of a text. */
#include "daemon/core/text_lines.h"

#include <string.h>

size_t text_trimmed_len(const uint8_t *text, size_t len)
{
	while (len > 0 && text[len - 1] == '\n') {
		size_t start = len - 1;
		while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t'))
			start--;
		if (start > 0 && text[start - 1] != '\n')
			break;
		len = start;
	}
	return len;
}

size_t text_last_lines(const uint8_t *text, size_t len, int64_t lines)
{
	size_t at = len > 0 && text[len - 1] == '\n' ? len - 1 : len;
	while (lines > 0 && at > 0) {
		const uint8_t *newline = memrchr(text, '\n', at);
		at = newline != NULL ? (size_t)(newline - text) : 0;
		lines--;
	}
	return lines == 0 && at < len && text[at] == '\n' ? at + 1 : at;
}

int64_t text_count_lines(const uint8_t *text, size_t len)
{
	const uint8_t *end = text + len;
	int64_t lines = 0;
	for (; text < end; lines++) {
		const uint8_t *newline = memchr(text, '\n', (size_t)(end - text));
		text = newline != NULL ? newline + 1 : end;
	}
	return lines;
}
