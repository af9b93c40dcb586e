/* SPDX-License-Identifier: ISC */
/* Lines of servers with characters that JSON cannot have, and all their beginnings. */
#include "tools/mcp_repair.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "tap.h"
#include "wire/json.h"

#define R "\xef\xbf\xbd"

#define TEXT(text) text, sizeof text - 1

static const struct {
	const char *line;
	size_t len;
	const char *want;
} rows[] = {
    {TEXT("{\"a\":\"plain \\n \\\" \\\\\"}"), "{\"a\":\"plain \\n \\\" \\\\\"}"},
    {TEXT("{\"a\":\"\xc3\xa9 \xff\xfe \xe2\x82\"}"), "{\"a\":\"\xc3\xa9 " R R " " R "\"}"},
    {TEXT("{\"a\":\"\\u0000\\u0001\"}"), "{\"a\":\"\\ufffd\\u0001\"}"},
    {TEXT("{\"a\":\"\\\\u0000\"}"), "{\"a\":\"\\\\u0000\"}"},
    {TEXT("{\"a\":\"\\ud83d\\ude00\"}"), "{\"a\":\"\\ud83d\\ude00\"}"},
    {TEXT("{\"a\":\"\\ud83d \\uDE00\"}"), "{\"a\":\"\\ufffd \\ufffd\"}"},
    {TEXT("{\"a\":\"\\ud83d\\ud83d\\ude00\"}"), "{\"a\":\"\\ufffd\\ud83d\\ude00\"}"},
    {TEXT("{\"a\":\"\x01\t\0\x1b[31m\"}"), "{\"a\":\"  " R " [31m\"}"},
    {TEXT("\xed\xa0\xbd"), R R R},
};

/* The line in a block of its own length, so that reading past its end is seen. */
static char *repaired(const char *line, size_t len, struct buf *out)
{
	char *copy = mem_alloc(len + (len == 0));
	memcpy(copy, line, len);
	buf_init(out, 3 * len);
	is_int(mcp_repair(out, copy, len), 0, "%zu bytes have room", len);
	mem_free(copy);
	return out->data != NULL ? (char *)out->data : (char *)"";
}

int main(void)
{
	struct json_reader *reader = json_reader_new(1000);
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		struct json_error error;
		struct buf out;
		is_str(repaired(rows[at].line, rows[at].len, &out), rows[at].want, "row %zu", at);
		ok(rows[at].line[0] != '{' ||
			json_read(reader, (char *)out.data, out.len, &error) != NULL,
		    "which is JSON");
		buf_finish(&out);
		for (size_t len = 0; len < rows[at].len; len++) {
			(void)repaired(rows[at].line, len, &out);
			buf_finish(&out);
		}
	}
	json_reader_free(reader);
	return done_testing();
}
