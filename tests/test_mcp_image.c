/* SPDX-License-Identifier: ISC */
/* Results with images as content of MCP: their text is whole, or says that it is not. */
#include "daemon/mcp/mcp_image.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static const char rest[] = "Ask for less.";

static const struct {
	const char *result;
	size_t text_max;
	const char *want;
} rows[] = {
    {"{\"text\":\"abcd\",\"images\":[]}", 4, "[{\"type\":\"text\",\"text\":\"abcd\"}]"},
    {"{\"text\":\"abcde\",\"images\":[]}", 4,
	"[{\"type\":\"text\",\"text\":\"abcd\\n[truncated: 4 of 5 bytes of the text. Ask for "
	"less.]\"}]"},
    {"{\"text\":\"ab\xc3\xa9\",\"images\":[]}", 3,
	"[{\"type\":\"text\",\"text\":\"ab\\n[truncated: 2 of 4 bytes of the text. Ask for "
	"less.]\"}]"},
    {"{\"text\":\"\",\"images\":[{\"mime_type\":\"image/png\",\"data\":\"QQ==\"}]}", 4,
	"[{\"type\":\"image\",\"data\":\"QQ==\",\"mimeType\":\"image/png\"}]"},
    {"{\"mime_type\":\"image/png\",\"data\":\"QQ==\"}", 4,
	"[{\"type\":\"image\",\"data\":\"QQ==\",\"mimeType\":\"image/png\"}]"},
};

int main(void)
{
	struct json_reader *reader = json_reader_new(65536);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct json_error error;
		const struct json *result =
		    json_read(reader, rows[i].result, strlen(rows[i].result), &error);
		struct json_writer writer;
		char want[512];
		struct buf out;
		buf_init(&out, 65536);
		json_writer_init(&writer, &out);
		json_object_begin(&writer, NULL);
		mcp_image_write(&writer, result, rows[i].text_max, rest);
		json_object_end(&writer);
		(void)snprintf(want, sizeof want, "{\"content\":%s}", rows[i].want);
		is_str((const char *)out.data, want, "row %zu", i);
		buf_finish(&out);
	}
	json_reader_free(reader);
	return done_testing();
}
