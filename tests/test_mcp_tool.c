/* SPDX-License-Identifier: ISC */
/* Tools as models get them: the list, results that are cut, instructions, the end of long waits. */
#include "daemon/mcp/mcp_tool.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "daemon/core/daemon_parts.h"
#include "daemon/mcp/mcp_exchange.h"
#include "daemon/mcp/mcp_shown.h"
#include "daemon/mcp/mcp_text.h"
#include "daemon/mcp/mcp_tool_set.h"
#include "daemon/methods/group.h"
#include "daemon/methods/tables.h"
#include "tap.h"

static struct json_reader *reader;

/* The list. */

/* As one JSON object, with its length. */
static char *write_list(bool all, size_t *ret_len)
{
	struct mcp_tool_set set;
	struct buf out;
	struct json_writer writer;
	buf_init(&out, (size_t)1 << 24);
	if (all)
		mcp_tool_set_all(&set);
	else
		mcp_tool_set_default(&set);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	mcp_tool_write_list(&writer, &set, ROLE_FULL, true);
	json_object_end(&writer);
	return (char *)buf_steal(&out, ret_len);
}

/* The missing parts of a tool of the list; the number of faults. */
static int check_tool(const struct json *tool, bool all)
{
	static const char *const members[] = {
	    "name", "title", "description", "inputSchema", "outputSchema", "annotations", NULL};
	int faults = 0;
	const struct json *input, *text, *name;
	const struct method *method;
	size_t fields;
	for (const char *const *member = members; *member != NULL; member++)
		faults += !json_member(tool, *member);
	text = json_member(tool, "description");
	name = json_member(tool, "name");
	faults += text->len > 2000;
	faults += strspn(name->text, "abcdefghijklmnopqrstuvwxyz_") != name->len || name->len > 40;
	input = json_member(tool, "inputSchema");
	method = method_find(name->text);
	fields = 0;
	for (const struct field *f = method->fields; f != NULL && f->name; f++)
		fields += !(f->flags & FIELD_ALIAS) && (all || !(f->flags & FIELD_RARE));
	faults += json_member(input, "properties")->count != fields;
	faults += !json_member(json_member(tool, "annotations"), "readOnlyHint");
	faults += !json_member(json_member(tool, "annotations"), "openWorldHint");
	if (faults > 0)
		diag("%s has %d faults", name->text, faults);
	return faults;
}

static void test_list(void)
{
	struct json_error error;
	size_t len, again_len, all_len, count, core, tokens;
	char *text = write_list(false, &len);
	char *again = write_list(false, &again_len);
	char *all = write_list(true, &all_len);
	static const char *const fixed[] = {"self_command", "gemini_sleep", "watch_log",
	    "cancel_watch", "yield_turn", "run_long_command", "send_keys", "capture_pane",
	    "create_pane", "close_pane", "read_rest", "wait_for_idle", "wait_for", "list_panes",
	    NULL};
	int missing, faults;
	const struct json *tools;
	is_mem(text, len, again, again_len, "the list is the same each time");
	tools = json_member(json_read(reader, text, len, &error), "tools");
	ok(tools->count <= MCP_TOOLS_MAX, "%zu tools by default, at most %d", tools->count,
	    MCP_TOOLS_MAX);
	/* o200k took 2,824 tokens for a list of 11,700 bytes: one for 4.14. */
	tokens = len * 100 / 414;
	ok(tokens <= MCP_TOOLS_TOKENS_MAX, "%zu tokens (a token for 4.14 bytes), at most %d",
	    tokens, MCP_TOOLS_TOKENS_MAX);
	faults = 0;
	core = 0;
	for (const struct json *tool = tools->child; tool != NULL; tool = tool->next) {
		faults += check_tool(tool, false);
		core += json_member(tool, "_meta") != NULL;
	}
	is_int(faults, 0, "each has the text that a newcomer needs");
	is_int((long long)core, 3, "three of them are always loaded");
	missing = 0;
	for (const char *const *name = fixed; *name; name++)
		missing += !(method_find(*name)->flags & METHOD_TOOL);
	is_int(missing, 0, "the names known to agents are among them");

	count = 0;
	for (const struct method *m = method_next(NULL); m; m = method_next(m))
		count += !(m->flags & METHOD_NO_TOOL);
	tools = json_member(json_read(reader, all, all_len, &error), "tools");
	is_int((long long)tools->count, (long long)count, "all methods, on request, but for");
	ok(memmem(all, all_len, "\"shutdown\"", 10) == NULL, "the end of the daemon");
	faults = 0;
	for (const struct json *tool = tools->child; tool != NULL; tool = tool->next)
		faults += check_tool(tool, true);
	is_int(faults, 0, "with all of their parameters");
	mem_free(text);
	mem_free(again);
	mem_free(all);
}

