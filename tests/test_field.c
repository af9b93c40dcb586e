/* SPDX-License-Identifier: ISC */
/* Typed fields: each way to be right or wrong, and the schemas of a table. */
#include "wire/field.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

struct args {
	const char *pane;
	const char *mode;
	int64_t columns;
	bool has_columns;
	double timeout_sec;
	double seconds;
	bool focus;
	int direction;
	int side;
	struct field_strings keys;
	struct field_strings argv;
	const struct json *env;
	const struct json *data;
	const char *path;
};

#define AT(member) offsetof(struct args, member)

static const char *const directions[] = {"vertical", "horizontal", NULL};
static const char *const sides[] = {"left", "right", NULL};

static const struct field fields[] = {
    {.name = "pane",
	.type = FIELD_STRING,
	.flags = FIELD_REQUIRED,
	.offset = AT(pane),
	.min = 1,
	.max = 10,
	.help = "The pane."},
    {.name = "pane_id", .flags = FIELD_ALIAS},
    {.name = "columns",
	.type = FIELD_INT,
	.offset = AT(columns),
	.given_offset = AT(has_columns),
	.unit = "cells",
	.min = 1,
	.max = 10000,
	.preset = "80",
	.help = "How wide it is to be."},
    {.name = "timeout_sec",
	.type = FIELD_NUMBER,
	.offset = AT(timeout_sec),
	.unit = "s",
	.max = 86400,
	.preset = "30.5",
	.help = "How long to wait."},
    {.name = "seconds",
	.type = FIELD_NUMBER,
	.offset = AT(seconds),
	.min = 3600,
	.help = "How far."},
    {.name = "focus",
	.type = FIELD_BOOL,
	.offset = AT(focus),
	.preset = "true",
	.help = "Go there."},
    {.name = "direction",
	.type = FIELD_CHOICE,
	.offset = AT(direction),
	.choices = directions,
	.preset = "\"horizontal\"",
	.help = "Which way."},
    {.name = "side", .type = FIELD_CHOICE, .offset = AT(side), .choices = sides, .help = "Where."},
    {.name = "keys", .type = FIELD_KEYS, .offset = AT(keys), .min = 1, .max = 3, .help = "What."},
    {.name = "argv", .type = FIELD_STRINGS, .offset = AT(argv), .help = "A command."},
    {.name = "env", .type = FIELD_STRING_MAP, .offset = AT(env), .help = "Variables."},
    {.name = "data", .type = FIELD_VALUE, .offset = AT(data), .help = "Anything."},
    {.name = "mode",
	.type = FIELD_STRING,
	.offset = AT(mode),
	.preset = "\"normal\"",
	.help = "A word of \\mine\"."},
    {.name = "path",
	.type = FIELD_STRING,
	.flags = FIELD_PATH,
	.offset = AT(path),
	.min = 2,
	.max = 20,
	.help = "A file."},
    {.name = NULL},
};

static struct json_reader *reader;
static struct buf scratch;
static struct args args;
static struct field_error error;

static int read_fields(const char *line)
{
	struct json_error json_error;
	const struct json *params = json_read(reader, line, strlen(line), &json_error);
	memset(&args, 0x5a, sizeof args);
	memset(&error, 0, sizeof error);
	buf_clear(&scratch);
	return field_read(fields, params, &args, sizeof args, &scratch, &error);
}

static void test_defaults(void)
{
	is_int(read_fields("{\"pane\":\"%1\"}"), 0, "the required fields are enough");
	is_str(args.pane, "%1", "a string");
	ok(args.columns == 80 && !args.has_columns, "a default integer, not given");
	ok(args.timeout_sec == 30.5 && args.seconds == 0 && args.focus, "other defaults");
	is_int(args.direction, 1, "a default choice");
	is_int(args.side, -1, "a choice without default");
	is_str(args.mode, "normal", "a default string");
	ok(!args.keys.is_given && args.keys.strings == NULL && args.env == NULL &&
		args.data == NULL,
	    "the others are empty");
	is_int(read_fields("{\"pane\":\"%1\",\"columns\":null,\"keys\":null,\"data\":null}"), 0,
	    "null");
	ok(args.columns == 80 && !args.has_columns && !args.keys.is_given, "counts as absent");
	ok(args.data == NULL, "also for a field of any type");
}

