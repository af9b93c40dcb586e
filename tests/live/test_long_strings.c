/* SPDX-License-Identifier: ISC */
/*
 * Long and hostile strings, in every string field of every method as describe lists them, in
 * conditions, names and titles: each line that any peer, subscription or verb gets is JSON. The
 * conversations of the harness end the test at a line that is not.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum {
	PARAMS_MAX = 8 * 1024 * 1024,
	ERROR_MAX = 70000, /* bytes of a line with an error: its text, its data and the id */
	DRAIN_EVERY = 16,
};

/* The strings are made of these: as in JSON, and as they are. */
static const struct {
	const char *name, *json, *bytes;
} kinds[] = {
    {"plain", "long-", "long-"},
    {"control characters", "\\u001b]2;\\u0007\\n\\u007f", "\001\002"},
    {"U+202E", "\xe2\x80\xae\xc2\x9b", "\xe2\x80\xae"},
};

enum { BIDI = 2, KINDS = sizeof kinds / sizeof kinds[0] };

static const size_t sizes[] = {9000, 20000, 1024 * 1024};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

static char *samples[KINDS][SIZES]; /* the inside of strings in JSON */

/* A test in progress: two peers that ask, one that listens. */
struct test {
	struct live *live;
	struct talk *talk;
	struct talk *mcp;
	struct talk *events;
	char tty[64]; /* of pane %0 */
	const char *method, *params;
	const struct json *row; /* of the method */
	bool is_tool;
	unsigned places, calls, unanswered, too_long, bidi;
};

static char *repeat(const char *unit, size_t size)
{
	size_t len = strlen(unit), count = size / len + 1;
	char *text = xalloc(count * len + 1);
	for (size_t i = 0; i < count; i++)
		memcpy(text + i * len, unit, len);
	text[count * len] = '\0';
	return text;
}

static void make_samples(void)
{
	for (size_t kind = 0; kind < KINDS; kind++)
		for (size_t size = 0; size < SIZES; size++)
			samples[kind][size] = repeat(kinds[kind].json, sizes[size]);
}

static void drain(struct test *test)
{
	while (talk_line(test->events, 0) != NULL)
		continue;
}

static void check_response(struct test *test, struct talk *talk, const struct json *response)
{
	if (++test->calls % DRAIN_EVERY == 0)
		drain(test);
	if (response == NULL) {
		test->unanswered++;
		diag("%s: not answered: %.300s", test->method, test->params);
		diag("%.2000s", live_daemon_log(test->live));
	} else if (at(response, "error") != NULL && strlen(talk_text(talk)) > ERROR_MAX) {
		test->too_long++;
		diag("%s: an error of %zu bytes", test->method, strlen(talk_text(talk)));
	}
}

/* Asks with these parameters. */
static void ask(struct test *test, const char *params)
{
	check_response(test, test->talk, talk_call_json(test->talk, test->method, params));
	if (strcmp(test->method, "ensure_agent") == 0)
		(void)talk_call_json(
		    test->talk, "stop_agent", "{\"agent\":\"long\",\"force\":true}");
}

static void ask_tool(struct test *test, const char *params)
{
	const struct json *response;
	const char *text;
	struct buf call;
	buf_init(&call, PARAMS_MAX);
	(void)buf_printf(&call, "{\"name\":\"%s\",\"arguments\":%s}", test->method, params);
	response = talk_call_json(test->mcp, "tools/call", (const char *)call.data);
	check_response(test, test->mcp, response);
	text = at_str(response, "result.content.0.text");
	test->bidi += text != NULL && strstr(text, kinds[BIDI].bytes) != NULL;
	buf_finish(&call);
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);
	return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

static bool is_in(const struct json *names, const char *name)
{
	for (names = names != NULL ? names->child : NULL; names != NULL; names = names->next)
		if (strcmp(names->text, name) == 0)
			return true;
	return false;
}

static void put_other(
    struct buf *out, const struct json *property, const struct json *example, bool is_required)
{
	const struct json *value = json_member(example, property->name);
	const char *name = property->name, *type = at_str(property, "type");
	bool is_string = type != NULL && strcmp(type, "string") == 0;
	if (ends_with(name, "timeout_sec"))
		(void)buf_printf(out, ",\"%s\":0.05", name);
	else if (strcmp(name, "pane") == 0)
		(void)buf_append_str(out, ",\"pane\":\"%0\"");
	else if (strcmp(name, "name") == 0 && value != NULL)
		(void)buf_append_str(out, ",\"name\":\"long\"");
	else if (value != NULL && value->type == JSON_STRING)
		(void)buf_printf(out, ",\"%s\":\"%s\"", name, value->text);
	else if (is_required)
		(void)buf_printf(out, ",\"%s\":%s", name, is_string ? "\"x\"" : "1");
}