/* Cut results. */

struct sample {
	const struct method *method;
	const struct json *tree;
};

static bool write_json(struct buf *out, const struct mcp_cut *cut, void *data)
{
	const struct sample *sample = data;
	struct json_writer writer;
	json_writer_init(&writer, out);
	mcp_cut_write(cut, &writer, NULL, sample->tree);
	return !writer.is_cut;
}

static bool write_text(struct buf *out, const struct mcp_cut *cut, void *data)
{
	const struct sample *sample = data;
	return mcp_text_write(
	    out, sample->method, sample->tree, cut, cut->is_needed ? "There is more." : NULL);
}

/* An object with one long string, of these pieces again and again. */
static char *long_string(const char *piece, size_t len, size_t *ret_len)
{
	struct buf out, text;
	struct json_writer writer;
	buf_init(&text, len + strlen(piece));
	while (text.len < len)
		(void)buf_append_str(&text, piece);
	buf_init(&out, len * 8 + 1024);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "pane", "%3");
	(void)json_put_text(&writer, "text", text.data, text.len);
	json_object_end(&writer);
	buf_finish(&text);
	return (char *)buf_steal(&out, ret_len);
}

/* Cuts a sample in every way; reports the faults of the results. */
static int cut_all(const char *text, size_t len, size_t max)
{
	int faults = 0;
	struct json_error error;
	mcp_cut_writer *const writers[] = {write_json, write_text};
	struct json_reader *check = json_reader_new((size_t)1 << 20);
	for (size_t i = 0; i < 4; i++) {
		struct sample sample = {
		    method_find("capture_pane"), json_read(reader, text, len, &error)};
		struct mcp_cut cut = {.keeps_end = i & 1};
		struct buf out;
		bool is_found = mcp_cut_find(&cut, sample.tree, max, writers[i / 2], &sample);
		bool is_written;
		buf_init(&out, max);
		is_written = is_found && writers[i / 2](&out, &cut, &sample);
		faults +=
		    !is_found || !is_written || out.len > max || !utf8_is_valid(out.data, out.len);
		if (i < 2 && is_written)
			faults += !json_read(check, (const char *)out.data, out.len, &error);
		/* The result is cut by no more than a line, and the search by nothing. */
		faults += cut.is_needed && out.len < max * 2 / 3;
		buf_finish(&out);
	}
	json_reader_free(check);
	return faults;
}

static void test_cut(void)
{
	static const char *const pieces[] = {"x", "a line of text\n", "\xc3\xa9", "\xe2\x82\xac",
	    "\xf0\x9f\xa6\x8a", "\\", "\033[31m", "\xe2\x82\xac\n"};
	int faults = 0;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		for (size_t size = 10; size < 70000; size = size * 3 + 1) {
			size_t len;
			char *text = long_string(pieces[i], size, &len);
			int r = cut_all(text, len, MCP_RESULT_BYTES);
			if (r > 0)
				diag("piece %zu, %zu bytes: %d faults", i, size, r);
			faults += r;
			mem_free(text);
		}
	is_int(faults, 0, "for any string, the result is whole and small enough");
}