static void test_values(void)
{
	is_int(
	    read_fields(
		"{\"keys\":[\"a\",\"Enter\"],\"argv\":[],\"pane_id\":\"%2\",\"columns\":1e2,"
		"\"timeout_sec\":0,\"focus\":false,\"direction\":\"vertical\",\"side\":\"right\","
		"\"env\":{\"A\":\"1\"},\"data\":[1],\"mode\":\"\",\"seconds\":1e9}"),
	    0, "all fields");
	is_str(args.pane, "%2", "by the alias");
	ok(args.columns == 100 && args.has_columns, "an integer, given");
	ok(args.timeout_sec == 0 && args.seconds == 1e9 && !args.focus, "numbers and a boolean");
	ok(args.direction == 0 && args.side == 1, "choices");
	ok(args.keys.count == 2 && args.keys.is_given && args.keys.strings[2] == NULL, "an array");
	ok(strcmp(args.keys.strings[0], "a") == 0 && strcmp(args.keys.strings[1], "Enter") == 0,
	    "of two");
	ok(args.argv.count == 0 && args.argv.is_given && args.argv.strings[0] == NULL,
	    "and an empty one");
	is_str(json_member(args.env, "A")->text, "1", "a map");
	ok(args.data->type == JSON_ARRAY, "any value");
	is_str(args.mode, "", "an empty string where it is allowed");
	is_int(read_fields("{\"pane\":\"%1\",\"keys\":\"C-c\"}"), 0, "keys as one string");
	ok(args.keys.count == 1 && strcmp(args.keys.strings[0], "C-c") == 0 &&
		args.keys.strings[1] == NULL,
	    "are an array of one");
}

static void test_borders(void)
{
	struct buf line;
	size_t wrong;
	is_int(read_fields("{\"pane\":\"1234567890\",\"columns\":10000,\"timeout_sec\":86400,"
			   "\"seconds\":3600,\"keys\":[\"1\",\"2\",\"3\"]}"),
	    0, "the bounds themselves are allowed");
	is_int(read_fields("{\"pane\":\"1\",\"columns\":1,\"timeout_sec\":0}"), 0, "at both ends");

	/* The room for all arrays exists before the first array is lent, for any size. */
	wrong = 0;
	buf_init(&line, 10000);
	for (size_t count = 0; count < 300; count++) {
		buf_clear(&line);
		(void)buf_append_str(&line, "{\"pane\":\"a\",\"argv\":[\"x\"");
		for (size_t i = 0; i < count; i++)
			(void)buf_append_str(&line, ",\"x\"");
		(void)buf_append_str(&line, "],\"keys\":\"k\"}");
		buf_finish(&scratch);
		wrong += read_fields((char *)line.data) != 0 || args.argv.count != count + 1;
		wrong += strcmp(args.argv.strings[count], "x") != 0 ||
		    args.argv.strings[count + 1] != NULL;
		wrong += strcmp(args.keys.strings[0], "k") != 0 || strcmp(args.mode, "normal") != 0;
	}
	is_int(wrong, 0, "arrays of many lengths");
	buf_finish(&line);
}

