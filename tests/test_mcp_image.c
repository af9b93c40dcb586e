/* SPDX-License-Identifier: ISC */
/* Results with images as content of MCP: their text is whole, or says that it is not. */
#include "daemon/mcp/mcp_text.h"

#include <stdio.h>
#include <string.h>

#include "daemon/server/rest.h"
#include "tap.h"

static const struct {
	const char *result;
	size_t text_max;
	const char *want;
} rows[] = {
    {"{\"text\":\"abcd\",\"images\":[]}", 4, "[{\"type\":\"text\",\"text\":\"abcd\"}]"},
    {"{\"text\":\"abcde\",\"images\":[]}", 4,
	"[{\"type\":\"text\",\"text\":\"abcd\\nTruncated. read_rest "
	"{\\\"id\\\":\\\"ID\\\",\\\"after\\\":4} reads on in "
	"text.\"}]"},
    {"{\"text\":\"ab\xc3\xa9\",\"images\":[]}", 3,
	"[{\"type\":\"text\",\"text\":\"ab\\nTruncated. read_rest "
	"{\\\"id\\\":\\\"ID\\\",\\\"after\\\":2} reads on in "
	"text.\"}]"},
    {"{\"text\":\"\",\"images\":[{\"mime_type\":\"image/png\",\"data\":\"iVBORw0K\"}]}", 4,
	"[{\"type\":\"image\",\"data\":\"iVBORw0K\",\"mimeType\":\"image/png\"}]"},
    {"{\"mime_type\":\"image/png\",\"data\":\"iVBORw0K\"}", 4,
	"[{\"type\":\"image\",\"data\":\"iVBORw0K\",\"mimeType\":\"image/png\"}]"},
    {"{\"mime_type\":\"image/png\",\"data\":\"iVBORw0K\",\"structured\":{\"a\":1}}", 4,
	"[{\"type\":\"text\",\"text\":\"\\nTruncated. read_rest "
	"{\\\"id\\\":\\\"ID\\\",\\\"after\\\":0} reads structured, as JSON.\"},"
	"{\"type\":\"image\",\"data\":\"iVBORw0K\",\"mimeType\":\"image/png\"}]"},
    {"{\"mime_type\":\"image/jpg\",\"data\":\"/9j/\"}", 4,
	"[{\"type\":\"image\",\"data\":\"/9j/\",\"mimeType\":\"image/jpeg\"}]"},
    {"{\"mime_type\":\"image/png\",\"data\":\"iVBORw0K!\"}", 4,
	"[{\"type\":\"text\",\"text\":\"An image is left out: it is no PNG, JPEG, GIF or "
	"WebP.\"}]"},
    {"{\"mime_type\":\"image/svg+xml\",\"data\":\"QQ==\"}", 4,
	"[{\"type\":\"text\",\"text\":\"An image is left out: it is no PNG, JPEG, GIF or "
	"WebP.\"}]"},
};

/* Cases: does "structured" only repeat the text? */
static const struct {
	const char *result;
	bool want;
} repeats[] = {
    {"{\"text\":\"{\\n  \\\"a\\\": [1, 2.50],\\n \\\"b c\\\": \\\"x  \\\\\\\" "
     "y\\\"}\",\"structured\":"
     "{\"a\":[1,2.50],\"b c\":\"x  \\\" y\"}}",
	true},
    {"{\"text\":\"{\\\"a\\\": \\\"x y\\\"}\",\"structured\":{\"a\":\"xy\"}}", false},
    {"{\"text\":\"one\\ntwo\",\"structured\":{\"content\":\"one\\ntwo\"}}", true},
    {"{\"text\":\"one\",\"structured\":{\"content\":\"one\",\"n\":1}}", false},
    {"{\"text\":\"[1, 2]\",\"structured\":{\"result\":[1,2]}}", true},
    {"{\"text\":\"5\",\"structured\":{\"result\":5}}", true},
    {"{\"text\":\"5\",\"structured\":{\"result\":6}}", false},
    {"{\"text\":\"\",\"structured\":{\"a\":1}}", false},
    {"{\"text\":\"\",\"structured\":{}}", false},
    {"{\"text\":\"{\",\"structured\":{\"a\":1}}", false},
    {"{\"text\":7,\"structured\":{\"a\":7}}", false},
    {"{\"structured\":{\"a\":7}}", false},
    {"{\"text\":\"7\",\"structured\":[7]}", false},
    {"{\"text\":\"[ 7 ]\",\"structured\":[7]}", true},
    {"{\"text\":\"7\"}", false},
};

/* Replaces an id, since it is different each time. */
static void hide_id(char *text)
{
	char *id = text != NULL ? strstr(text, "\"id\\\":\\\"R") : NULL;
	if (id == NULL)
		return;
	id += strlen("\"id\\\":\\\"");
	memcpy(id, "ID", 2);
	memmove(id + 2, id + REST_ID_SIZE - 1, strlen(id + REST_ID_SIZE - 1) + 1);
}

int main(void)
{
	struct json_reader *reader = json_reader_new(65536);
	struct rest_set *rests = rest_set_new(4096);
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
		mcp_image_write(&writer, result, rows[i].text_max, rests);
		json_object_end(&writer);
		hide_id((char *)out.data);
		(void)snprintf(want, sizeof want, "{\"content\":%s}", rows[i].want);
		is_str((const char *)out.data, want, "row %zu", i);
		buf_finish(&out);
	}
	for (size_t i = 0; i < sizeof repeats / sizeof *repeats; i++) {
		struct json_error error;
		const struct json *result =
		    json_read(reader, repeats[i].result, strlen(repeats[i].result), &error);
		ok(result != NULL && mcp_text_is_repeated(result) == repeats[i].want, "%s",
		    repeats[i].result);
	}
	rest_set_free(rests);
	json_reader_free(reader);
	return done_testing();
}