/* Text for a model goes to terminals too: a title cannot reorder the line that it is in. */
static void test_bidi(void)
{
	static const char text[] =
	    "{\"message\":\"m\xe2\x80\xae.\",\"panes\":[{\"title\":"
	    "\"t\xe2\x80\xae\xc2\x9b\"}],\"text\":\"one\\n\xe2\x81\xa6two\"}";
	struct json_error error;
	struct sample sample = {
	    method_find("capture_pane"), json_read(reader, text, sizeof text - 1, &error)};
	struct mcp_cut cut = {.string_max = SIZE_MAX, .array_max = SIZE_MAX};
	struct buf out;
	buf_init(&out, 4096);
	ok(sample.tree != NULL && write_text(&out, &cut, &sample), "a text with bidi controls");
	ok(out.len > 0 && strstr((char *)out.data, "t\\u202e\\x9b") != NULL &&
		strstr((char *)out.data, "m\\u202e.") != NULL &&
		strstr((char *)out.data, "\\u2066two") != NULL,
	    "they are visible, in messages, tables and blocks");
	ok(strstr((char *)out.data, "\xe2\x80\xae") == NULL, "none is raw");
	buf_finish(&out);
}

static void test_cut_arrays(void)
{
	struct buf out;
	struct json_error error;
	struct mcp_cut cut = {0};
	struct sample sample;
	buf_init(&out, (size_t)1 << 20);
	(void)buf_append_str(&out, "{\"last\":7,\"notifications\":[");
	for (int i = 0; i < 500; i++)
		(void)buf_printf(&out,
		    "%s{\"seq\":%d,\"text\":\"one of many\",\"data\":{\"n\":%d}}", i ? "," : "", i,
		    i);
	(void)buf_append_str(&out, "]}");
	sample = (struct sample){method_find("list_notifications"),
	    json_read(reader, (const char *)out.data, out.len, &error)};
	ok(mcp_cut_find(&cut, sample.tree, MCP_RESULT_BYTES, write_json, &sample) &&
		cut.is_needed && cut.array_max > 100 && cut.array_max < 500,
	    "a long list is cut to its first %zu", cut.array_max);
	ok(!mcp_cut_find(&cut, sample.tree, 20, write_json, &sample),
	    "a result that cannot be made small enough is reported");
	buf_finish(&out);
}

/* Numbers of cut results. */

enum { ROWS = 300, SHOWN_FROM = 700, SHOWN_TO = 2600 };

static bool write_shown(struct buf *out, const struct mcp_cut *cut, void *data)
{
	struct mcp_asked asked = {.tool = method_find("capture_pane")};
	return mcp_shown_write(out, cut, data, &asked);
}

/* The shown part of a result in at most max bytes; NULL if it is not cut. */
static const struct json *show(const struct json *tree, size_t max, bool keeps_end)
{
	static struct json_reader *shown;
	struct mcp_cut cut = {.keeps_end = keeps_end};
	struct json_error error;
	const struct json *result = NULL;
	struct buf out;
	if (shown == NULL)
		shown = json_reader_new((size_t)1 << 20);
	buf_init(&out, max);
	if (mcp_cut_find(&cut, tree, max, write_shown, (void *)(uintptr_t)tree) && cut.is_needed &&
	    write_shown(&out, &cut, (void *)(uintptr_t)tree))
		result = json_read(shown, (const char *)out.data, out.len, &error);
	buf_finish(&out);
	return result;
}

static int64_t int_of(const struct json *object, const char *name)
{
	const struct json *member = json_member(object, name);
	int64_t number;
	return member != NULL && json_int(member, &number) ? number : INT64_MIN;
}

/* A capture of so many rows, the last of which is row 9; each row begins with its number. */
static const struct json *captured(struct buf *out, struct buf *text, int rows, const char *more)
{
	struct json_error error;
	struct json_writer writer;
	buf_clear(out);
	buf_clear(text);
	for (int row = 10 - rows; row < 10; row++)
		(void)buf_printf(text, "%d:%.*s\n", row, (row * row) % 37, more);
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "pane", "%3");
	(void)json_put_text(&writer, "text", text->data, text->len);
	json_put_int(&writer, "first_row", 10 - rows);
	json_put_bool(&writer, "truncated", false);
	json_put_int(&writer, "from", 1000);
	json_put_int(&writer, "to", 1000 + (int64_t)text->len);
	json_object_end(&writer);
	return json_read(reader, (const char *)out->data, out->len, &error);
}