static void test_refusals(void)
{
	static const struct {
		const char *line, *field, *text;
	} cases[] = {
	    {"{}", "pane", "pane: is required"},
	    {"{\"pane\":null}", "pane", "pane: is required"},
	    {"{\"pane\":3}", "pane", "pane: must be a string, not a number"},
	    {"{\"pane_id\":[]}", "pane_id", "pane_id: must be a string, not an array"},
	    {"{\"pane\":\"\"}", "pane", "pane: must not be empty"},
	    {"{\"pane\":\"12345678901\"}", "pane", "pane: must have 1 to 10 bytes, not 11"},
	    {"{\"pane\":\"a\",\"pane_id\":\"a\"}", "pane_id",
		"pane_id: is given twice, by two names of \"pane\""},
	    {"{\"pane\":\"a\",\"columns\":0}", "columns",
		"columns: must be 1 to 10000 cells, not 0"},
	    {"{\"pane\":\"a\",\"columns\":10001}", "columns",
		"columns: must be 1 to 10000 cells, not 10001"},
	    {"{\"pane\":\"a\",\"columns\":1.5}", "columns",
		"columns: must be a whole number within +-9007199254740991, not 1.5"},
	    {"{\"pane\":\"a\",\"columns\":1e300}", "columns",
		"columns: must be a whole number within +-9007199254740991, not 1e300"},
	    {"{\"pane\":\"a\",\"columns\":\"80\"}", "columns",
		"columns: must be a whole number, not a string"},
	    {"{\"pane\":\"a\",\"timeout_sec\":-0.5}", "timeout_sec",
		"timeout_sec: must be 0 to 86400 s, not -0.5"},
	    {"{\"pane\":\"a\",\"timeout_sec\":1e999}", "timeout_sec",
		"timeout_sec: 1e999 is too large"},
	    {"{\"pane\":\"a\",\"timeout_sec\":true}", "timeout_sec",
		"timeout_sec: must be a number, not a boolean"},
	    {"{\"pane\":\"a\",\"seconds\":1}", "seconds", "seconds: must be at least 3600, not 1"},
	    {"{\"pane\":\"a\",\"focus\":1}", "focus", "focus: must be true or false, not a number"},
	    {"{\"pane\":\"a\",\"focus\":\"true\"}", "focus",
		"focus: must be true or false, not a string"},
	    {"{\"pane\":\"a\",\"direction\":\"up\"}", "direction",
		"direction: must be one of \"vertical\", \"horizontal\", not \"up\""},
	    {"{\"pane\":\"a\",\"direction\":\"Vertical\"}", "direction",
		"direction: must be one of \"vertical\", \"horizontal\", not \"Vertical\""},
	    {"{\"pane\":\"a\",\"direction\":0}", "direction",
		"direction: must be a string, not a number"},
	    {"{\"pane\":\"a\",\"keys\":1}", "keys",
		"keys: must be a string or an array of strings, not a number"},
	    {"{\"pane\":\"a\",\"keys\":[\"a\",null]}", "keys",
		"keys: element 1 must be a string, not null"},
	    {"{\"pane\":\"a\",\"keys\":[]}", "keys", "keys: must not be empty"},
	    {"{\"pane\":\"a\",\"keys\":[\"1\",\"2\",\"3\",\"4\"]}", "keys",
		"keys: must have 1 to 3 elements, not 4"},
	    {"{\"pane\":\"a\",\"argv\":\"ls\"}", "argv",
		"argv: must be an array of strings, not a string"},
	    {"{\"pane\":\"a\",\"argv\":{\"a\":1}}", "argv",
		"argv: must be an array of strings, not an object"},
	    {"{\"pane\":\"a\",\"env\":[]}", "env", "env: must be an object, not an array"},
	    {"{\"pane\":\"a\",\"env\":{\"A\":\"1\",\"B\":2}}", "env",
		"env: \"B\" must be a string, not a number"},
	    {"{\"pane\":\"a\",\"colunms\":80}", "colunms",
		"colunms: there is no such parameter; did you mean \"columns\"?"},
	    {"{\"pane\":\"a\",\"xyzzy\":80}", "xyzzy",
		"xyzzy: there is no such parameter; there are pane, columns, timeout_sec, seconds, "
		"focus, "
		"direction, side, keys, argv, env, data, mode, path"},
	    {"{\"pane\":\"a\",\"\":80}", "", NULL},
	    {"[]", "params", "params: must be an object, not an array"},
	    {"\"x\"", "params", "params: must be an object, not a string"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		is_int(read_fields(cases[i].line), -1, "%s", cases[i].line);
		is_str(error.field, cases[i].field, "names \"%s\"", cases[i].field);
		if (cases[i].text != NULL)
			is_str(error.text, cases[i].text, "and gives the reason");
	}
}

/* "~" of a path is the home directory; elsewhere it is a character like others. */
static void test_home(void)
{
	static const struct {
		const char *home, *line, *path, *text;
	} cases[] = {
	    {"/home/me", "~", "/home/me", NULL},
	    {"/home/me", "~/", "/home/me/", NULL},
	    {"/home/me", "~/a ~b/~", "/home/me/a ~b/~", NULL},
	    {"/home/me", "/a/~", "/a/~", NULL},
	    {"/home/me", "", NULL, "path: must not be empty"},
	    {"/home/me", "~/0123456789ab", NULL, "path: must have 2 to 20 bytes, not 21"},
	    {"/home/me", "~bob/x", NULL,
		"path: \"~bob/x\" is in the home directory of another user: write the path out"},
	    {"/home/me", "~~", NULL,
		"path: \"~~\" is in the home directory of another user: write the path out"},
	};
	char line[200];
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		(void)setenv("HOME", cases[at].home, 1);
		(void)snprintf(line, sizeof line,
		    "{\"pane\":\"~\",\"path\":\"%s\",\"argv\":[\"~\"],\"mode\":\"~/m\"}",
		    cases[at].line);
		is_int(
		    read_fields(line), cases[at].path != NULL ? 0 : -1, "path %s", cases[at].line);
		if (cases[at].path == NULL) {
			is_str(error.text, cases[at].text, "is refused");
			continue;
		}
		is_str(args.path, cases[at].path, "is %s", cases[at].path);
		ok(strcmp(args.pane, "~") == 0 && strcmp(args.mode, "~/m") == 0 &&
			strcmp(args.argv.strings[0], "~") == 0,
		    "what is no path is not changed");
	}
	(void)unsetenv("HOME");
	is_int(read_fields("{\"pane\":\"%1\",\"path\":\"~\"}"), 0, "without HOME");
	is_str(args.path, getpwuid(getuid())->pw_dir, "the account names the directory");
}

