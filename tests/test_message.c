/* SPDX-License-Identifier: ISC */
/* Envelopes, read and written, and the table of errors. */
#include "wire/message.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static struct json_reader *reader;
static struct buf out;
static struct message message;
static char reason[200];

static int read_message(const char *line)
{
	struct json_error error;
	const struct json *value = json_read(reader, line, strlen(line), &error);
	reason[0] = '\0';
	return message_read(value, &message, reason, sizeof reason);
}

/* The id of the message as it will be echoed. */
static const char *echoed_id(void)
{
	struct json_writer writer;
	buf_clear(&out);
	json_writer_init(&writer, &out);
	message_write_id(&writer, message.id);
	return (const char *)out.data;
}

static void test_requests(void)
{
	is_int(
	    read_message("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":1}}"),
	    0, "a request");
	is_str(message.method, "ping", "its method");
	ok(json_member(message.params, "a") != NULL, "its parameters");
	ok(!message.is_notification && !message.is_response, "to be answered");
	is_int(read_message("{\"method\":\"ping\"}"), 0, "the shortest request that one can type");
	ok(!message.is_notification && message.id == NULL && message.params == NULL,
	    "is answered too");
	is_str(echoed_id(), "null", "with a null id");
	is_int(read_message("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}"), 0, "without an id");
	ok(message.is_notification, "is a notification");
	is_int(read_message("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}"), 0,
	    "with a null id");
	ok(!message.is_notification && message.id != NULL, "is a request");
	is_int(read_message("{\"method\":\"ping\",\"params\":null}"), 0, "null parameters");
	ok(message.params == NULL, "are none");
	is_int(read_message("{\"method\":\"ping\",\"extra\":1,\"_meta\":{}}"), 0, "other members");
	is_int(read_message("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"), 0, "a response");
	ok(message.is_response && message.method == NULL, "is known as one");
	is_int(read_message("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}"), 0, "an error");
	ok(message.is_response, "is one too");
	is_int(read_message("{\"id\":1,\"method\":\"x\",\"result\":1}"), 0, "with a method");
	ok(!message.is_response, "it is a request");
}

static void test_ids(void)
{
	struct buf longer, huge;
	static const struct {
		const char *id, *echo;
	} cases[] = {{"1", "1"}, {"-7", "-7"}, {"1.50", "1.50"}, {"1e2", "1e2"},
	    {"123456789012345678901234567890", "123456789012345678901234567890"}, {"\"\"", "\"\""},
	    {"\"a\\\"b\"", "\"a\\\"b\""}, {"\"\\u0041\"", "\"A\""}, {"\"\\u001b\"", "\"\\u001b\""},
	    {"null", "null"}};
	char line[200];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		(void)snprintf(line, sizeof line, "{\"id\":%s,\"method\":\"x\"}", cases[i].id);
		is_int(read_message(line), 0, "id %s", cases[i].id);
		is_str(echoed_id(), cases[i].echo, "is echoed");
	}
	buf_init(&huge, 100000);
	(void)buf_append_str(&huge, "{\"method\":\"x\",\"id\":\"");
	for (int i = 0; i < MESSAGE_ID_MAX; i++)
		(void)buf_append_byte(&huge, 'i');
	buf_init(&longer, 100000);
	(void)buf_printf(&longer, "%si\"}", (char *)huge.data);
	(void)buf_append_str(&huge, "\"}");
	is_int(read_message((char *)huge.data), 0, "the longest id");
	is_int(read_message((char *)longer.data), -1, "one byte more");
	ok(strstr(reason, "1024") && message.id == NULL, "is refused: %s", reason);
	buf_finish(&huge);
	buf_finish(&longer);
}