/* The faults of the numbers of a capture that is cut to each size, from its end. */
static int check_rows(const struct json *tree, const struct buf *text)
{
	int faults = 0;
	for (size_t max = SHOWN_FROM; max < SHOWN_TO; max++) {
		const struct json *shown = show(tree, max, true);
		const struct json *part = shown != NULL ? json_member(shown, "text") : NULL;
		const char *rest = shown != NULL ? json_member(shown, "rest")->text : "";
		const char *whole = (const char *)text->data;
		char row[32], gap[128];
		size_t at = part != NULL ? text->len - part->len : 0;
		if (part == NULL)
			continue;
		while (at > 0 && whole[at - 1] != '\n')
			at--;
		(void)snprintf(row, sizeof row, "%lld:", (long long)int_of(shown, "first_row"));
		(void)snprintf(gap, sizeof gap,
		    "read_rest {\"id\":\"R00000000\",\"to\":%zu,\"after\":0} reads the beginning "
		    "of "
		    "text.",
		    text->len - part->len);
		faults += strncmp(whole + at, row, strlen(row)) != 0 || strcmp(rest, gap) != 0 ||
		    !json_member(shown, "truncated")->boolean;
		faults += strcmp(whole + text->len - part->len, part->text) != 0;
	}
	return faults;
}

/* The faults of offsets, with the beginning kept: reading on from "to" misses nothing. */
static int check_offsets(const struct json *tree, const struct buf *text)
{
	int faults = 0;
	for (size_t max = SHOWN_FROM; max < SHOWN_TO; max++) {
		const struct json *shown = show(tree, max, false);
		const struct json *part = shown != NULL ? json_member(shown, "text") : NULL;
		if (part != NULL)
			faults += int_of(shown, "to") != 1000 + (int64_t)part->len ||
			    memcmp(part->text, text->data, part->len) != 0;
	}
	return faults;
}

static void test_shown(void)
{
	static const char more[] = "0123456789012345678901234567890123456789";
	static const char stripped[] = "{\"text\":\"%s\",\"from\":50,\"to\":5000}";
	static const char listed[] = "{\"notifications\":[%s],\"last\":900}";
	struct buf out, text;
	struct json_error error;
	const struct json *tree, *shown;
	char *json, call[128];
	buf_init(&out, 100000);
	buf_init(&text, 100000);
	tree = captured(&out, &text, ROWS, more);
	ok(show(tree, SHOWN_FROM, true) != NULL && show(tree, SHOWN_TO, true) != NULL,
	    "a capture is cut to %d and to %d bytes", SHOWN_FROM, SHOWN_TO);
	is_int(check_rows(tree, &text), 0, "first_row is the row of the first line shown");
	is_int(check_offsets(tree, &text), 0, "to is the offset behind the last byte shown");
	buf_clear(&text);
	while (text.len < 3000)
		(void)buf_append_str(&text, "some text ");
	json = xasprintf(stripped, (const char *)text.data);
	tree = json_read(reader, json, strlen(json), &error);
	shown = show(tree, 2000, false);
	is_int(int_of(shown, "to"), 5000, "of a stripped text, to is its end");
	(void)snprintf(call, sizeof call,
	    "read_rest {\"id\":\"R00000000\",\"after\":%zu} reads on in text.",
	    json_member(shown, "text")->len);
	is_str(json_member(shown, "rest")->text, call, "which the rest leads to");
	mem_free(json);
	buf_clear(&text);
	for (int i = 1; i <= 100; i++)
		(void)buf_printf(&text, "%s{\"seq\":%d}", i > 1 ? "," : "", i);
	json = xasprintf(listed, (const char *)text.data);
	tree = json_read(reader, json, strlen(json), &error);
	shown = show(tree, 700, false);
	is_int(int_of(shown, "last"), (long long)json_member(shown, "notifications")->count,
	    "last is the number of the last element shown");
	ok(strstr(json_member(shown, "rest")->text,
	       " of 100 notifications are shown. read_rest {") != NULL,
	    "and rest says how many there are");
	mem_free(json);
	buf_finish(&out);
	buf_finish(&text);
}