static void test_hostile(void)
{
	struct buf line, small;
	struct json_error json_error;
	static const char text[] =
	    "{\"pane\":\"a\",\"argv\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\"]}";
	const struct json *params;
	buf_init(&line, 100000);
	(void)buf_append_str(&line, "{\"pane\":\"a\",\"direction\":\"\\u001b[2J\\n");
	for (int i = 0; i < 500; i++)
		(void)buf_append_str(&line, "\xc3\xa9");
	(void)buf_append_str(&line, "\"}");
	is_int(read_fields((char *)line.data), -1, "a long value with an escape sequence");
	ok(strlen(error.text) < sizeof error.text && !strchr(error.text, '\x1b') &&
		strstr(error.text, "not \"\\x1b[2J\\n") && strstr(error.text, "...\""),
	    "is quoted in short and made visible: %s", error.text);
	buf_clear(&line);
	(void)buf_append_str(&line, "{\"\\u001b[2J");
	for (int i = 0; i < 1000; i++)
		(void)buf_append_str(&line, "x");
	(void)buf_append_str(&line, "\":1}");
	is_int(read_fields((char *)line.data), -1, "a long name with an escape sequence");
	ok(strlen(error.text) < sizeof error.text && !strchr(error.text, '\x1b'), "%s", error.text);
	buf_finish(&line);

	params = json_read(reader, text, strlen(text), &json_error);
	buf_init(&small, 32);
	is_int(field_read(fields, params, &args, sizeof args, &small, &error), -1,
	    "more strings than the scratch buffer may hold");
	ok(strstr(error.text, "out of memory"), "%s", error.text);
	buf_finish(&small);
}