/* The members beside the one under test: as in the example, or small. */
static void put_others(struct buf *out, const struct json *schema, const struct json *example,
    const struct json *tested)
{
	const struct json *required = json_member(schema, "required");
	const struct json *property = json_member(schema, "properties");
	for (property = property->child; property != NULL; property = property->next)
		if (property != tested)
			put_other(out, property, example, is_in(required, property->name));
}

/* Asks with each sample, between these texts, as the value of a parameter. */
static void try_value(
    struct test *test, const struct json *tested, const char *before, const char *after)
{
	struct buf params;
	buf_init(&params, PARAMS_MAX);
	test->places++;
	for (size_t i = 0; i < KINDS * SIZES; i++) {
		/* The longest takes time: each place gets one of them, the next place another. */
		if (i % SIZES == SIZES - 1 && i / SIZES != test->places % KINDS)
			continue;
		buf_clear(&params);
		(void)buf_printf(&params, "{\"%s\":%s%s%s", tested->name, before,
		    samples[i / SIZES][i % SIZES], after);
		put_others(&params, json_member(test->row, "params"),
		    json_member(test->row, "example"), tested);
		(void)buf_append_byte(&params, '}');
		test->params = (const char *)params.data;
		ask(test, (const char *)params.data);
		if (test->is_tool && i % SIZES < 2)
			ask_tool(test, (const char *)params.data);
	}
	buf_finish(&params);
}

/* Each string of an object within a parameter: a condition, a filter. */
static void try_object(struct test *test, const struct json *tested, const struct json *schema,
    const char *open, const char *close)
{
	const struct json *property = json_member(schema, "properties");
	struct buf before, after;
	buf_init(&before, 256);
	buf_init(&after, 1024);
	for (property = property->child; property != NULL; property = property->next) {
		const char *type = at_str(property, "type");
		if (type != NULL && strcmp(type, "string") != 0)
			continue;
		buf_clear(&before);
		buf_clear(&after);
		(void)buf_printf(&before, "%s{\"%s\":\"", open, property->name);
		(void)buf_append_byte(&after, '"');
		put_others(&after, schema, NULL, property);
		(void)buf_printf(&after, "}%s", close);
		try_value(test, tested, (const char *)before.data, (const char *)after.data);
	}
	buf_finish(&before);
	buf_finish(&after);
}

/* A parameter, by its schema: all places of a string in it. */
static void try_property(struct test *test, const struct json *property)
{
	const char *type = at_str(property, "type");
	const struct json *items = at(property, "items.oneOf");
	if (type == NULL || strcmp(type, "string") == 0)
		try_value(test, property, "\"", "\"");
	if ((type == NULL || strcmp(type, "array") == 0) && items == NULL)
		try_value(test, property, "[\"", "\"]");
	if ((type == NULL || strcmp(type, "object") == 0) && !json_member(property, "properties")) {
		try_value(test, property, "{\"LONG\":\"", "\"}");
		try_value(test, property, "{\"", "\":\"x\"}");
	}
	for (items = items != NULL ? items->child : NULL; items != NULL; items = items->next)
		try_object(test, property, items, "[", "]");
	if (type != NULL && strcmp(type, "object") == 0 && json_member(property, "properties"))
		try_object(test, property, property, "", "");
}

static void try_method(struct test *test, const struct json *row)
{
	const struct json *property = at(row, "params.properties");
	const struct json unknown = {.type = JSON_OBJECT, .name = "no_such_member"};
	test->row = row;
	test->method = row->name;
	test->is_tool = at_true(row, "tool");
	if (property == NULL || strcmp(row->name, "shutdown") == 0)
		return;
	for (property = property->child; property != NULL; property = property->next) {
		const char *type = at_str(property, "type");
		if (type == NULL ||
		    (strcmp(type, "integer") != 0 && strcmp(type, "number") != 0 &&
			strcmp(type, "boolean") != 0))
			try_property(test, property);
	}
	try_value(test, &unknown, "\"", "\"");
}

/* All that can be read afterwards, from a peer that is new. */
static unsigned read_all(struct test *test)
{
	static const char *const methods[] = {"list_panes", "list_windows", "list_sessions",
	    "list_notifications", "list_events", "list_agents", "list_jobs", "list_timers",
	    "list_watches", "get_action_history", "status", "describe"};
	struct talk *talk = talk_new(test->live);
	unsigned failed = 0;
	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
		const struct json *response = talk_call_json(talk, methods[i], NULL);
		bool is_read = response != NULL && at(response, "result") != NULL;
		failed += !is_read;
		if (!is_read)
			diag("%s: %.300s", methods[i], response ? talk_text(talk) : "no answer");
	}
	talk_free(talk);
	return failed;
}