static void test_shown_base64(void)
{
	static const char head[] = "{\"base64\":\"", tail[] = "\",\"from\":0,\"to\":3000}";
	struct json_error error;
	struct buf text;
	const struct json *tree;
	int faults = 0;
	buf_init(&text, 10000);
	(void)buf_append_str(&text, head);
	for (int i = 0; i < 1000; i++)
		(void)buf_append_str(&text, "QUJD");
	(void)buf_append_str(&text, tail);
	tree = json_read(reader, (const char *)text.data, text.len, &error);
	for (size_t max = 1200; max < 2400; max++) {
		const struct json *shown = show(tree, max, false);
		size_t len = shown != NULL ? json_member(shown, "base64")->len : 1;
		faults += len % 4 != 0 || int_of(shown, "to") != (int64_t)(len / 4 * 3);
	}
	is_int(faults, 0, "base64 is cut behind whole bytes, and to counts them");
	buf_finish(&text);
}

/* Text. */

static const struct {
	const char *method;
	const char *result;
	const char *text;
} texts[] = {
    {"create_pane", "{\"pane\":\"%5\",\"window\":\"@2\",\"session\":\"$0\"}",
	"Create a pane: done.\npane %5, window @2, session $0\n"},
    {"gemini_sleep", "{\"id\":\"A1B2\",\"message\":\"Sleeping.\",\"ignored\":false}",
	"Sleeping.\nid A1B2, ignored no\n"},
    {"list_panes",
	"{\"seq\":3,\"panes\":[{\"pane\":\"%1\",\"title\":\"a|b\"},{\"pane\":\"%2\",\"title\":\"\","
	"\"mode\":null}]}",
	"List the panes: 2 panes.\nseq 3\npanes:\npane | title | mode\n%1 | \"a|b\" | \n"
	"%2 | \"\" | -\n"},
    {"capture_pane",
	"{\"pane\":\"%1\",\"text\":\"one\\ntwo\\n\",\"cursor\":{\"row\":1,\"column\":2}}",
	"Capture a pane: done.\npane %1, cursor (row 1, column 2)\ntext, lines: 2\none\ntwo\n"},
    {"wait_for",
	"{\"matched\":[1],\"conditions\":[{\"condition\":\"sec\",\"state\":\"pending\"},"
	"{\"condition\":\"job\",\"state\":\"matched\",\"details\":{\"exit_code\":1}}],"
	"\"timed_out\":false}",
	"Came true: job (condition 1)\nmatched [1], timed_out no\nconditions:\ncondition | state | "
	"details\nsec | pending | \njob | matched | {\"exit_code\":1}\n"},
    {"wait_for", "{\"matched\":[],\"conditions\":[],\"timed_out\":true}",
	"The time is up, and it has not come true.\nmatched [], conditions [], timed_out yes\n"},
    {"ping", "{}", "Ping: done.\n"},
    {"read_rest", "{\"text\":\"\",\"structured\":{\"a\":1}}", "structured (a 1)\n"},
};

static void test_texts(void)
{
	struct json_error error;
	struct mcp_cut cut = {.string_max = SIZE_MAX, .array_max = SIZE_MAX};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct buf out;
		const struct json *tree;
		buf_init(&out, 10000);
		tree = json_read(reader, texts[i].result, strlen(texts[i].result), &error);
		ok(mcp_text_write(&out, method_find(texts[i].method), tree, &cut, NULL),
		    "%s: it fits", texts[i].method);
		is_mem(out.data, out.len, texts[i].text, strlen(texts[i].text),
		    "and reads as it should");
		buf_finish(&out);
	}
}

/* Texts that name tools. */

/* Whether a word at p is the name of a method that the default list does not have. */
static const struct method *unlisted(const char *p, size_t len)
{
	char name[64];
	const struct method *method;
	if (len >= sizeof name || memchr(p, '_', len) == NULL)
		return NULL;
	(void)snprintf(name, sizeof name, "%.*s", (int)len, p);
	method = method_find(name);
	return method != NULL && !(method->flags & METHOD_TOOL) ? method : NULL;
}

/* How many unlisted tools a text names, but for those of a group. */
static int count_unlisted(const char *where, const char *text, size_t len, const char *group)
{
	int count = 0;
	for (size_t i = 0; i < len;) {
		size_t word = 0;
		const struct method *method;
		while (i + word < len &&
		    (islower((unsigned char)text[i + word]) || text[i + word] == '_'))
			word++;
		method = unlisted(text + i, word);
		if (method != NULL && (group == NULL || strcmp(method_group(method), group) != 0)) {
			diag("%s names %s: %.*s", where, method->name, (int)len, text);
			count++;
		}
		i += word > 0 ? word : 1;
	}
	return count;
}

