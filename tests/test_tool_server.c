/* SPDX-License-Identifier: ISC */
/* Servers of tools: which one answers whom, with which arguments. tests/fake_tool_server serves. */
#include "daemon/tool/tool_server.h"

#include <muxbus.h>

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/core/pane_ref.h"
#include "daemon/tool/declaration_read.h"
#include "tap.h"

enum { WAIT_MS = 20000, TEXT_MAX = 1024 };

extern char **environ;

static struct event_base *base;
static char program[512];

struct outcome {
	struct tool_server_call *call;
	int done, progress;
	bool is_failed;
	enum message_error error;
	char text[TEXT_MAX];
};

static void on_answered(void *data, const struct tool_server_answer *answer)
{
	struct outcome *outcome = data;
	const struct json *content = json_member(answer->result, "content");
	const struct json *text = content != NULL ? json_member(content->child, "text") : NULL;
	outcome->done++;
	outcome->is_failed = answer->is_failed;
	outcome->error = answer->error;
	(void)snprintf(outcome->text, sizeof outcome->text, "%s",
	    answer->is_failed  ? answer->text
		: text != NULL ? text->text
			       : "(no text)");
}

static void on_progressed(void *data, const struct json *params)
{
	struct outcome *outcome = data;
	outcome->progress += json_member(params, "progress") != NULL;
}

static int forgotten;

static void on_forgotten(void *data)
{
	(void)data;
	forgotten++;
}

static const struct tool_server_handlers handlers = {on_answered, on_progressed, on_forgotten};

/* A declaration of a tool of the fake server, with members as JSON. */
static struct declaration *declare(const char *name, const char *per, const char *members)
{
	struct json_reader *reader = json_reader_new(DECLARATION_BYTES_MAX);
	char reason[DECLARATION_REASON_SIZE];
	char *text = xasprintf("{\"name\":\"%s\",\"group\":\"test\",\"description\":\"A test.\","
			       "\"server\":{\"name\":\"fake\",\"command\":[\"fake\",\"--pages\","
			       "\"2\"],\"per\":\"%s\",\"idle_sec\":600},%s}",
	    name, per, members);
	struct declaration *declaration = declaration_read(reader, text, strlen(text), reason);
	if (declaration == NULL)
		diag("%s: %s", text, reason);
	mem_free(text);
	json_reader_free(reader);
	return declaration;
}

static struct pane_ref pane_of(uint32_t id)
{
	struct pane_ref pane;
	pane_ref_clear(&pane);
	pane.pane = id;
	pane.pane_pid = 1000 + (pid_t)id;
	pane.server_pid = 999;
	return pane;
}

static void begin(struct tool_server_pool *pool, const struct declaration *declaration,
    const struct pane_ref *pane, const char *arguments, struct outcome *outcome)
{
	struct tool_server_caller caller = {.pane = pane};
	*outcome = (struct outcome){0};
	if (tool_server_needs_program(pool, declaration, pane)) {
		caller.program = program;
		caller.env = (const char *const *)environ;
		caller.cwd = "/";
	}
	outcome->call = tool_server_call(
	    pool, declaration, &caller, arguments, strlen(arguments), &handlers, outcome);
}

static const char *finish(struct outcome *outcome)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while (outcome->done == 0 && clock_mono_ms() < end_ms) {
		struct timeval tick = {0, 20000};
		(void)event_base_loopexit(base, &tick);
		(void)event_base_loop(base, EVLOOP_ONCE);
	}
	return outcome->done == 1 ? outcome->text : "(no answer)";
}

static const char *call(struct tool_server_pool *pool, const struct declaration *declaration,
    const struct pane_ref *pane, const char *arguments, struct outcome *outcome)
{
	begin(pool, declaration, pane, arguments, outcome);
	return finish(outcome);
}

static size_t count_servers(const struct tool_server_pool *pool)
{
	const struct tool_server *server = NULL;
	size_t count = 0;
	while ((server = tool_server_next(pool, server)) != NULL)
		count++;
	return count;
}

static void test_owners(void)
{
	struct declaration *per_pane = declare("here", "pane", "\"tool\":\"place\"");
	struct declaration *per_daemon = declare("there", "daemon", "\"tool\":\"place\"");
	struct tool_server_pool *pool = tool_server_pool_new(base);
	struct pane_ref one = pane_of(1), two = pane_of(2), none;
	struct tool_server_status status;
	struct outcome outcome;
	char first[TEXT_MAX], second[TEXT_MAX];
	pane_ref_clear(&none);
	(void)snprintf(first, sizeof first, "%s", call(pool, per_pane, &one, "{}", &outcome));
	ok(strtol(first, NULL, 10) > 1, "a server: %s", first);
	is_str(call(pool, per_pane, &one, "{}", &outcome), first, "it answers its pane again");
	ok(strcmp(call(pool, per_pane, &two, "{}", &outcome), first) != 0, "not another one");
	(void)snprintf(second, sizeof second, "%s", call(pool, per_daemon, &one, "{}", &outcome));
	is_int((long long)count_servers(pool), 3, "one of the daemon is another one");
	is_str(strchr(first, ' '), " /", "one of a pane works in the caller's directory");
	is_str(strchr(second, ' '), " /tmp", "one of the daemon at home");
	is_str(call(pool, per_daemon, &two, "{}", &outcome), second, "for all panes");
	is_str(call(pool, per_pane, &none, "{}", &outcome), second, "and for callers without one");
	tool_server_read_status(tool_server_next(pool, NULL), &status);
	is_str(status.name, "fake", "its name");
	is_int(status.pane, 1, "its pane");
	is_str(status.state, "ready", "its state");
	is_int(status.pid, strtol(first, NULL, 10), "its pid");
	ok(status.rss_bytes > 100000, "its memory: %lld", (long long)status.rss_bytes);
	is_int((long long)status.calls, 2, "its calls");
	ok(status.reason == NULL, "nothing is wrong");
	tool_server_pool_free(pool);
	declaration_free(per_pane);
	declaration_free(per_daemon);
}

