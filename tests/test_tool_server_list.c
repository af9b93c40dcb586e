/* SPDX-License-Identifier: ISC */
/* Lists of tools as rows, good and bad. */
#include "daemon/tool/tool_server_list.h"

#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "tap.h"
#include "wire/json.h"

static struct json_reader *reader;
static char reason[256];

/* Reads rows. Returns the reason; "" if they are valid. */
static const char *add(struct tool_server_list *list, const char *page)
{
	static struct json_error error;
	const struct json *value = json_read(reader, page, strlen(page), &error);
	reason[0] = '\0';
	if (value == NULL)
		return error.text;
	if (tool_server_list_read(list, value, reason, sizeof reason) == 0)
		return "";
	return reason;
}

static const char *check(
    struct tool_server_list *list, const char *tool, const char *const *arguments)
{
	reason[0] = '\0';
	if (tool_server_list_check(list, tool, arguments, reason, sizeof reason) == 0)
		return "";
	return reason;
}

static void test_check(void)
{
	static const char *const none[] = {NULL}, *const url[] = {"url", NULL},
				 *const all[] = {"x", "url", "wait", NULL};
	struct tool_server_list list = {0};
	is_str(add(&list, "[{\"name\":\"old\"}]"), "", "a list");
	is_str(add(&list,
		   "[{\"name\":\"open\",\"parameters\":{\"required\":[\"url\",\"wait\"]}},"
		   "{\"name\":\"close\",\"parameters\":{}},{\"name\":\"quit\"}]"),
	    "", "another list");
	ok(list.is_read, "it is known");
	is_str(check(&list, "old", none), "it has no tool \"old\"", "instead of the first");
	is_str(check(&list, "close", none), "", "a tool that requires nothing");
	is_str(check(&list, "quit", url), "", "a tool without a schema");
	is_str(check(&list, "open", all), "", "a tool that is given all that it requires");
	is_str(check(&list, "open", url),
	    "its tool \"open\" requires what the declaration does not give: \"wait\"",
	    "an argument that is missing");
	is_str(check(&list, "open", none),
	    "its tool \"open\" requires what the declaration does not give: \"url\", \"wait\"",
	    "all that are missing");
	is_str(check(&list, "clos", none), "it has no tool \"clos\"; the nearest is \"close\"",
	    "the nearest name");
	is_str(check(&list, "navigate", none), "it has no tool \"navigate\"", "no name is near");
	tool_server_list_finish(&list);
	is_str(check(&list, "close", none), "it has no tool \"close\"", "an empty list");
}

static void test_refused(void)
{
	static const struct {
		const char *page, *want;
	} rows[] = {
	    {"[{}]", "it lists a tool without a name, or with one of more than 256 bytes"},
	    {"[3]", "it lists a tool without a name, or with one of more than 256 bytes"},
	    {"[{\"name\":\"a\",\"parameters\":{\"required\":[1]}}]",
		"its tool \"a\" requires more than 64 arguments, or one without a usable name"},
	};
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		struct tool_server_list list = {0};
		is_str(add(&list, rows[at].page), rows[at].want, "refused: %s", rows[at].page);
		tool_server_list_finish(&list);
	}
}

/* Rows of so many tools, each of which requires so many arguments; name_len is of each name. */
static const char *make_rows(struct buf *buf, size_t tools, size_t required, int name_len)
{
	buf_clear(buf);
	(void)buf_append_str(buf, "[");
	for (size_t at = 0; at < tools; at++) {
		(void)buf_printf(buf, "%s{\"name\":\"%0*zu\",\"parameters\":{\"required\":[",
		    at > 0 ? "," : "", name_len, at);
		for (size_t i = 0; i < required; i++)
			(void)buf_printf(buf, "%s\"a%zu\"", i > 0 ? "," : "", i);
		(void)buf_append_str(buf, "]}}");
	}
	(void)buf_append_str(buf, "]");
	return (char *)buf->data;
}

static void test_bounds(void)
{
	struct tool_server_list list = {0};
	struct buf page;
	buf_init(&page, 1 << 20);
	is_str(add(&list, make_rows(&page, 1, 64, 256)), "", "64 arguments and a long name");
	is_str(add(&list, make_rows(&page, 1, 65, 1)),
	    "its tool \"0\" requires more than 64 arguments, or one without a usable name",
	    "65 arguments");
	is_str(add(&list, make_rows(&page, 1, 0, 257)),
	    "it lists a tool without a name, or with one of more than 256 bytes",
	    "a name of 257 bytes");
	tool_server_list_finish(&list);
	is_str(add(&list, make_rows(&page, 1024, 0, 1)), "", "1024 tools");
	is_str(add(&list, make_rows(&page, 1025, 0, 1)), "it lists more than 1024 tools",
	    "one tool too many");
	ok(!list.is_read, "nothing is known then");
	tool_server_list_finish(&list);
	buf_finish(&page);
}

int main(void)
{
	reader = json_reader_new(1 << 20);
	test_check();
	test_refused();
	test_bounds();
	json_reader_free(reader);
	return done_testing();
}
