/* SPDX-License-Identifier: ISC */
/* Declarations of tools: what is read from a good one, and the sentence about each bad one. */
#include "daemon/tool/declaration.h"

#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/methods/tables.h"
#include "tap.h"
#include "wire/redaction.h"

static struct declaration *read_text(const char *text, size_t len, char *ret_reason)
{
	struct json_reader *reader = json_reader_new(DECLARATION_BYTES_MAX);
	struct declaration *declaration;
	ret_reason[0] = '\0';
	declaration = declaration_read(reader, text, len, ret_reason);
	json_reader_free(reader);
	return declaration;
}

static const char whole[] =
    "{\n\t\"name\": \"str_replace\", \"group\": \"files\", \"title\": \"Replace text\",\n"
    "\t\"description\": \"Replaces a text in a file.\",\n"
    "\t\"parameters\": {\"type\": \"object\", \"properties\": {\n"
    "\t\t\"path\": {\"type\": \"string\", \"minLength\": 1, \"description\": \"The file.\"},\n"
    "\t\t\"count\": {\"type\": \"integer\", \"minimum\": 0, \"default\": 1},\n"
    "\t\t\"share\": {\"type\": \"number\", \"maximum\": 1},\n"
    "\t\t\"how\": {\"type\": \"string\", \"enum\": [\"all\", \"one\"], \"default\": \"one\"},\n"
    "\t\t\"dry\": {\"type\": \"boolean\"},\n"
    "\t\t\"lines\": {\"type\": \"array\", \"items\": {\"type\": \"integer\"}},\n"
    "\t\t\"more\": {\"type\": \"object\"}},\n"
    "\t\t\"required\": [\"path\"], \"additionalProperties\": false},\n"
    "\t\"run\": [\"./str_replace\", \"-v\"], \"answer\": \"json\", \"timeout_sec\": 5,\n"
    "\t\"read_only\": true, \"programs\": [\"patch\", [\"ast-grep\", \"sg\"]],\n"
    "\t\"result\": {\"type\": \"object\", \"properties\": {\"diff\": {\"type\": \"string\"}}}\n}\n";

static const struct field *row(const struct declaration *declaration, const char *name)
{
	const struct field *field = declaration->fields;
	while (field->name != NULL && strcmp(field->name, name) != 0)
		field++;
	return field;
}

static void test_run(void)
{
	char reason[DECLARATION_REASON_SIZE];
	struct declaration *got = read_text(whole, strlen(whole), reason);
	if (!ok(got != NULL, "a declaration of a program is read: %s", reason))
		return;
	is_str(got->name, "str_replace", "its name");
	is_str(got->group, "files", "its group");
	is_str(got->run[0], "./str_replace", "its program");
	is_str(got->run[1], "-v", "the word behind it");
	ok(got->run[2] == NULL, "no more words");
	is_int(got->answer, DECLARATION_JSON, "its answer");
	is_int(got->timeout_ms, 5000, "its time");
	ok(got->is_read_only, "it only reads");
	is_str(got->programs[1][1], "sg", "an alternative of a program");
	is_str(got->results[0].name, "diff", "a member of its result");
	is_str(got->fields[0].name, "path", "its own parameters come first, as in the file");
	ok(row(got, "path")->flags & FIELD_REQUIRED, "a required parameter");
	is_int(row(got, "how")->type, FIELD_CHOICE, "an enum is a choice");
	is_str(row(got, "how")->preset, "\"one\"", "the default of a string");
	is_str(row(got, "count")->preset, "1", "the default of a number");
	ok(row(got, "share")->max == 1, "a maximum without a minimum");
	is_str(got->shapes[row(got, "lines") - got->fields].item, "integer", "elements");
	declaration_free(got);
}

/* Records of calls have the size only of what a declaration does not call plain. */
static void test_record(void)
{
	static const char declared[] =
	    "{\"name\":\"t\",\"group\":\"g\",\"description\":\"d\",\"run\":[\"true\"],"
	    "\"parameters\":{\"type\":\"object\",\"properties\":{"
	    "\"path\":{\"type\":\"string\",\"plain\":true},\"text\":{\"type\":\"string\"},"
	    "\"words\":{\"type\":\"array\"},\"count\":{\"type\":\"integer\"}}}}";
	static const char params[] =
	    "{\"path\":\"/etc\",\"text\":\"hunter2\",\"words\":[\"hunter2\"],\"count\":7}";
	struct json_reader *reader = json_reader_new(4096);
	char reason[DECLARATION_REASON_SIZE];
	struct declaration *got = read_text(declared, strlen(declared), reason);
	struct json_writer writer;
	struct json_error error;
	struct buf out;
	buf_init(&out, 4096);
	json_writer_init(&writer, &out);
	ok(got != NULL &&
		redaction_write(
		    &writer, got->fields, json_read(reader, params, strlen(params), &error)),
	    "a record of a call hides something: %s", reason);
	is_str((const char *)out.data,
	    "{\"path\":\"/etc\",\"text\":\"(7 bytes)\",\"words\":\"(1 values)\",\"count\":7}",
	    "the texts that are not plain");
	buf_finish(&out);
	declaration_free(got);
	json_reader_free(reader);
}

