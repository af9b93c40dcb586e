/* SPDX-License-Identifier: ISC */
/* Lists of tools as servers write them, good and bad. */
#include "daemon/tool/tool_server_list.h"

#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "tap.h"
#include "wire/json.h"

static struct json_reader *reader;
static char reason[256];

/* Adds a page. Returns the reason, "" without one. */
static const char *add(struct tool_server_list *list, const char *page)
{
	static struct json_error error;
	const struct json *value = json_read(reader, page, strlen(page), &error);
	reason[0] = '\0';
	if (value == NULL)
		return error.text;
	if (tool_server_list_add(list, value, reason, sizeof reason) == 0)
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
	is_str(add(&list,
		   "{\"tools\":[{\"name\":\"open\",\"inputSchema\":{\"required\":[\"url\","
		   "\"wait\"]}}],\"nextCursor\":\"2\"}"),
	    "", "a page");
	is_str(list.cursor, "2", "its cursor");
	is_str(
	    add(&list, "{\"tools\":[{\"name\":\"close\",\"inputSchema\":{}},{\"name\":\"quit\"}]}"),
	    "", "another page");
	ok(list.cursor == NULL, "the list is whole");
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
	    {"{}", "its answer to tools/list has no tools"},
	    {"{\"tools\":{}}", "its answer to tools/list has no tools"},
	    {"{\"tools\":[{}]}",
		"it lists a tool without a name, or with one of more than 256 bytes"},
	    {"{\"tools\":[3]}",
		"it lists a tool without a name, or with one of more than 256 bytes"},
	    {"{\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"required\":[1]}}]}",
		"its tool \"a\" requires more than 64 arguments, or one without a usable name"},
	};
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		struct tool_server_list list = {0};
		is_str(add(&list, rows[at].page), rows[at].want, "refused: %s", rows[at].page);
		tool_server_list_finish(&list);
	}
}

/* A page with so many tools, each of which requires so many arguments; name_len is of each name. */
static const char *make_page(struct buf *buf, size_t tools, size_t required, int name_len)
{
	buf_clear(buf);
	(void)buf_append_str(buf, "{\"tools\":[");
	for (size_t at = 0; at < tools; at++) {
		(void)buf_printf(buf, "%s{\"name\":\"%0*zu\",\"inputSchema\":{\"required\":[",
		    at > 0 ? "," : "", name_len, at);
		for (size_t i = 0; i < required; i++)
			(void)buf_printf(buf, "%s\"a%zu\"", i > 0 ? "," : "", i);
		(void)buf_append_str(buf, "]}}");
	}
	(void)buf_append_str(buf, "],\"nextCursor\":\"next\"}");
	return (char *)buf->data;
}

static void test_bounds(void)
{
	struct tool_server_list list = {0};
	struct buf page;
	buf_init(&page, 1 << 20);
	is_str(add(&list, make_page(&page, 1, 64, 256)), "", "64 arguments and a long name");
	is_str(add(&list, make_page(&page, 1, 65, 1)),
	    "its tool \"0\" requires more than 64 arguments, or one without a usable name",
	    "65 arguments");
	is_str(add(&list, make_page(&page, 1, 0, 257)),
	    "it lists a tool without a name, or with one of more than 256 bytes",
	    "a name of 257 bytes");
	tool_server_list_finish(&list);
	is_str(add(&list, make_page(&page, 1024, 0, 1)), "", "1024 tools");
	is_str(add(&list, make_page(&page, 1, 0, 1)), "it lists more than 1024 tools",
	    "one tool too many");
	tool_server_list_finish(&list);
	for (int at = 1; at < TOOL_SERVER_PAGES_MAX; at++)
		if (*add(&list, make_page(&page, 1, 0, 1)) != '\0')
			ok(false, "page %d: %s", at, reason);
	is_str(add(&list, make_page(&page, 1, 0, 1)),
	    "its list of tools has more than 64 pages, or a cursor of more than 4096 bytes",
	    "one page too many");
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