static void test_fields(struct test *test)
{
	struct json_reader *reader = json_reader_new(16 * 1024 * 1024);
	struct json_error error;
	struct talk *talk = talk_new(test->live);
	const struct json *described = talk_call(talk, "describe", NULL), *row;
	char *text = xstrdup(talk_text(talk));
	described = json_read(reader, text, strlen(text), &error);
	row = at(described, "result.methods");
	for (row = row->child; row != NULL; row = row->next)
		try_method(test, row);
	is_int(test->unanswered, 0, "each of %u calls is answered", test->calls);
	is_int(test->too_long, 0, "errors repeat no more than a part of a string");
	is_int(test->bidi, 0, "no text for a model has raw bidi controls");
	drain(test);
	ok(!talk_at_end(test->events), "the subscriber is still there");
	is_int(read_all(test), 0, "all lists can be read afterwards");
	talk_free(talk);
	json_reader_free(reader);
	mem_free(text);
}

/* Bytes that are no UTF-8 are refused by the reader; the next line is read. */
static void test_invalid(struct test *test)
{
	unsigned wrong = 0;
	for (size_t size = 0; size < SIZES; size++) {
		char *bytes = repeat("\xff\xc3\xe2\x80", sizes[size]);
		const struct json *response;
		talk_send(
		    test->talk, "{\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"%s\"}}", bytes);
		response = talk_line(test->talk, LIVE_TIMEOUT_MS);
		wrong += at_int(response, "error.code") != -32700;
		mem_free(bytes);
	}
	is_int(wrong, 0, "invalid UTF-8 of any length is a parse error");
}

/* Writes to the terminal of pane %0, as a program in it does. */
static void print_in_pane(struct test *test, const char *before, const char *text)
{
	int fd = open(test->tty, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (file == NULL || fprintf(file, "%s%s\033\\", before, text) < 0 || fclose(file) != 0)
		live_bail("%s: cannot be written", test->tty);
}

/* Waits for an event about a name; whether the name begins with the text, and is not too long. */
static bool is_told(struct test *test, const char *kind, const char *member, const char *text)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (live_now_ms() < end_ms) {
		const struct json *event;
		const char *name;
		(void)talk_call(test->talk, "status", "{\"audit\":true}");
		event = talk_event(test->events, 200, kind, NULL, NULL);
		name = at_str(event, member);
		if (name != NULL && strncmp(name, text, 5) == 0 && strlen(name) > 4090)
			return strlen(name) <= 4096;
	}
	return false;
}

/* Programs and people set names of any length: each event of it, and each list, can be read. */
static void test_names(struct test *test)
{
	static const size_t lengths[] = {9000, 20000, 540000};
	snprintf(test->tty, sizeof test->tty, "%s",
	    live_tmux(test->live, "display-message -p -t %%0 '#{pane_tty}'"));
	(void)live_tmux(test->live, "set -g allow-rename on");
	for (size_t kind = 0; kind < KINDS; kind += 2) {
		for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
			char *unit = repeat(kinds[kind].bytes, lengths[i]);
			char *text = xasprintf("%zu %s", lengths[i], unit);
			print_in_pane(test, "\033]2;", text);
			ok(is_told(test, "title_changed", "title", text),
			    "a title of %zu bytes, %s, is reported, and cut", lengths[i],
			    kinds[kind].name);
			if (i == 0) {
				print_in_pane(test, "\033k", text);
				ok(is_told(test, "window_renamed", "name", text),
				    "a window's name too");
				(void)live_tmux(test->live, "rename-session -t main '%s'", text);
				ok(is_told(test, "session_renamed", "name", text),
				    "a session's name too");
				(void)live_tmux(test->live, "rename-session main");
			}
			is_int(read_all(test), 0, "and all lists can be read");
			mem_free(unit);
			mem_free(text);
		}
	}
}

/* A program sits in a directory with as long a path as there may be. */
static void test_path(struct test *test)
{
	char *name = repeat(kinds[BIDI].bytes, 190);
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	size_t len = 0;
	(void)live_tmux(test->live,
	    "new-window -d 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do mkdir "
	    "%s; cd %s; done; exec sleep 1000'",
	    name, name);
	while (len < 3800 && live_now_ms() < end_ms) {
		const struct json *panes =
		    at(talk_call(test->talk, "list_panes", NULL), "result.panes");
		for (panes = panes->child; panes != NULL; panes = panes->next)
			len = json_member(panes, "path")->len > len
			    ? json_member(panes, "path")->len
			    : len;
	}
	ok(len >= 3800 && len <= 4096, "a path of %zu bytes", len);
	is_int(read_all(test), 0, "and all lists can be read");
	mem_free(name);
}