static const char server[] =
    "{\"name\":\"navigate\",\"group\":\"browser\",\"description\":\"Opens a page.\","
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"address\":{\"type\":\"string\"}}},"
    "\"server\":{\"name\":\"browser\",\"command\":[\"npx\",\"mcp\"],\"per\":\"daemon\","
    "\"idle_sec\":60},\"tool\":\"browser_navigate\",\"arguments\":{\"url\":\"address\"}}";

static void test_server(void)
{
	char reason[DECLARATION_REASON_SIZE];
	struct declaration *got = read_text(server, strlen(server), reason);
	if (!ok(got != NULL, "a declaration of a server's tool is read: %s", reason))
		return;
	ok(got->run == NULL, "it runs no program");
	is_str(got->server.name, "browser", "the name of the server");
	is_str(got->server.command[1], "mcp", "its command");
	ok(got->server.is_per_daemon, "one for the daemon");
	is_int(got->server.idle_ms, 60000, "its idle time");
	is_str(got->server.tool, "browser_navigate", "the tool there");
	is_str(got->server.renames[0].theirs, "url", "their parameter");
	is_str(got->server.renames[0].ours, "address", "our parameter");
	declaration_free(got);
}

#define HEAD "{\"name\":\"t\",\"group\":\"g\",\"description\":\"d\","
#define RUN HEAD "\"run\":[\"true\"]"
#define WITH(properties) \
	RUN ",\"parameters\":{\"type\":\"object\",\"properties\":{" properties "}}}"