static void test_names(void)
{
	struct declaration *slow = declare("rest", "pane",
	    "\"tool\":\"slow\",\"arguments\":{\"ms\":\"duration\"},\"parameters\":{\"type\":"
	    "\"object\",\"properties\":{\"duration\":{\"type\":\"integer\"}}}");
	struct declaration *echo = declare("echo", "pane",
	    "\"arguments\":{\"their\":\"ours\"},\"parameters\":{\"type\":\"object\","
	    "\"properties\":{\"ours\":{\"type\":\"string\"},\"same\":{\"type\":\"array\"}}}");
	struct declaration *wrong = declare("env", "pane", "\"tool\":\"env\"");
	struct declaration *progress = declare("counting", "pane",
	    "\"tool\":\"progress\",\"parameters\":{\"type\":\"object\",\"properties\":{"
	    "\"count\":{\"type\":\"integer\"}}}");
	struct tool_server_pool *pool = tool_server_pool_new(base);
	struct pane_ref pane = pane_of(1);
	struct outcome outcome;
	ok(tool_server_mismatch(pool, wrong) == NULL, "no server was asked yet");
	is_str(call(pool, slow, &pane, "{\"duration\":1}", &outcome), "slow",
	    "a parameter has the name that the server has for it");
	ok(strstr(
	       call(pool, echo, &pane, "{\"ours\":\"\\u00e9\\n\",\"same\":[1.50,null]}", &outcome),
	       "\"arguments\":{\"their\":\"é\\n\",\"same\":[1.50,null]}") != NULL,
	    "others have ours: %s", outcome.text);
	is_str(call(pool, progress, &pane, "{\"count\":3}", &outcome), "with progress",
	    "progress is asked for");
	is_int(outcome.progress, 3, "and passed on");
	is_str(call(pool, wrong, &pane, "{}", &outcome),
	    "the server \"fake\" does not fit its declaration: its tool \"env\" requires what the "
	    "declaration does not give: \"name\"",
	    "a declaration that gives too little");
	is_int(outcome.error, MESSAGE_TOOL_FAILED, "its kind");
	is_str(tool_server_mismatch(pool, wrong),
	    "its tool \"env\" requires what the declaration does not give: \"name\"",
	    "which is seen without a call");
	ok(tool_server_mismatch(pool, slow) == NULL, "a renamed parameter fits");
	tool_server_pool_free(pool);
	declaration_free(slow);
	declaration_free(echo);
	declaration_free(wrong);
	declaration_free(progress);
}

static void test_limit(void)
{
	struct declaration *place = declare("place", "pane", "\"title\":\"Place\"");
	struct tool_server_pool *pool = tool_server_pool_new(base);
	struct outcome outcomes[TOOL_SERVERS_MAX + 2];
	struct pane_ref pane;
	for (uint32_t at = 0; at < TOOL_SERVERS_MAX + 2; at++) {
		pane = pane_of(at);
		begin(pool, place, &pane, "{}", &outcomes[at]);
	}
	tool_server_cancel(outcomes[TOOL_SERVERS_MAX + 1].call);
	for (size_t at = 0; at < TOOL_SERVERS_MAX; at++)
		tool_server_cancel(outcomes[at].call);
	is_str(finish(&outcomes[TOOL_SERVERS_MAX]),
	    "64 servers of tools run already, the most there may be, see list_tools",
	    "too many servers");
	is_int(outcomes[TOOL_SERVERS_MAX].error, MESSAGE_LIMIT, "the kind of this");
	is_int(outcomes[TOOL_SERVERS_MAX + 1].done, 0, "a cancelled one has no answer");
	pane = pane_of(TOOL_SERVERS_MAX);
	ok(strstr(call(pool, place, &pane, "{}", &outcomes[0]), " /") != NULL,
	    "servers that do not run make room: %s", outcomes[0].text);
	is_int((long long)count_servers(pool), TOOL_SERVERS_MAX, "as much as is needed");
	forgotten = 0;
	begin(pool, place, &pane, "{}", &outcomes[0]);
	tool_server_pool_free(pool);
	is_int(forgotten, 1, "a call under way is forgotten with its pool");
	is_int(outcomes[0].done, 0, "without an answer");
	declaration_free(place);
}

int main(void)
{
	const char *build = getenv("MUXBUS_BUILDDIR");
	(void)signal(SIGPIPE, SIG_IGN);
	(void)snprintf(
	    program, sizeof program, "%s/tests/fake_tool_server", build != NULL ? build : ".");
	(void)setenv("HOME", "/tmp", 1);
	base = event_base_new();
	test_owners();
	test_names();
	test_limit();
	event_base_free(base);
	return done_testing();
}