static void test_descriptions(void)
{
	size_t len;
	char *list = write_list(false, &len);
	int faults =
	    count_unlisted("the list", list, len, NULL) + (strstr(list, "describe") != NULL);
	struct buf out;
	for (int i = 0; i < 2; i++) {
		buf_init(&out, MCP_INSTRUCTIONS_MAX);
		mcp_client_instructions(&out, mcp_client_find(""), i > 0 ? "%1" : NULL);
		faults += count_unlisted("the instructions", (const char *)out.data, out.len, NULL);
		buf_finish(&out);
	}
	is_int(faults, 0, "descriptions and instructions name tools of the list only");
	mem_free(list);
}

/* Files with texts for other readers than callers of the default tools. */
static const struct {
	const char *path; /* the end of it, or a folder */
	const char *group; /* whose tools they may name; NULL: all */
} excepted[] = {
    {"/agent/", "agents"},
    {"/deliver/show.c", "queue"}, /* for people */
    {"/mcp/mcp_pending.c", "agents"}, /* compares names */
    {"/job/execute.c", "jobs"},
    {"/mcp/mcp_task_methods.c", "jobs"},
    {NULL, NULL},
};

/* Rows of tables are documentation: they are in the list, or describe methods that are not. */
static bool begins_table(const char *line)
{
	static const char *const begins[] = {"static const struct field", "const struct method ",
	    "static const struct condition", "#define ", "const struct condition", NULL};
	for (const char *const *begin = begins; *begin != NULL; begin++)
		if (strncmp(line, *begin, strlen(*begin)) == 0)
			return true;
	return false;
}

/* The length of a string without "see NAME", which an agent without NAME does not get. */
static size_t len_before_see(const char *text, size_t len)
{
	const char *see = memmem(text, len, " see ", 5);
	return see != NULL && see > text && strchr(":;,", see[-1]) != NULL ? (size_t)(see - text)
									   : len;
}

static int check_source(const char *path)
{
	char line[512];
	int faults = 0;
	bool is_in_table = false;
	const char *group = NULL;
	FILE *file = fopen(path, "re");
	for (size_t i = 0; excepted[i].path != NULL; i++)
		group = strstr(path, excepted[i].path) != NULL ? excepted[i].group : group;
	while (file != NULL && fgets(line, sizeof line, file) != NULL) {
		is_in_table = begins_table(line) || (is_in_table && *line != '}' && *line != '\n');
		for (char *p = strchr(line, '"'); !is_in_table && p != NULL; p = strchr(p, '"')) {
			size_t len = strcspn(++p, "\"\\");
			if (unlisted(p, len) == NULL) /* a bare name is no text */
				faults += count_unlisted(path, p, len_before_see(p, len), group);
			p += len + (p[len] != '\0');
		}
	}
	if (file != NULL)
		(void)fclose(file);
	return faults;
}

/* Errors and answers: all strings of the daemon's sources that are not rows. */
static void test_sources(void)
{
	glob_t found;
	int faults = 0;
	char *pattern = xasprintf("%s/src/daemon/*/*.c", getenv("MUXBUS_SRCDIR"));
	if (glob(pattern, 0, NULL, &found) != 0)
		found.gl_pathc = 0;
	ok(found.gl_pathc > 100, "%zu sources are read", found.gl_pathc);
	for (size_t i = 0; i < found.gl_pathc; i++)
		faults += check_source(found.gl_pathv[i]);
	is_int(faults, 0, "errors and answers name tools of the list only");
	globfree(&found);
	mem_free(pattern);
}