static const struct {
	const char *text;
	const char *reason; /* part of it; NULL: the declaration is good */
} rows[] = {
    {RUN "}", NULL},
    {"", "not a JSON object"},
    {"#!/bin/sh\n", "not a JSON object"},
    {"[]", "not a JSON object: an array"},
    {"{\"group\":\"g\",\"description\":\"d\",\"run\":[\"true\"]}", "name: is required"},
    {HEAD "\"run\":[]}", "run: must not be empty"},
    {HEAD "\"title\":\"x\"}", "run: is required, or server"},
    {RUN ",\"server\":{}}", "run: must be left out beside server"},
    {RUN ",\"tool\":\"x\"}", "tool: is for tools of a server"},
    {RUN ",\"timeout_secs\":3}", "did you mean \"timeout_sec\"?"},
    {RUN ",\"timeout_sec\":3601}", "timeout_sec: must be 1 to 3600 s, not 3601"},
    {RUN ",\"answer\":\"xml\"}", "answer: must be \"text\""},
    {RUN ",\"answer\":\"image/*\"}", NULL},
    {RUN ",\"programs\":\"patch\"}", "programs: must be an array"},
    {RUN ",\"programs\":[[]]}", "programs: each must be"},
    {"{\"name\":\"list_panes\",\"group\":\"g\",\"description\":\"d\",\"run\":[\"true\"]}",
	"name: \"list_panes\" is a method of muxbusd"},
    {"{\"name\":\"A\",\"group\":\"g\",\"description\":\"d\",\"run\":[\"true\"]}", "name: must be"},
    {"{\"name\":\"a-b\",\"group\":\"g\",\"description\":\"d\",\"run\":[\"true\"]}",
	"name: must be"},
    {"{\"name\":\"a\",\"group\":\"all\",\"description\":\"d\",\"run\":[\"true\"]}",
	"group: \"all\""},
    {HEAD "\"run\":[\"../evil\"]}", "run: the program must be"},
    {HEAD "\"run\":[\"./a/b\"]}", "run: the program must be"},
    {HEAD "\"run\":[\"\"]}", "run: the program must be"},
    {HEAD "\"server\":{\"name\":\"s\"}}", "server.command: is required"},
    {HEAD "\"server\":{\"name\":\"s\",\"command\":[\"x\"],\"env\":[\"DISPLAY\"]}}", NULL},
    {HEAD "\"server\":{\"name\":\"s\",\"command\":[\"x\"],\"env\":[\"A=\"]}}",
	"server.env: must be names of variables"},
    {HEAD "\"server\":{\"name\":\"s\",\"command\":[\"c\"],\"per\":\"user\"}}",
	"server.per: must be one of \"daemon\", \"pane\""},
    {HEAD "\"server\":{\"name\":\"s\",\"command\":[\"c\"]},\"arguments\":{\"a\":\"b\"}}",
	"arguments.a: there is no parameter \"b\""},
    {RUN ",\"parameters\":{\"type\":\"array\"}}", "parameters.type: must be one of \"object\""},
    {RUN ",\"parameters\":{\"type\":\"object\",\"oneOf\":[]}}", "parameters.oneOf"},
    {RUN ",\"parameters\":{\"type\":\"object\",\"required\":[\"x\"]}}",
	"parameters.required: there is no parameter \"x\""},
    {RUN ",\"parameters\":{\"type\":\"object\",\"additionalProperties\":true}}",
	"parameters.additionalProperties: must be false"},
    {WITH("\"wait\":{\"type\":\"boolean\"}"), "properties.wait: every tool has"},
    {WITH("\"a b\":{\"type\":\"string\"}"), "the name of a parameter"},
    {WITH("\"a\":{}"), "parameters.properties.a.type: is required"},
    {WITH("\"a\":{\"type\":\"null\"}"), "parameters.properties.a.type: must be one of"},
    {WITH("\"a\":{\"type\":[\"string\",\"integer\"]}"),
	"parameters.properties.a.type: must be one of"},
    {WITH("\"a\":{\"type\":[\"string\",\"array\"],\"default\":\"x\"}"), "cannot have one"},
    {WITH("\"a\":{\"type\":\"string\",\"also\":[\"a\"]}"), "a.also: \"a\" stands twice"},
    {WITH("\"a\":{\"type\":\"string\",\"also\":[\"a-b\"]}"), "a.also: must be a letter"},
    {WITH("\"a\":{\"type\":\"string\",\"also\":[\"pane\"]}"),
	"\"pane\" stands twice, once in also"},
    {WITH("\"a\":{\"type\":\"string\",\"also\":[\"b\"]},\"b\":{\"type\":\"string\"}"),
	"\"b\" stands twice, once in also"},
    {WITH("\"a\":{\"type\":\"string\",\"also\":[\"b\",\"c\",\"d\",\"e\",\"f\"]}"),
	"a.also: must have 0 to 4 elements"},
    {RUN ",\"parameters\":{\"type\":\"object\",\"required\":[\"b\"],\"properties\":{"
	 "\"a\":{\"type\":\"string\",\"also\":[\"b\"]}}}}",
	"parameters.required: there is no parameter \"b\""},
    {RUN ",\"also\":[\"B\"]}", "also: must be a small letter"},
    {WITH("\"a\":{\"type\":\"string\",\"pattern\":\"x\"}"), "parameters.properties.a.pattern"},
    {WITH("\"a\":{\"type\":\"string\",\"minimum\":1}"), "are for numbers"},
    {WITH("\"a\":{\"type\":\"integer\",\"minLength\":1}"), "are for strings"},
    {WITH("\"a\":{\"type\":\"integer\",\"minimum\":2,\"maximum\":1}"), "must be below"},
    {WITH("\"a\":{\"type\":\"integer\",\"minimum\":2,\"default\":1}"),
	"a.default: not valid for a: must be at least 2, not 1"},
    {WITH("\"a\":{\"type\":\"string\",\"default\":\"\\\"\"}"), "must be plain ASCII"},
    {WITH("\"a\":{\"type\":\"string\",\"enum\":[\"x\"],\"default\":\"y\"}"),
	"a.default: not valid"},
    {WITH("\"a\":{\"type\":\"integer\",\"enum\":[\"1\"]}"), "a.enum: is for strings"},
    {WITH("\"a\":{\"type\":\"array\",\"default\":[]}"), "arrays and objects cannot have one"},
    {WITH("\"a\":{\"type\":\"string\",\"items\":{\"type\":\"string\"}}"), "a.items: is for arrays"},
    {WITH("\"a\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{}}}"),
	"a.items.items"},
    {WITH("\"a\":7"), "parameters.properties.a: must be an object, not a number"},
};

static void test_rows(void)
{
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		char reason[DECLARATION_REASON_SIZE];
		struct declaration *got = read_text(rows[at].text, strlen(rows[at].text), reason);
		if (rows[at].reason == NULL)
			ok(got != NULL, "good: %s: %s", rows[at].text, reason);
		else
			ok(got == NULL && strstr(reason, rows[at].reason) != NULL, "%s: %s (%s)",
			    rows[at].text, reason, rows[at].reason);
		declaration_free(got);
	}
}