static void test_no_fields(void)
{
	struct json_error json_error;
	const struct json *params;
	buf_clear(&scratch);
	is_int(field_read(NULL, NULL, NULL, 0, &scratch, &error), 0, "no fields, no parameters");
	params = json_read(reader, "{\"a\":1}", 7, &json_error);
	buf_clear(&scratch);
	is_int(
	    field_read(NULL, params, NULL, 0, &scratch, &error), -1, "no fields, but a parameter");
	is_str(error.text, "a: there is no such parameter; this method takes none", "is refused");
}

static void test_schema(void)
{
	struct json_writer writer;
	struct json_error json_error;
	struct buf out;
	const struct json *schema;
	buf_init(&out, 10000);
	json_writer_init(&writer, &out);
	field_write_schema(&writer, NULL, fields);
	schema = json_read(reader, (char *)out.data, out.len, &json_error);
	is_str((char *)out.data,
	    "{\"type\":\"object\",\"properties\":{"
	    "\"pane\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":10,"
	    "\"also\":[\"pane_id\"],\"description\":\"The pane.\"},"
	    "\"columns\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10000,"
	    "\"description\":\"How wide it is to be. Unit: cells.\",\"default\":80},"
	    "\"timeout_sec\":{\"type\":\"number\",\"minimum\":0,\"maximum\":86400,"
	    "\"description\":\"How long to wait. Unit: s.\",\"default\":30.5},"
	    "\"seconds\":{\"type\":\"number\",\"minimum\":3600,\"description\":\"How far.\"},"
	    "\"focus\":{\"type\":\"boolean\",\"description\":\"Go there.\",\"default\":true},"
	    "\"direction\":{\"type\":\"string\",\"enum\":[\"vertical\",\"horizontal\"],"
	    "\"description\":\"Which way.\",\"default\":\"horizontal\"},"
	    "\"side\":{\"type\":\"string\",\"enum\":[\"left\",\"right\"],\"description\":\"Where."
	    "\"},"
	    "\"keys\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":"
	    "{\"type\":\"string\"}}],\"description\":\"What.\"},"
	    "\"argv\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
	    "\"description\":\"A command.\"},"
	    "\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"
	    "\"description\":\"Variables.\"},"
	    "\"data\":{\"description\":\"Anything.\"},"
	    "\"mode\":{\"type\":\"string\",\"description\":\"A word of \\\\mine\\\".\","
	    "\"default\":\"normal\"},"
	    "\"path\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":20,\"format\":\"path\","
	    "\"description\":\"A file.\"}},"
	    "\"required\":[\"pane\"],\"additionalProperties\":false}",
	    "a schema");
	ok(schema != NULL, "which is JSON");
	buf_clear(&out);
	json_writer_init(&writer, &out);
	field_write_schema(&writer, NULL, NULL);
	is_str((char *)out.data,
	    "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}",
	    "the schema of no fields");
	buf_finish(&out);
}

static void test_mdoc(void)
{
	static const struct field rows[] = {
	    {.name = "columns",
		.type = FIELD_INT,
		.unit = "cells",
		.min = 1,
		.max = 5,
		.preset = "2",
		.help =
		    "A sentence that is so long that it must be filled into more than one line .of "
		    "the manual's source."},
	    {.name = "to",
		.type = FIELD_CHOICE,
		.flags = FIELD_REQUIRED,
		.choices = sides,
		.help = "'Quoted' and \\back."},
	    {.name = "dest", .flags = FIELD_ALIAS},
	    {.name = "seconds", .type = FIELD_NUMBER, .unit = "s", .help = "How far."},
	    {.name = NULL},
	};
	struct buf out;
	buf_init(&out, 10000);
	field_write_mdoc(&out, rows);
	is_str((char *)out.data,
	    ".It Va columns\n"
	    "integer, 1 to 5 cells, default 2.\n"
	    "A sentence that is so long that it must be filled into more than one line\n"
	    "\\&.of the manual's source.\n"
	    ".It Va \\&to\n"
	    "string, one of left | right, required, also called dest.\n"
	    "\\&'Quoted' and \\eback.\n"
	    ".It Va seconds\n"
	    "number, s.\n"
	    "How far.\n",
	    "items for the manual");
	buf_finish(&out);
}