static void test_refusals(void)
{
	struct json_error error;
	char tiny[5];
	const struct json *value;
	static const struct {
		const char *line, *reason, *id;
	} cases[] = {
	    {"[]", "a batch", "null"},
	    {"[{\"id\":1,\"method\":\"x\"}]", "a batch", "null"},
	    {"1", "is an object, not a number", "null"},
	    {"\"x\"", "is an object, not a string", "null"},
	    {"null", "is an object, not null", "null"},
	    {"{}", "method is missing", "null"},
	    {"{\"id\":3}", "method is missing", "3"},
	    {"{\"id\":3,\"method\":7}", "method must be a string", "3"},
	    {"{\"id\":3,\"method\":null}", "method must be a string", "3"},
	    {"{\"jsonrpc\":\"1.0\",\"id\":3,\"method\":\"x\"}", "jsonrpc must be", "3"},
	    {"{\"jsonrpc\":2.0,\"id\":3,\"method\":\"x\"}", "jsonrpc must be", "3"},
	    {"{\"jsonrpc\":null,\"id\":3,\"method\":\"x\"}", "jsonrpc must be", "3"},
	    {"{\"id\":[],\"method\":\"x\"}", "id must be", "null"},
	    {"{\"id\":{},\"method\":\"x\"}", "id must be", "null"},
	    {"{\"id\":true,\"method\":\"x\"}", "id must be", "null"},
	    {"{\"id\":3,\"method\":\"x\",\"within\":7}", "within must be a string", "3"},
	    {"{\"id\":3,\"method\":\"x\",\"within\":[\"c1\"]}", "within must be a string", "3"},
	    {"{\"id\":3,\"method\":\"x\",\"within\":false}", "within must be a string", "3"},
	    {"{\"id\":\"a\",\"method\":\"x\",\"params\":[]}", "params must be an object", "\"a\""},
	    {"{\"id\":\"a\",\"method\":\"x\",\"params\":[1]}", "params must be an object", "\"a\""},
	    {"{\"id\":\"a\",\"method\":\"x\",\"params\":\"p\"}", "params must be an object",
		"\"a\""},
	    {"{\"id\":\"a\",\"method\":\"x\",\"params\":false}", "params must be an object",
		"\"a\""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		is_int(read_message(cases[i].line), -1, "%s", cases[i].line);
		ok(strstr(reason, cases[i].reason), "is refused: %s", reason);
		is_str(echoed_id(), cases[i].id, "with the id that could be read");
	}
	value = json_read(reader, "{}", 2, &error);
	is_int(message_read(value, &message, tiny, sizeof tiny), -1, "a reason cut short");
	is_str(tiny, "meth", "ends where its memory does");
}

static void test_writing(void)
{
	struct json_writer writer;
	buf_clear(&out);
	json_writer_init(&writer, &out);
	message_begin_result(&writer, "\"a\"");
	message_end_result(&writer);
	message_begin_result(&writer, "7");
	json_put_str(&writer, "pane", "%3");
	json_put_int(&writer, "n", 1);
	message_end_result(&writer);
	message_write_error(&writer, "null", MESSAGE_PARSE, "no\nJSON", NULL);
	message_write_error(&writer, "7", MESSAGE_NO_SUCH_PANE, "no pane %9", "\"pane\":\"%9\"");
	is_str((char *)out.data,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"pane\":\"%3\",\"n\":1}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\\nJSON\","
	    "\"data\":{\"kind\":\"parse_error\"}}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":1,\"message\":\"no pane %9\","
	    "\"data\":{\"kind\":\"no_such_pane\",\"pane\":\"%9\"}}}\n",
	    "answers, one a line");
}

static void test_table(void)
{
	size_t wrong = 0;
	for (int i = 0; i < MESSAGE_ERROR_COUNT_; i++) {
		const struct message_error_info *info = message_error_info((enum message_error)i);
		bool is_mcp;
		wrong += info->kind == NULL || info->help == NULL ||
		    info->help[strlen(info->help) - 1] != '.';
		/* -32000 to -32099 are MCP's, and only the codes that MCP has defined are ours */
		is_mcp = i == MESSAGE_PROTOCOL_VERSION || i == MESSAGE_RESOURCE;
		wrong += is_mcp != (info->code <= -32000 && info->code >= -32099);
		wrong += info->code < 1 && !is_mcp && (info->code < -32700 || info->code > -32600);
		for (int j = 0; j < i; j++) {
			const struct message_error_info *other =
			    message_error_info((enum message_error)j);
			wrong += info->code == other->code || strcmp(info->kind, other->kind) == 0;
		}
	}
	is_int(wrong, 0, "each kind of error has its own code and name, and help");
	is_int(message_error_info(MESSAGE_PARAMS)->code, -32602, "JSON-RPC's codes");
	is_int(message_error_info(MESSAGE_NO_SUCH_PANE)->code, 1, "and our first");
	is_int(message_error_info(MESSAGE_GONE)->code, 18, "and last");
}

int main(void)
{
	reader = json_reader_new(100000);
	buf_init(&out, 100000);
	test_requests();
	test_ids();
	test_refusals();
	test_writing();
	test_table();
	buf_finish(&out);
	json_reader_free(reader);
	return done_testing();
}
