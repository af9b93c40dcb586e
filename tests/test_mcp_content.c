/* SPDX-License-Identifier: ISC */
/* Results of tools/call as members of a result, whatever a server sends. */
#include "tools/mcp_content.h"

#include <string.h>

#include "base/buf.h"
#include "tap.h"

static const struct {
	const char *result;
	const char *want; /* the object, or the failure */
} rows[] = {
    {"{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}",
	"{\"text\":\"a\\nb\"}"},
    {"{\"content\":[]}", "{\"text\":\"\"}"},
    {"{}", "{\"text\":\"\"}"},
    {"{\"content\":\"x\"}", "{\"text\":\"\"}"},
    {"{\"content\":[1,null,{},{\"type\":\"text\"},{\"type\":\"text\",\"text\":7}]}",
	"{\"text\":\"\"}"},
    {"{\"content\":[{\"type\":\"image\",\"data\":\"QQ==\",\"mimeType\":\"image/png\"},"
     "{\"type\":\"image\",\"data\":\"QQ==\"}]}",
	"{\"text\":\"\",\"images\":[{\"mime_type\":\"image/png\",\"data\":\"QQ==\"}]}"},
    {"{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"text\":\"in it\"}}]}",
	"{\"text\":\"in it\"}"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"resource_link\",\"uri\":"
     "\"a:b\",\"name\":\"n\",\"mimeType\":\"text/plain\",\"description\":\"d\"}]}",
	"{\"text\":\"see\\n[resource_link: n, a:b, text/plain, d]\"}"},
    {"{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"mimeType\":"
     "\"application/gzip\",\"blob\":\"QUI=\"}},{\"type\":\"text\",\"text\":\"end\"}]}",
	"{\"text\":\"[resource: a:b, application/gzip, left out: 2 bytes]\\nend\"}"},
    {"{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"QUJD\"}]}",
	"{\"text\":\"[audio: audio/wav, left out: 3 bytes]\"}"},
    {"{\"content\":[{\"type\":\"later\",\"data\":5},{\"type\":\"resource\",\"resource\":7},"
     "{\"type\":\"audio\",\"data\":\"=\"}]}",
	"{\"text\":\"[later]\\n[resource]\\n[audio, left out: 0 bytes]\"}"},
    {"{\"content\":[],\"structuredContent\":{\"a\":1}}",
	"{\"text\":\"\",\"structured\":{\"a\":1}}"},
    {"{\"content\":[],\"structuredContent\":{\"a\":1},\"_meta\":{\"muxbus/result\":true}}",
	"{\"a\":1}"},
    {"{\"content\":[],\"structuredContent\":[1],\"_meta\":{\"muxbus/result\":true}}",
	"{\"text\":\"\",\"structured\":[1]}"},
    {"{\"content\":[],\"structuredContent\":null}", "{\"text\":\"\"}"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"no such page\"}],\"isError\":true}",
	"no such page"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"structuredContent\":{\"a\":1},"
     "\"isError\":true}",
	"no\n{\"a\":1}"},
    {"{\"content\":[],\"structuredContent\":{\"a\":1},\"isError\":true}", "{\"a\":1}"},
    {"{\"isError\":true}", "its server gives no reason"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"fine\"}],\"isError\":\"true\"}",
	"{\"text\":\"fine\"}"},
};

int main(void)
{
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		struct json_reader *reader = json_reader_new(4096);
		char failure[MCP_CONTENT_ERROR_SIZE] = "";
		struct json_error error;
		struct json_writer writer;
		struct buf out;
		bool is_good;
		buf_init(&out, 4096);
		json_writer_init(&writer, &out);
		json_object_begin(&writer, NULL);
		is_good = mcp_content_write(&writer,
		    json_read(reader, rows[at].result, strlen(rows[at].result), &error), failure);
		json_object_end(&writer);
		is_str(is_good ? (const char *)out.data : failure, rows[at].want, "%s",
		    rows[at].result);
		buf_finish(&out);
		json_reader_free(reader);
	}
	return done_testing();
}