/* Tolerated forms, and forms that are refused even so. */
static const struct {
	const char *params;
	const char *refused; /* the field; NULL: accepted */
} tolerated[] = {
    {"{\"pane\":3,\"columns\":\"120\",\"timeout_sec\":\"1.5\",\"seconds\":\"4e3\"}", "seconds"},
    {"{\"pane\":\"a\",\"columns\":\"-1\"}", "columns"},
    {"{\"pane\":\"a\",\"columns\":\"1.5\"}", "columns"},
    {"{\"pane\":\"a\",\"columns\":\"\"}", "columns"},
    {"{\"pane\":\"a\",\"columns\":\"0x10\"}", "columns"},
    {"{\"pane\":\"a\",\"columns\":\"12 \"}", "columns"},
    {"{\"pane\":\"a\",\"columns\":true}", "columns"},
    {"{\"pane\":\"a\",\"focus\":\"maybe\"}", "focus"},
    {"{\"pane\":\"a\",\"focus\":2}", "focus"},
    {"{\"pane\":\"a\",\"direction\":\"up\"}", "direction"},
    {"{\"pane\":\"a\",\"argv\":[1]}", "argv"},
    {"{\"pane\":\"a\",\"env\":{\"A\":[]}}", "env"},
    {"{\"pane\":[\"a\"]}", "pane"},
    {"{\"pane\":\"a\",\"other\":1}", "other"},
    {"{\"pane\":\"a\",\"extra\":1}", NULL},
};

static int read_tolerant(const char *line)
{
	static const char *const ignored[] = {"extra", NULL};
	static const struct field_tolerance tolerance = {.ignored = ignored};
	struct json_error json_error;
	const struct json *params = json_read(reader, line, strlen(line), &json_error);
	memset(&args, 0x5a, sizeof args);
	memset(&error, 0, sizeof error);
	buf_clear(&scratch);
	return field_read_tolerant(
	    fields, &tolerance, params, &args, sizeof args, &scratch, &error);
}

static void test_tolerance(void)
{
	is_int(read_tolerant(
		   "{\"pane\":7,\"columns\":\"120\",\"timeout_sec\":\"1.5\",\"focus\":\"No\","
		   "\"direction\":\"Vertical\",\"argv\":\"ls\",\"keys\":\"C-c\",\"env\":"
		   "{\"A\":1},\"mode\":5}"),
	    0, "an unambiguous form is accepted");
	is_str(args.pane, "%7", "a pane by its number");
	ok(args.columns == 120 && args.timeout_sec == 1.5 && !args.focus && args.direction == 0,
	    "numbers, truth and choices as text");
	ok(args.argv.count == 1 && strcmp(args.argv.strings[0], "ls") == 0 &&
		args.argv.strings[1] == NULL,
	    "one for an array of one");
	is_str(args.env->child->text, "1", "a number where text is wanted");
	is_str(args.mode, "5", "anywhere");
	is_int(read_tolerant("{\"pane_id\":\"4294967295\",\"columns\":1}"), -1,
	    "bounds hold for the converted value");
	is_int(read_tolerant("{\"pane_id\":\"12345678\"}"), 0, "by the alias too");
	is_str(args.pane, "%12345678", "it is a pane");
	is_int(read_tolerant("{\"pane\":\"work:1\"}"), 0, "text that is not a number");
	is_str(args.pane, "work:1", "stays unchanged");
	for (size_t i = 0; i < sizeof tolerated / sizeof *tolerated; i++) {
		int r = read_tolerant(tolerated[i].params);
		if (tolerated[i].refused != NULL)
			ok(r < 0 && strcmp(error.field, tolerated[i].refused) == 0, "%s is refused",
			    tolerated[i].params);
		else
			is_int(r, 0, "%s is accepted", tolerated[i].params);
	}
}

