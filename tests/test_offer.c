/* SPDX-License-Identifier: ISC */
/* Rows that providers give: what is taken, and what is refused, with the reason. */
#include "daemon/provide/offer.h"

#include <string.h>

#include "base/xalloc.h"
#include "tap.h"
#include "wire/json.h"

#define ROW(members) "{\"name\":\"a\",\"summary\":\"s\"" members "}"

/* want: the reason; NULL: it is taken. */
static const struct {
	const char *row, *want;
} rows[] = {
    {ROW(""), NULL},
    {ROW(",\"also\":[]"), NULL},
    {ROW(",\"also\":[\"b\",\"c_2\"],\"effects\":[\"reads\",\"closes\"],\"group\":\"g\""), NULL},
    {ROW(",\"timeout_ms\":1"), NULL},
    {ROW(",\"timeout_ms\":3600000"), NULL},
    {ROW(",\"timeout_ms\":0"), "timeout_ms: must be 1 to 3600000 ms, not 0"},
    {ROW(",\"also\":[\"a\"]"), "also: \"a\" stands twice"},
    {ROW(",\"also\":[\"b\",\"b\"]"), "also: \"b\" stands twice"},
    {ROW(",\"also\":[\"B\"]"),
	"also: must be a small letter, then small letters, digits and \"_\", at most 64, not "
	"\"B\""},
    {"{\"name\":\"aB\",\"summary\":\"s\"}",
	"name: must be a small letter, then small letters, digits and \"_\", at most 64, not "
	"\"aB\""},
    {ROW(",\"effects\":[\"flies\"]"),
	"effects: must be of reads, sees, types, runs, closes, speaks_for, writes, administers, "
	"not \"flies\""},
    {ROW(",\"group\":\"all\""), "group: \"all\" already names a set of tools: choose another name"},
    {ROW(",\"parameters\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"}}},"
	 "\"example\":{\"x\":1}"),
	NULL},
    {ROW(",\"parameters\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"}}},"
	 "\"example\":{\"x\":\"1\"}"),
	"example: x: must be a whole number, not a string"},
    {ROW(",\"example\":[]"), "example: must be an object of parameters"},
    {ROW(",\"parameters\":{\"type\":\"object\",\"properties\":{\"wait\":{\"type\":\"integer\"}}}"),
	"parameters.properties.wait: every tool has this parameter already"},
    {ROW(",\"result\":{\"type\":\"object\",\"properties\":{\"x\":{}}}"),
	"result: \"x\" must have a type: array, boolean, integer, null, number, object or string, "
	"or an array of these"},
    {"{\"name\":\"a\"}", "summary: is required"},
    {"[]", "must be an object, not an array"},
};

static void handle(struct request *request, const void *args)
{
	(void)request;
	(void)args;
}

static struct offer *read_row(struct json_reader *reader, const char *text, char *ret_reason)
{
	static int provider;
	struct offer_origin origin = {
	    .provider = &provider, .handle = handle, .flags = METHOD_NO_TOOL};
	struct json_error error;
	return offer_read(json_read(reader, text, strlen(text), &error), &origin, ret_reason);
}

static void test_names(struct json_reader *reader)
{
	char reason[DECLARATION_REASON_SIZE] = "";
	struct offer *offer = read_row(
	    reader, ROW(",\"also\":[\"b\"],\"help\":\"Help.\",\"effects\":[\"types\"]"), reason);
	const struct method *first = &offer->method;
	static const struct method_table tables[] = {{.rows = NULL}};
	is_int((int)offer_count(offer), 2, "two names");
	is_str(offer_name(offer, 0), "a", "the first");
	is_str(offer_name(offer, 1), "b", "and the other");
	method_set_tables(tables);
	method_set_rows(METHOD_PROVIDED, &first, 1);
	ok(method_find("a") == first && method_find("b") == first, "both are found");
	ok(method_next(NULL) == first && method_next(first) == NULL, "and one is listed");
	method_set_rows(METHOD_PROVIDED, NULL, 0);
	ok(method_find("b") == NULL, "and gone with it");
	ok(offer_of(first) == offer, "its offer");
	ok(first->flags & METHOD_NO_TOOL && first->flags & METHOD_WAITS, "flags");
	is_int((int)first->effects, METHOD_TYPES, "effects");
	is_str(first->help, "Help.", "help");
	ok(first->key_offset > 0, "it takes a key");
	offer_free(offer);
	offer = read_row(reader, ROW(""), reason);
	is_int((int)offer->method.effects, METHOD_RUNS | METHOD_CLOSES,
	    "without effects it may do all that a program does");
	is_int((int)offer->declaration->timeout_ms, 30000, "the time-out");
	offer_free(offer);
}

static void test_long_example(struct json_reader *reader)
{
	char reason[DECLARATION_REASON_SIZE] = "";
	char *text = xasprintf(ROW(",\"parameters\":{\"type\":\"object\",\"properties\":{\"x\":"
				   "{\"type\":\"string\"}}},\"example\":{\"x\":\"%066000d\"}"),
	    0);
	ok(read_row(reader, text, reason) == NULL, "an example that is too long is refused");
	is_str(reason, "example: has more than 65536 bytes as JSON", "with the reason");
	mem_free(text);
}

int main(void)
{
	struct json_reader *reader = json_reader_new(131072);
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		char reason[DECLARATION_REASON_SIZE] = "";
		struct offer *offer = read_row(reader, rows[at].row, reason);
		is_str(offer != NULL ? NULL : reason, rows[at].want, "%s", rows[at].row);
		if (offer != NULL)
			offer_free(offer);
	}
	test_names(reader);
	test_long_example(reader);
	json_reader_free(reader);
	return done_testing();
}
