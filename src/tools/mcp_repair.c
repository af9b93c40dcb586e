/* SPDX-License-Identifier: ISC */
#include "tools/mcp_repair.h"

enum { ESCAPE_LEN = 6 }; /* \uXXXX */

/* Copies or replaces the escape at `at`, which begins with a backslash. Returns its length. */
static size_t repair_escape(struct buf *out, const char *at, size_t len, int *error)
{
	int32_t unit = json_unit(at, len), next;
	size_t taken = len < 2 ? len : 2; /* the backslash and the next character */
	if (unit >= 0)
		taken = ESCAPE_LEN;
	if (unit >= 0xd800 && unit < 0xdc00) {
		next = json_unit(at + ESCAPE_LEN, len - ESCAPE_LEN);
		if (next >= 0xdc00 && next < 0xe000)
			taken = (size_t)2 * ESCAPE_LEN;
	}
	if (unit == 0 || (unit >= 0xd800 && unit < 0xe000 && taken == ESCAPE_LEN))
		*error = buf_append_str(out, "\\ufffd");
	else
		*error = buf_append(out, at, taken);
	return taken;
}

int mcp_repair(struct buf *out, const char *line, size_t len)
{
	int error = 0;
	for (size_t at = 0; at < len && error == 0;) {
		size_t run = 0, taken = 1;
		while (at + run < len && (unsigned char)line[at + run] >= ' ' &&
		    (unsigned char)line[at + run] < 0x80 && line[at + run] != '\\')
			run++;
		if (run > 0) {
			error = buf_append(out, line + at, run);
			at += run;
			continue;
		}
		if (line[at] == '\\')
			taken = repair_escape(out, line + at, len - at, &error);
		else if (line[at] != '\0' && (unsigned char)line[at] < ' ')
			error = buf_append_byte(out, ' ');
		else if (line[at] != '\0' && utf8_part(line + at, len - at, &taken))
			error = buf_append(out, line + at, taken);
		else
			error = buf_append_str(out, "\xef\xbf\xbd");
		at += taken;
	}
	return error;
}