/* How many lines of a verb's output are not JSON; -1: there is no output. */
static int count_bad_lines(struct test *test, const char *words)
{
	struct json_reader *reader = json_reader_new(16 * 1024 * 1024);
	const char *text = live_run(test->live, "timeout 10 %s/muxbus --json -s %s %s",
	    getenv("MUXBUS_BUILDDIR") != NULL ? getenv("MUXBUS_BUILDDIR") : ".", test->live->socket,
	    words);
	struct json_error error;
	int bad = *text != '\0' ? 0 : -1;
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");
		bad += json_read(reader, text, len, &error) == NULL;
		text += text[len] == '\n' ? len + 1 : len;
	}
	json_reader_free(reader);
	return bad;
}

static void test_verbs(struct test *test)
{
	static const char *const verbs[] = {"list_panes", "list_events limit=1000",
	    "list_notifications", "list_agents", "list_windows", "list_sessions", "list_jobs",
	    "list_watches", "get_action_history", "top", "status", "doctor",
	    "watch --after 0 -n 100", "capture_pane pane_id=%0", "get_pane pane=%0"};
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
		is_int(count_bad_lines(test, verbs[i]), 0, "muxbus %s", verbs[i]);
}

/* A wait that cannot be kept is refused: its name would promise that it can be resumed. */
static void test_wait(struct test *test)
{
	char *file = repeat("/long-", 4000), *regex = repeat("long-", 4000);
	struct buf params;
	buf_init(&params, PARAMS_MAX);
	(void)buf_append_str(&params, "{\"wait\":\"long\",\"timeout_sec\":60,\"any\":[");
	for (int i = 0; i < 64; i++)
		(void)buf_printf(
		    &params, "%s{\"file\":\"%s\",\"regex\":\"%s\"}", i > 0 ? "," : "", file, regex);
	(void)buf_append_str(&params, "]}");
	is_str(at_str(talk_call_json(test->talk, "wait_for", (const char *)params.data),
		   "error.data.kind"),
	    "limit", "a named wait of %zu bytes is refused", params.len);
	buf_finish(&params);
	mem_free(file);
	mem_free(regex);
}

/* The notification of a crash survives with all others. */
static void test_restart(struct test *test)
{
	char *command = repeat("no-such-program ", 20000);
	const struct json *response;
	size_t before, after;
	response = talk_call(test->talk, "ensure_agent",
	    "{\"name\":\"big\",\"command\":\"%s\",\"startup_timeout_sec\":5}", command);
	ok(at(response, "error") != NULL, "an agent with a command of 20 kB does not come up");
	response = talk_call(test->talk, "list_notifications", "{\"limit\":1000}");
	before = at(response, "result.notifications")->count;
	ok(strstr(talk_text(test->talk), "\"command_cut\":true") != NULL,
	    "its notification says what was cut");
	talk_free(test->talk);
	(void)live_stop_daemon(test->live, SIGKILL);
	live_start_daemon(test->live, NULL);
	test->talk = talk_new(test->live);
	response = talk_call(test->talk, "list_notifications", "{\"limit\":1000}");
	after = at(response, "result.notifications")->count;
	ok(after >= before, "after kill -9 it is there with all others: %zu, %zu", before, after);
	ok(strstr(live_daemon_log(test->live), "cannot be read") == NULL, "no record is lost");
	is_int(read_all(test), 0, "all lists can be read");
	mem_free(command);
}

static void connect_mcp(struct test *test)
{
	test->mcp = talk_new(test->live);
	(void)talk_call_json(test->mcp, "initialize",
	    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
	    "\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}");
	talk_send(test->mcp, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

int main(void)
{
	struct test test = {.live = live_start(NULL, "exec cat >/dev/null")};
	make_samples();
	test.talk = talk_new(test.live);
	test.events = talk_new(test.live);
	connect_mcp(&test);
	(void)talk_call_json(test.events, "subscribe", "{\"output\":true}");
	test_fields(&test);
	test_invalid(&test);
	test_names(&test);
	test_path(&test);
	test_verbs(&test);
	test_wait(&test);
	test_restart(&test);
	talk_free(test.talk);
	talk_free(test.mcp);
	talk_free(test.events);
	live_free(test.live);
	for (size_t i = 0; i < KINDS * SIZES; i++)
		mem_free(samples[i / SIZES][i % SIZES]);
	return done_testing();
}