/* "See NAME" is for those who have it. */
static void test_see(void)
{
	static const char text[] = "there is no job \"A1\": see list_jobs";
	const struct method *tool = method_find("wait_for");
	struct mcp_tool_set set;
	struct daemon daemon = {0};
	struct buf out;
	char reason[MCP_TOOL_SET_REASON];
	buf_init(&out, 1000);
	mcp_tool_set_default(&set);
	mcp_advice_write(&out, &daemon, tool, &set, MESSAGE_BUSY, text);
	ok(strstr((char *)out.data, "no job \"A1\".\n") != NULL, "without list_jobs: no word");
	mcp_advice_write(&out, &daemon, tool, &set, MESSAGE_BUSY,
	    "there is no window @9; list_windows lists the existing ones");
	ok(strstr((char *)out.data, "no window @9.\n") != NULL, "nor of list_windows");
	buf_clear(&out);
	(void)mcp_tool_set_read(&set, "default,jobs", reason);
	mcp_advice_write(&out, &daemon, tool, &set, MESSAGE_BUSY, text);
	ok(strstr((char *)out.data, "see list_jobs.\n") != NULL, "with it: the hint stays");
	buf_finish(&out);
}

/* Sets. */

static size_t set_size(const struct mcp_tool_set *set)
{
	size_t count = 0;
	for (const struct method *m = method_next(NULL); m != NULL; m = method_next(m))
		count += mcp_tool_set_has(set, m);
	return count;
}

static void test_sets(void)
{
	static const struct {
		const char *text;
		const char *has; /* one that is in it */
		const char *lacks;
		const char *reason; /* NULL: all words are known */
	} sets[] = {
	    {"default", "wait_for", "send_task", NULL},
	    {"all", "send_task", "shutdown", NULL},
	    {"agents", "send_task", "wait_for", NULL},
	    {"daemon", "status", "shutdown", NULL},
	    {"default,agents,read_job", "read_job", "list_jobs", NULL},
	    {",default,,send_task,", "send_task", "respond", NULL},
	    {"", NULL, "wait_for", NULL},
	    {"default,agnets", "wait_for", "send_task", "\"agnets\"; did you mean \"agents\"?"},
	    {"default,sendtask", "wait_for", "send_task", "did you mean \"send_task\"?"},
	    {"defualt", NULL, "wait_for", "did you mean \"default\"?"},
	    {"shutdown", NULL, "shutdown", "\"shutdown\"; describe has both"},
	    {"zzzzzzzzzzzz", NULL, "wait_for", "describe has both"},
	};
	char longest[300];
	struct mcp_tool_set set;
	char reason[MCP_TOOL_SET_REASON];
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		bool is_good = mcp_tool_set_read(&set, sets[i].text, reason);
		ok(is_good == (sets[i].reason == NULL) &&
			(is_good || strstr(reason, sets[i].reason) != NULL),
		    "\"%s\": %s", sets[i].text, is_good ? "known" : reason);
		ok((sets[i].has == NULL || mcp_tool_set_has(&set, method_find(sets[i].has))) &&
			!mcp_tool_set_has(&set, method_find(sets[i].lacks)),
		    "its %zu tools", set_size(&set));
	}
	memset(longest, 'a', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	ok(!mcp_tool_set_read(&set, longest, reason) && set_size(&set) == 0, "a word of 299 bytes");
}

/* No method is without a group, and no group without a method. */
static void test_groups(void)
{
	int faults = 0;
	for (const struct method *m = method_next(NULL); m != NULL; m = method_next(m))
		faults += method_group(m) == NULL;
	is_int(faults, 0, "each method has a group");
	for (const char *const *group = method_groups; *group != NULL; group++) {
		struct mcp_tool_set set;
		char reason[MCP_TOOL_SET_REASON];
		faults += !mcp_tool_set_read(&set, *group, reason) || set_size(&set) == 0;
		faults += method_find(*group) != NULL;
	}
	is_int(faults, 0, "and each group has methods");
}

/* Names. */