static void test_tool_schema(void)
{
	static const struct field_result results[] = {{"list", "array", "some"},
	    {"list[].id", "string", "one"}, {"place", "object|null", "where"},
	    {"place.row", "integer", "a row"}, {NULL, NULL, NULL}};
	static const struct field few[] = {{.name = "wait_sec",
					       .type = FIELD_INT,
					       .flags = FIELD_REQUIRED,
					       .unit = "s",
					       .min = 1,
					       .max = 9,
					       .help = "How long."},
	    {.name = "what", .type = FIELD_VALUE, .help = "Which.", .shape = "\"type\":\"object\""},
	    {.name = "odd",
		.type = FIELD_BOOL,
		.flags = FIELD_RARE,
		.preset = "false",
		.help = "Seldom."},
	    {.name = NULL}};
	struct json_writer writer;
	struct buf out;
	buf_init(&out, 10000);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	field_write_tool_schema(&writer, "short", few, true);
	field_write_tool_schema(&writer, "long", few, false);
	field_write_result_schema(&writer, "brief", results, true);
	field_write_result_schema(&writer, "whole", results, false);
	json_object_end(&writer);
	is_str((const char *)out.data,
	    "{\"short\":{\"type\":\"object\",\"properties\":{\"wait_sec\":{\"type\":\"integer\","
	    "\"description\":\"How "
	    "long.\"},\"what\":{\"type\":\"object\",\"description\":\"Which.\"}"
	    "},\"required\":[\"wait_sec\"]},\"long\":{\"type\":\"object\",\"properties\":{"
	    "\"wait_sec\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9,\"description\":\"How "
	    "long. Unit: s.\"},\"what\":{\"type\":\"object\",\"description\":\"Which.\"},\"odd\":{"
	    "\"type\":\"boolean\",\"description\":\"Seldom.\",\"default\":false}},\"required\":["
	    "\"wait_sec\"],\"additionalProperties\":false},\"brief\":{\"type\":\"object\","
	    "\"properties\":{\"list\":{\"type\":\"array\"},\"place\":{\"anyOf\":[{\"type\":"
	    "\"object\"},{"
	    "\"type\":\"null\"}]}}},\"whole\":{\"type\":\"object\",\"properties\":{\"list\":{"
	    "\"type\":"
	    "\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}}"
	    "}},"
	    "\"place\":{\"anyOf\":[{\"type\":\"object\"},{\"type\":\"null\"}],\"properties\":{"
	    "\"row\":{"
	    "\"type\":\"integer\"}}}}}}",
	    "schemas of tools, in short and in full");
	buf_finish(&out);
}

/* Bounds in words: whole, however large. */
static void test_bounds(void)
{
	static const struct {
		double min, max;
		const char *text;
	} cases[] = {
	    {0, JSON_INT_MAX, "0 to 9007199254740991 s"},
	    {-JSON_INT_MAX, JSON_INT_MAX, "-9007199254740991 to 9007199254740991 s"},
	    {0.001, 316224000, "0.001 to 316224000 s"},
	    {9.7, 0, "at least 9.7 s"},
	    {0, 0, ""},
	};
	char text[FIELD_BOUNDS_SIZE];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct field field = {.min = cases[i].min, .max = cases[i].max};
		field_describe_bounds(&field, "s", text);
		is_str(text, cases[i].text, "bounds: \"%s\"", cases[i].text);
	}
}

int main(void)
{
	reader = json_reader_new(100000);
	buf_init(&scratch, 10000);
	test_defaults();
	test_values();
	test_borders();
	test_refusals();
	test_home();
	test_hostile();
	test_no_fields();
	test_schema();
	test_tolerance();
	test_tool_schema();
	test_mdoc();
	test_bounds();
	is_str(field_type_name(FIELD_KEYS), "string or array of strings", "types have names");
	buf_finish(&scratch);
	json_reader_free(reader);
	return done_testing();
}