/*
 * Reads a tool with so many parameters, of which each of the first ones has so many spellings.
 * Returns 1 if it is read, 0 if it is refused for its spellings, else -1.
 */
static int read_spelled(unsigned parameters, unsigned spelled, unsigned spellings)
{
	char reason[DECLARATION_REASON_SIZE];
	struct declaration *got;
	struct buf text;
	int result;
	buf_init(&text, DECLARATION_BYTES_MAX);
	(void)buf_append_str(&text,
	    RUN ",\"parameters\":{"
		"\"type\":\"object\",\"properties\":{");
	for (unsigned at = 0; at < parameters; at++) {
		(void)buf_printf(
		    &text, "%s\"p%u\":{\"type\":\"string\",\"also\":[", at > 0 ? "," : "", at);
		for (unsigned of = 0; at < spelled && of < spellings; of++)
			(void)buf_printf(&text, "%s\"p%u_%u\"", of > 0 ? "," : "", at, of);
		(void)buf_append_str(&text, "]}");
	}
	(void)buf_append_str(&text, "}}}");
	got = read_text(buf_text(&text), text.len, reason);
	result = got != NULL ? 1 : strstr(reason, "more than 24 such names") != NULL ? 0 : -1;
	declaration_free(got);
	buf_finish(&text);
	return result;
}

static void test_spellings(void)
{
	int wrong = 0;
	is_int(read_spelled(32, 6, 4), 1, "as many parameters and spellings as there may be");
	is_int(read_spelled(32, 7, 4), 0,
	    "more spellings are refused, also before the last parameters");
	is_int(read_spelled(7, 7, 4), 0, "and with few parameters");
	is_int(read_spelled(32, 11, 4), 0, "and however many");
	for (unsigned parameters = 0; parameters <= 32; parameters++)
		for (unsigned spelled = 0; spelled <= parameters; spelled++)
			for (unsigned spellings = 0; spellings <= 4; spellings++)
				wrong += read_spelled(parameters, spelled, spellings) !=
				    (spelled * spellings <= 24);
	is_int(wrong, 0, "whatever the numbers, only that of all spellings counts");
}

/* A text that ends early, or has one byte changed, is refused or read, and never worse. */
static void test_damage(const char *text)
{
	size_t len = strlen(text), refused = 0;
	char reason[DECLARATION_REASON_SIZE];
	for (size_t at = 0; at < len - 2; at++) {
		struct declaration *got = read_text(text, at, reason);
		refused += got == NULL && reason[0] != '\0';
		declaration_free(got);
	}
	is_int((long long)refused, (long long)len - 2, "every text that ends early is refused");
	refused = 0;
	for (size_t at = 0; at < len; at++) {
		char *copy = xstrdup(text);
		struct declaration *got;
		copy[at] = "\"{0]x"[at % 5];
		got = read_text(copy, len, reason);
		refused += got == NULL && reason[0] == '\0';
		declaration_free(got);
		mem_free(copy);
	}
	is_int((long long)refused, 0, "no text with a changed byte is refused without a reason");
}

static void test_bounds(void)
{
	struct buf text;
	char reason[DECLARATION_REASON_SIZE];
	struct declaration *got;
	buf_init(&text, 4 * DECLARATION_BYTES_MAX);
	(void)buf_append_str(&text, RUN ",\"parameters\":{\"type\":\"object\",\"properties\":{");
	for (unsigned at = 0; at <= DECLARATION_PARAMETERS_MAX; at++)
		(void)buf_printf(&text, "%s\"p%u\":{\"type\":\"object\"}", at > 0 ? "," : "", at);
	(void)buf_append_str(&text, "}}}");
	got = read_text((const char *)text.data, text.len, reason);
	ok(got == NULL && strstr(reason, "has 33 parameters, more than 32") != NULL, "%s", reason);
	while (text.len <= DECLARATION_BYTES_MAX)
		(void)buf_append_str(&text, "                                ");
	got = read_text((const char *)text.data, text.len, reason);
	ok(got == NULL && strstr(reason, "more than 65536 bytes") != NULL, "%s", reason);
	buf_finish(&text);
}

int main(void)
{
	tables_register();
	test_run();
	test_record();
	test_server();
	test_rows();
	test_spellings();
	test_damage(whole);
	test_damage(server);
	test_bounds();
	return done_testing();
}
