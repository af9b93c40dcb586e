/* SPDX-License-Identifier: ISC */
/* Arguments of declared tools: what the program gets of what a caller sent. */

#include <string.h>

#include "base/xalloc.h"
#include "daemon/server/method.h"
#include "daemon/tool/declaration.h"
#include "tap.h"

static const char text[] =
    "{\"name\":\"t\",\"group\":\"g\",\"description\":\"d\",\"run\":[\"true\"],\"parameters\":{"
    "\"type\":\"object\",\"properties\":{"
    "\"path\":{\"type\":\"string\",\"also\":[\"file_path\",\"file\"]},\"count\":{\"type\":"
    "\"integer\",\"minimum\":1,\"default\":2},"
    "\"share\":{\"type\":\"number\"},\"dry\":{\"type\":\"boolean\"},"
    "\"how\":{\"type\":\"string\",\"enum\":[\"one\",\"all\"],\"default\":\"all\"},"
    "\"words\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"numbers\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},"
    "\"files\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"}},"
    "\"any\":{\"type\":\"array\"},\"more\":{\"type\":\"object\"}}}}";

static const struct {
	const char *params;
	const char *want; /* the object, or the error */
} rows[] = {
    {"{}", "{\"count\":2,\"how\":\"all\"}"},
    {"{\"wait\":false,\"pane\":\"%1\",\"path\":\"a\\\"\\n\"}",
	"{\"path\":\"a\\\"\\n\",\"count\":2,\"how\":\"all\"}"},
    {"{\"file_path\":\"b\"}", "{\"path\":\"b\",\"count\":2,\"how\":\"all\"} file_path"},
    {"{\"path\":\"a\",\"file\":\"b\"}", "file: is given twice, by two names of \"path\""},
    {"{\"files\":\"a\"}", "{\"count\":2,\"how\":\"all\",\"files\":[\"a\"]}"},
    {"{\"files\":[\"a\",\"b\"]}", "{\"count\":2,\"how\":\"all\",\"files\":[\"a\",\"b\"]}"},
    {"{\"files\":[]}", "files: must not be empty"},
    {"{\"files\":1}", "files: must be a string or an array of strings, not a number"},
    {"{\"path\":\"\"}", "{\"path\":\"\",\"count\":2,\"how\":\"all\"}"},
    {"{\"count\":9,\"share\":0.5,\"dry\":false,\"how\":\"one\"}",
	"{\"count\":9,\"share\":0.5,\"dry\":false,\"how\":\"one\"}"},
    {"{\"words\":[\"a\",\"\"],\"numbers\":[1,-2],\"any\":[1,\"a\",null],\"more\":{\"a\":{}}}",
	"{\"count\":2,\"how\":\"all\",\"words\":[\"a\",\"\"],\"numbers\":[1,-2],"
	"\"any\":[1,\"a\",null],\"more\":{\"a\":{}}}"},
    {"{\"words\":[]}", "{\"count\":2,\"how\":\"all\",\"words\":[]}"},
    {"{\"path\":null,\"more\":null}", "{\"count\":2,\"how\":\"all\"}"},
    {"{\"words\":[\"a\",1]}", "words: element 1 must be a string, not a number"},
    {"{\"numbers\":[1.5]}", "numbers: element 0 must be of type integer, not a number"},
    {"{\"more\":[]}", "more: must be an object, not an array"},
    {"{\"any\":\"a\"}", "any: must be an array, not a string"},
    {"{\"count\":0}", "count: must be at least 1, not 0"},
    {"{\"paths\":1}", "paths: there is no such parameter; did you mean \"path\"?"},
};

static void check(const struct declaration *declaration, const char *params, const char *want)
{
	struct json_reader *reader = json_reader_new(4096);
	char args[METHOD_ARGS_MAX] __attribute__((aligned(16)));
	struct field_error error = {0};
	struct json_error json_error;
	struct buf scratch, out, spelled;
	bool is_good;
	buf_init(&spelled, 256);
	buf_init(&scratch, 65536);
	buf_init(&out, TOOL_ARGUMENTS_MAX);
	is_good =
	    field_read(declaration->fields, json_read(reader, params, strlen(params), &json_error),
		args, declaration->args_size, &scratch, &error) == 0 &&
	    tool_arguments_write(&out, declaration, args, &error);
	tool_arguments_write_spelled(&spelled, declaration, args);
	if (is_good && spelled.len > 0)
		(void)buf_printf(&out, " %s", buf_text(&spelled));
	is_str(is_good ? (const char *)out.data : error.text, want, "%s", params);
	buf_finish(&scratch);
	buf_finish(&out);
	buf_finish(&spelled);
	json_reader_free(reader);
}

/* More than a call may send is an error, not a cut object. */
static void test_size(const struct declaration *declaration)
{
	char args[METHOD_ARGS_MAX] __attribute__((aligned(16))) = {0};
	const struct field *field = declaration->fields;
	char *large = xalloc(TOOL_ARGUMENTS_MAX + 1);
	struct field_error error = {0};
	struct buf out;
	memset(large, 'a', TOOL_ARGUMENTS_MAX);
	large[TOOL_ARGUMENTS_MAX] = '\0';
	for (; field->name != NULL; field++) {
		if (field->type == FIELD_CHOICE)
			*(int *)(void *)(args + field->offset) = 0;
		if (strcmp(field->name, "path") != 0)
			continue;
		*(const char **)(void *)(args + field->offset) = large;
		args[field->given_offset] = true;
	}
	buf_init(&out, TOOL_ARGUMENTS_MAX);
	ok(!tool_arguments_write(&out, declaration, args, &error) &&
		strstr(error.text, "more than 1048576 bytes") != NULL,
	    "%s", error.text);
	buf_finish(&out);
	mem_free(large);
}

int main(void)
{
	struct json_reader *reader = json_reader_new(DECLARATION_BYTES_MAX);
	char reason[DECLARATION_REASON_SIZE] = "";
	struct declaration *declaration = declaration_read(reader, text, strlen(text), reason);
	if (ok(declaration != NULL, "the declaration: %s", reason)) {
		ok(declaration->args_size <= METHOD_ARGS_MAX, "its arguments have room");
		for (size_t at = 0; at < sizeof rows / sizeof *rows; at++)
			check(declaration, rows[at].params, rows[at].want);
		test_size(declaration);
	}
	declaration_free(declaration);
	json_reader_free(reader);
	return done_testing();
}