static void test_names(void)
{
	static const struct {
		const char *name;
		const char *method; /* NULL: none */
		const char *nearest; /* NULL: not asked for */
	} names[] = {
	    {"list_panes", "list_panes", NULL},
	    {"mcp__muxbus__list_panes", "list_panes", NULL},
	    {"mcp_muxbus_list_panes", "list_panes", NULL},
	    {"mcp__plugin_muxbus_muxbus__list_panes", "list_panes", NULL},
	    {"muxbus.list_panes", "list_panes", NULL},
	    {"muxbus-list_panes", "list_panes", NULL},
	    {"muxbus_list-panes", "list_panes", NULL},
	    {"muxbus/list_panes", "list_panes", NULL},
	    {"muxbus:list.panes", "list_panes", NULL},
	    {"list-panes", "list_panes", NULL},
	    {"mcp__muxbus__list_pane", NULL, "list_panes"},
	    {"muxbus.lst_panes", NULL, "list_panes"},
	    {"mcp__tmux__list_panes", NULL, "list_panes"},
	    {"other_wait_for", NULL, "wait_for"},
	    {"notmuxbus.list_panes", NULL, "list_panes"},
	    {"muxbus", NULL, NULL},
	    {"muxbus__", NULL, NULL},
	    {"", NULL, NULL},
	    {"mcp__muxbus__shutdown", "shutdown", NULL},
	    {"muxbus.nothing_of_that_kind", NULL, NULL},
	};
	char longest[1000];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct method *method = mcp_tool_named(names[i].name);
		is_str(
		    method != NULL ? method->name : NULL, names[i].method, "\"%s\"", names[i].name);
		if (names[i].nearest != NULL)
			is_str(mcp_tool_nearest(names[i].name), names[i].nearest, "is near");
	}
	memset(longest, 'a', sizeof longest);
	memcpy(longest, "muxbus.", 7);
	longest[sizeof longest - 1] = '\0';
	ok(mcp_tool_named(longest) == NULL && mcp_tool_nearest(longest) == NULL,
	    "a name of 1,000 bytes is none");
}

/* Agents. */

static void test_clients(void)
{
	static const struct {
		const char *name;
		int wait_sec;
	} known[] = {{"claude-code", 0}, {"codex-mcp-client", 280}, {"copilot-cli", 0},
	    {"gemini-cli-mcp-client", 570}, {"gemini-cli-mcp-client-muxbus", 570}, {"opencode", 0},
	    {"", 50}, {"something", 50}, {"claude", 50}};
	int faults = 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const struct mcp_client *client = mcp_client_find(known[i].name);
		struct buf out;
		const char *text;
		buf_init(&out, MCP_INSTRUCTIONS_MAX);
		faults += client->wait_sec != known[i].wait_sec;
		mcp_client_instructions(&out, client, i & 1 ? "%4294967294" : NULL);
		/* A full buffer would have lost its last line. */
		text = (const char *)out.data;
		faults += !strstr(text, client->waiting) || !strstr(text, "Never poll") ||
		    !strstr(text, "the next call.\n");
		faults += !strstr(text, i & 1 ? "typed into your pane %4294967294" : "in no pane");
		buf_finish(&out);
	}
	is_int(faults, 0, "each agent is known, with its way of waiting, in %d bytes",
	    MCP_INSTRUCTIONS_MAX);
}

struct read_args {
	char room[512];
};

static void test_narrow(void)
{
	const struct method *method = method_find("read_job");
	struct field_error error;
	struct json_error json_error;
	struct buf scratch;
	static const struct {
		const char *params;
		int64_t bytes;
	} cases[] = {{"{\"job\":\"A1B2\"}", 7000}, {"{\"job\":\"A1B2\",\"max_bytes\":100}", 100},
	    {"{\"job\":\"A1B2\",\"max_bytes\":500000}", 15000}};
	const struct field *field = method->fields;
	while (strcmp(field->name, "max_bytes") != 0)
		field++;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct read_args args __attribute__((aligned(16)));
		buf_init(&scratch, 1000);
		(void)field_read(method->fields,
		    json_read(reader, cases[i].params, strlen(cases[i].params), &json_error), &args,
		    method->args_size, &scratch, &error);
		mcp_advice_narrow(method, &args);
		is_int(*(int64_t *)(void *)(args.room + field->offset), cases[i].bytes,
		    "%s: no more than fits", cases[i].params);
		buf_finish(&scratch);
	}
}

int main(void)
{
	tables_register();
	reader = json_reader_new((size_t)1 << 24);
	test_list();
	test_cut();
	test_bidi();
	test_cut_arrays();
	test_shown();
	test_shown_base64();
	test_texts();
	test_descriptions();
	test_sources();
	test_see();
	test_sets();
	test_groups();
	test_names();
	test_clients();
	test_narrow();
	json_reader_free(reader);
	return done_testing();
}
