/* SPDX-License-Identifier: ISC */
/* MCP servers: a real process that is scripted (tests/fake_tool_server), good and bad. */
#include "tools/mcp_server.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "io/loop_timer.h"
#include "tap.h"
#include "wire/json.h"

enum { WAIT_MS = 20000, WORDS_MAX = 16, TEXT_MAX = 2048 };

extern char **environ;

static struct event_base *base;
static char program[512], supervisor[512], dir[64], log_path[80];

/* A server, and what was heard of it. */
struct rig {
	struct mcp_server *server;
	const char *argv[WORDS_MAX];
	const char *const *env;
	const char *cwd;
	int64_t start_ms;
	char *words; /* memory of argv's words */
	int listed, changing, ended; /* how often each was called */
	char *rows; /* the last ones */
	char reason[TEXT_MAX]; /* of its end; "": none */
};

/* A call, and its outcome. */
struct outcome {
	struct mcp_server_call *call;
	int done, progress;
	enum message_error error;
	bool is_good;
	char text[TEXT_MAX]; /* the error, or the text of the answer */
	size_t text_len; /* of the whole answer */
};

static void on_listed(void *data, const char *rows)
{
	struct rig *rig = data;
	rig->listed++;
	mem_free(rig->rows);
	rig->rows = xstrdup(rows);
}

static void on_changing(void *data)
{
	struct rig *rig = data;
	rig->changing++;
}

static void on_ended(void *data, const char *reason)
{
	struct rig *rig = data;
	rig->ended++;
	(void)snprintf(rig->reason, sizeof rig->reason, "%s", reason != NULL ? reason : "");
}

/* words: options of the fake server, with blanks between. */
static void rig_prepare(struct rig *rig, const char *words)
{
	size_t count = 0;
	char *rest = xstrdup(words), *word;
	*rig = (struct rig){
	    .words = rest, .env = (const char *const *)environ, .cwd = dir, .start_ms = WAIT_MS};
	rig->argv[count++] = program;
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			rig->argv[count++] = word;
	(void)unlink(log_path);
}

static void rig_start(struct rig *rig)
{
	static const struct mcp_server_handlers handlers = {
	    .listed = on_listed, .changing = on_changing, .ended = on_ended};
	rig->server = mcp_server_new(&(struct mcp_server_parts){.base = base,
	    .supervisor = supervisor,
	    .start_ms = rig->start_ms,
	    .name = "fake",
	    .program = {.argv = rig->argv, .env = rig->env, .cwd = rig->cwd},
	    .handlers = &handlers,
	    .data = rig});
}

static void rig_open(struct rig *rig, const char *words)
{
	rig_prepare(rig, words);
	rig_start(rig);
}

/* Runs the loop until one of two counts is reached, or a time has passed. */
static bool run_until_any(const int *count, int want, const int *other)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while (*count < want && *other == 0 && clock_mono_ms() < end_ms) {
		struct timeval tick = {0, 20000};
		(void)event_base_loopexit(base, &tick);
		(void)event_base_loop(base, EVLOOP_ONCE);
	}
	return *count >= want;
}

static bool run_until(const int *count, int want)
{
	static const int never;
	return run_until_any(count, want, &never);
}

static void rig_close(struct rig *rig)
{
	mcp_server_stop(rig->server, "is not needed");
	ok(run_until(&rig->ended, 1), "its server has ended");
	mcp_server_free(rig->server);
	mem_free(rig->rows);
	mem_free(rig->words);
}

static void on_done(void *data, const struct mcp_answer *answer)
{
	struct outcome *outcome = data;
	const struct json *content = json_member(answer->result, "content");
	const struct json *text = content != NULL ? json_member(content->child, "text") : NULL;
	outcome->done++;
	outcome->error = answer->error;
	outcome->is_good = answer->result != NULL;
	outcome->text_len = text != NULL ? text->len : 0;
	(void)snprintf(outcome->text, sizeof outcome->text, "%s",
	    answer->result == NULL ? answer->text
		: text != NULL     ? text->text
				   : "(no text)");
}

static void on_progress(void *data, const struct json *params)
{
	struct outcome *outcome = data;
	const struct json *progress = json_member(params, "progress");
	int64_t number = 0;
	if (progress != NULL && json_int(progress, &number) && number == outcome->progress + 1)
		outcome->progress++;
}

/* Begins a call when the server is ready. False if it does not become ready. */
static bool begin(struct rig *rig, struct outcome *outcome, const char *tool, const char *arguments)
{
	struct mcp_order order = {.tool = tool,
	    .arguments = arguments,
	    .arguments_len = strlen(arguments),
	    .progress = on_progress,
	    .done = on_done,
	    .data = outcome};
	*outcome = (struct outcome){0};
	if (!run_until_any(&rig->listed, 1, &rig->ended))
		return false;
	outcome->call = mcp_server_call(rig->server, &order);
	return true;
}

/* Calls and waits. Returns the text, or why the server has ended. */
static const char *call(
    struct rig *rig, struct outcome *outcome, const char *tool, const char *arguments)
{
	if (!begin(rig, outcome, tool, arguments))
		return rig->reason;
	return run_until(&outcome->done, 1) ? outcome->text : "(no answer)";
}

/* Returns the lines that the server has read, up to one with a text; "" if none comes. */
static const char *logged(const char *text)
{
	static char read_text[65536];
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	do {
		FILE *file = fopen(log_path, "r");
		size_t len = file != NULL ? fread(read_text, 1, sizeof read_text - 1, file) : 0;
		struct timeval tick = {0, 5000};
		read_text[len] = '\0';
		if (file != NULL)
			(void)fclose(file);
		if (strstr(read_text, text) != NULL)
			return read_text;
		(void)event_base_loopexit(base, &tick);
		(void)event_base_loop(base, 0);
	} while (clock_mono_ms() < end_ms);
	return "";
}

static bool contains(const char *text, const char *part)
{
	bool is_there = strstr(text, part) != NULL;
	if (!is_there)
		diag("\"%s\" is not in: %s", part, text);
	return is_there;
}

static void test_talk(const char *options)
{
	/* Messages that mean nothing. */
	static const char *const odd[] = {
	    "{\"line\":\"{}\"}",
	    "{\"line\":\"{\\\"result\\\":{}}\"}",
	    "{\"line\":\"{\\\"id\\\":999,\\\"result\\\":{}}\"}",
	    "{\"line\":\"{\\\"id\\\":\\\"6\\\",\\\"result\\\":{}}\"}",
	    "{\"line\":\"{\\\"method\\\":3,\\\"id\\\":null}\"}",
	    "{\"line\":\"{\\\"method\\\":\\\"notifications/progress\\\",\\\"params\\\":[]}\"}",
	    "{\"line\":\"[]\"}",
	    "{\"line\":\"\"}",
	};
	struct rig rig;
	struct outcome outcome;
	char words[256];
	(void)snprintf(words, sizeof words, "--pages 3 --log %s %s", log_path, options);
	rig_open(&rig, words);
	ok(contains(call(&rig, &outcome, "echo", "{\"ms\":1,\"text\":\"\\u20ac\"}"),
	       "{\"name\":\"echo\",\"arguments\":{\"ms\":1,\"text\":\"\\u20ac\"},\"_meta\":{"
	       "\"progressToken\":5}}"),
	    "a call and its answer%s", options);
	ok(outcome.is_good, "no error");
	ok(strstr(rig.rows,
	       "[{\"name\":\"echo\",\"parameters\":{\"required\":[]}},{\"name\":"
	       "\"slow\",\"parameters\":{\"required\":[\"ms\"]}},") == rig.rows,
	    "its tools as rows: %s", rig.rows);
	is_str(call(&rig, &outcome, "progress", "{\"count\":5}"), "with progress", "progress");
	is_int(outcome.progress, 5, "each report of it");
	is_str(call(&rig, &outcome, "ask", "{}"),
	    "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":7.0,\"error\":{\"code\":-32601,\"message\":\"muxbus only "
	    "calls tools\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"error\":{\"code\":-32601,\"message\":\"muxbus "
	    "only "
	    "calls tools\"}}\n",
	    "questions of the server");
	is_str(call(&rig, &outcome, "error", "{}"), "the server \"fake\" answered: no such element",
	    "an error of the server");
	is_int(outcome.error, MESSAGE_TOOL_FAILED, "its kind");
	is_str(call(&rig, &outcome, "say", "{\"line\":\"a log line\"}"), "said",
	    "a line that is no message is passed over");
	for (size_t at = 0; at < sizeof odd / sizeof *odd; at++)
		is_str(call(&rig, &outcome, "say", odd[at]), "said", "an odd message: %s", odd[at]);
	ok(contains(logged("initialize"),
	       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
	       "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":"
	       "\"muxbus\",\"version\":\""),
	    "initialize");
	ok(contains(logged("initialize"),
	       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
	       "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
	       "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":"
	       "\"1\"}}\n"),
	    "then the list, page by page");
	is_int(rig.listed, 1, "the list came once");
	rig_close(&rig);
	ok(contains(logged("end"), "end"), "its input has ended");
}

static void test_place(void)
{
	struct rig rig;
	struct outcome outcome;
	const char *const env[] = {"NAME=of the pane", "PATH=/usr/bin:/bin", NULL};
	rig_prepare(&rig, "");
	rig.env = env;
	rig_start(&rig);
	is_str(call(&rig, &outcome, "env", "{\"name\":\"NAME\"}"), "of the pane",
	    "the environment is the caller's");
	is_str(call(&rig, &outcome, "env", "{\"name\":\"HOME\"}"), "(unset)", "and no other");
	ok(strtol(call(&rig, &outcome, "place", "{}"), NULL, 10) > 1, "the pid: %s", outcome.text);
	is_str(strchr(outcome.text, ' ') + 1, dir, "and the directory");
	rig_close(&rig);

	rig_prepare(&rig, "");
	rig.argv[0] = "sh";
	rig.argv[1] = "-c";
	rig.argv[2] = "exec \"$0\"";
	rig.argv[3] = program;
	rig_start(&rig);
	ok(contains(call(&rig, &outcome, "place", "{}"), dir), "a program of the PATH");
	rig_close(&rig);
}

static void test_at_once(void)
{
	struct outcome outcomes[4];
	struct rig rig;
	rig_open(&rig, "");
	for (int at = 0; at < 3; at++)
		(void)begin(&rig, &outcomes[at], "slow", "{\"ms\":60000}");
	is_str(call(&rig, &outcomes[3], "slow", "{\"ms\":1}"), "slow",
	    "a short call behind long ones");
	for (int at = 0; at < 3; at++) {
		is_int(outcomes[at].done, 0, "long call %d still runs", at);
		mcp_server_cancel(outcomes[at].call, "the caller has left");
	}
	rig_close(&rig);
}

static void test_cancel(void)
{
	char words[128];
	struct outcome outcome;
	struct rig rig;
	(void)snprintf(words, sizeof words, "--log %s", log_path);
	rig_open(&rig, words);
	(void)call(&rig, &outcome, "echo", "{}");
	(void)begin(&rig, &outcome, "slow", "{\"ms\":60000}");
	mcp_server_cancel(outcome.call, "timeout");
	ok(contains(logged("cancelled"),
	       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
	       "\"requestId\":4,\"reason\":\"timeout\"}}"),
	    "the server hears of a call that is cancelled");
	(void)begin(&rig, &outcome, "slow", "{\"ms\":60000}");
	ok(contains(logged("\"id\":5"), "60000"), "a call runs");
	mcp_server_cancel(outcome.call, "the caller has left");
	ok(contains(logged("has left"), "\"requestId\":5,\"reason\":\"the caller has left\""),
	    "its caller leaves");
	is_int(outcome.done, 0, "without an answer");
	ok(contains(call(&rig, &outcome, "echo", "{}"), "echo"), "the server serves on");
	rig_close(&rig);
}

/* Servers that never become ready, and the reasons. */
static void test_unusable(void)
{
	static const struct {
		const char *words, *want;
		int64_t start_ms;
	} rows[] = {
	    {"--hang initialize", "did not answer initialize within 0.3 s", 300},
	    {"--hang tools/list --say hello", "tools/list within 1.5 s; it wrote: hello", 1500},
	    {"--hang initialize --flood", "did not answer initialize within 1.5 s: ffff", 1500},
	    {"--garbage", "does not speak MCP; it wrote: Listening on port 8080 \\x1b[31m\\xff",
		WAIT_MS},
	    {"--say {oops", "wrote a message that cannot be read: ", WAIT_MS},
	    {"--say \xef\xbb\xbf{oops", "wrote a message that cannot be read: ", WAIT_MS},
	    {"--version 1999-01-01",
		"speaks the version 1999-01-01 of MCP; muxbus speaks 2024-11-05 to 2025-11-25",
		WAIT_MS},
	    {"--refuse initialize", "refused initialize: not today", WAIT_MS},
	    {"--refuse tools/list", "refused tools/list: not today", WAIT_MS},
	    {"--pages 0", "cannot be used: its list of tools has more than 64 pages", WAIT_MS},
	    {"--die nowhere", "did not start: exit status 3: nowhere", WAIT_MS},
	};
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		struct outcome outcome;
		struct rig rig;
		rig_prepare(&rig, rows[at].words);
		rig.start_ms = rows[at].start_ms;
		rig_start(&rig);
		ok(contains(call(&rig, &outcome, "echo", "{}"), rows[at].want), "%s: %s",
		    rows[at].words, rows[at].want);
		is_int(rig.listed, 0, "it has no list");
		rig_close(&rig);
	}
}

/* The lines of standard error that say why. */
static void test_remarks(void)
{
	static const struct {
		const char *said, *want;
	} rows[] = {
	    {"a\n\nb \r\n \n", "b"},
	    {"npm warn old\nnpm error code E404\nnpm error 404 Not Found\nnpm notice new",
		"npm error code E404; npm error 404 Not Found"},
	    {"x.js:1\nError: first\n    at Error (x.js:1)\n\nNode.js v18", "Error: first"},
	    {"1 error so far\nTraceback\n  raise ValueError(1)\nValueError: 1", "ValueError: 1"},
	    {"a line that is long before it comes to its error\nlast", "last"},
	};
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		struct outcome outcome;
		struct rig rig;
		char *want = xasprintf("did not start: exit status 3: %s", rows[at].want);
		rig_prepare(&rig, "");
		rig.argv[1] = "--die";
		rig.argv[2] = rows[at].said;
		rig_start(&rig);
		is_str(call(&rig, &outcome, "echo", "{}"), want, "remark %zu", at);
		rig_close(&rig);
		mem_free(want);
	}
}

static void test_no_program(void)
{
	struct outcome outcome;
	struct rig rig;
	rig_prepare(&rig, "");
	rig.argv[0] = "/nowhere/server";
	rig_start(&rig);
	is_str(call(&rig, &outcome, "echo", "{}"),
	    "did not start: exit status 127: /nowhere/server: No such file or directory",
	    "no program");
	rig_close(&rig);
	rig_prepare(&rig, "");
	rig.cwd = "/nowhere";
	rig_start(&rig);
	ok(contains(call(&rig, &outcome, "echo", "{}"), "/nowhere: No such file or directory"),
	    "no directory");
	rig_close(&rig);
	(void)snprintf(supervisor, sizeof supervisor, "/nowhere/muxbus-job");
	rig_open(&rig, "");
	ok(contains(call(&rig, &outcome, "echo", "{}"), "muxbus-job: No such file or directory"),
	    "no supervisor");
	rig_close(&rig);
	sibling_find("muxbus-job", supervisor, sizeof supervisor);
}

static void test_list_changes(void)
{
	struct outcome outcome;
	struct rig rig;
	rig_open(&rig, "");
	(void)call(&rig, &outcome, "echo", "{}");
	ok(strstr(rig.rows, "late") == NULL, "a tool to come");
	is_str(call(&rig, &outcome, "change", "{}"), "changed", "the list changes");
	is_int(rig.changing, 1, "which is said before the answer");
	ok(run_until(&rig.listed, 2), "the list is read again");
	ok(contains(rig.rows, "\"late\""), "and has the tool");
	ok(contains(call(&rig, &outcome, "late", "{}"), "\"late\""), "which can be called");
	rig_close(&rig);
}

static void test_death(void)
{
	struct outcome slow, die, after;
	struct rig rig;
	rig_open(&rig, "");
	(void)begin(&rig, &slow, "slow", "{\"ms\":60000}");
	(void)begin(&rig, &die, "die", "{}");
	ok(run_until(&die.done, 1) && run_until(&slow.done, 1), "the server dies during two calls");
	is_int(slow.error, MESSAGE_GONE, "gone");
	ok(contains(slow.text,
	       "has ended: signal 9 (Killed): Error: the tool \\x1b[31mfell over; the effect of "
	       "the "
	       "call is unknown"),
	    "and why");
	is_str(die.text, slow.text, "both say the same");
	ok(run_until(&rig.ended, 1), "nothing runs any more");
	ok(contains(rig.reason, "has ended: signal 9 (Killed): Error: the tool"),
	    "for that reason");
	is_str(call(&rig, &after, "echo", "{}"), "the server \"fake\" takes no calls",
	    "a later call is not taken");
	is_int(after.error, MESSAGE_BUSY, "its kind");
	rig_close(&rig);
}

static void test_unreadable(void)
{
	struct outcome outcome, slow;
	struct rig rig;
	rig_open(&rig, "");
	(void)begin(&rig, &slow, "slow", "{\"ms\":60000}");
	(void)call(&rig, &outcome, "say", "{\"line\":\"{\\\"id\\\":}\"}");
	ok(contains(outcome.text, "wrote a message that cannot be read: "), "an unreadable answer");
	is_int(outcome.error, MESSAGE_TOOL_FAILED, "fails the calls that it can be for");
	ok(run_until(&slow.done, 1) && slow.error == MESSAGE_TOOL_FAILED, "all of them");
	is_int(rig.ended, 0, "and not the server");
	is_str(call(&rig, &outcome, "nul", "{}"),
	    "a\xef\xbf\xbd"
	    "b\xef\xbf\xbd"
	    "c",
	    "a NUL and invalid UTF-8 in an answer");
	call(&rig, &outcome, "big", "{\"bytes\":4194304}");
	is_int((long long)outcome.text_len, 4194304, "an answer of 4 MiB");
	call(&rig, &outcome, "big", "{\"bytes\":12582912}");
	is_int(outcome.error, MESSAGE_LIMIT, "one that is too large");
	is_str(outcome.text, "the server \"fake\" wrote a line of more than 12582912 bytes",
	    "says so");
	ok(contains(call(&rig, &outcome, "echo", "{}"), "echo"), "the server serves on");
	rig_close(&rig);
}

/* A server that does not read: its calls have room up to a bound, and the others are refused. */
static void test_deaf(void)
{
	enum { CALLS = 8, BYTES = 200000 };
	struct outcome outcome, calls[CALLS];
	char *arguments = xalloc(BYTES + 16);
	int busy = 0;
	struct rig rig;
	memset(arguments, ' ', BYTES);
	memcpy(arguments + BYTES, "{}", 3);
	rig_open(&rig, "");
	is_str(call(&rig, &outcome, "deaf", "{}"), "deaf", "a server goes deaf");
	for (int at = 0; at < CALLS; at++) {
		(void)begin(&rig, &calls[at], "echo", arguments);
		busy += calls[at].done == 1 && calls[at].error == MESSAGE_BUSY;
	}
	ok(busy >= 2 && busy <= 3, "%d calls are busy", busy);
	is_str(calls[CALLS - 1].text, "the server \"fake\" does not read its calls", "said so");
	is_int(rig.ended, 0, "the server stays");
	rig_close(&rig);
	for (int at = 0; at < CALLS; at++)
		is_int(calls[at].done, 1, "call %d has ended", at);
	mem_free(arguments);
}

static void test_many(void)
{
	enum { CALLS = 256 };
	struct outcome *calls = xcalloc(CALLS, sizeof *calls);
	char *large = xalloc(MCP_SERVER_ARGUMENTS_MAX + 4);
	struct rig rig;
	int failed = 0;
	memset(large, ' ', MCP_SERVER_ARGUMENTS_MAX);
	memcpy(large + MCP_SERVER_ARGUMENTS_MAX, "{}", 3);
	rig_open(&rig, "");
	for (int at = 0; at < CALLS; at++)
		(void)begin(&rig, &calls[at], "echo", "{}");
	for (int at = 0; at < CALLS; at++)
		failed += !run_until(&calls[at].done, 1) || !calls[at].is_good;
	is_int(failed, 0, "%d calls at once", CALLS);
	is_str(call(&rig, &calls[0], "echo", large),
	    "the server \"fake\" takes no arguments of more than 524288 bytes", "long arguments");
	is_int(calls[0].error, MESSAGE_LIMIT, "their kind");
	rig_close(&rig);
	mem_free(large);
	mem_free(calls);
}

static void test_flood(void)
{
	struct outcome outcome;
	struct rig rig;
	rig_open(&rig, "--flood");
	ok(contains(call(&rig, &outcome, "echo", "{}"), "echo"),
	    "a flood of standard error does not keep a call up");
	rig_close(&rig);
}

static bool is_there(pid_t pid)
{
	return kill(pid, 0) == 0;
}

static void test_ends(void)
{
	struct outcome outcome, slow;
	struct rig rig;
	int64_t start_ms;
	char words[128];
	const char *left;
	pid_t pid;
	rig_open(&rig, "--linger");
	pid = (pid_t)strtol(call(&rig, &outcome, "place", "{}"), NULL, 10);
	(void)begin(&rig, &slow, "slow", "{\"ms\":60000}");
	start_ms = clock_mono_ms();
	mcp_server_stop(rig.server, "has lost its pane");
	is_int(slow.done, 1, "a call under way when the server is stopped");
	is_int(slow.error, MESSAGE_GONE, "is gone");
	is_str(slow.text, "the server \"fake\" has lost its pane", "and says why");
	ok(pid > 1 && is_there(pid), "the server is asked to end");
	ok(run_until(&rig.ended, 1) && !is_there(pid), "one that does not is killed");
	ok(clock_mono_ms() - start_ms < 10000, "soon");
	is_str(rig.reason, "", "which is no failure");
	rig_close(&rig);

	(void)snprintf(words, sizeof words, "--fork --log %s", log_path);
	rig_open(&rig, words);
	(void)call(&rig, &outcome, "echo", "{}");
	ok(run_until(&rig.ended, 1), "a server that forks away has ended");
	left = strstr(logged("left "), "left ");
	ok(left != NULL && !is_there((pid_t)strtol(left + 5, NULL, 10)),
	    "with the process that it left");
	rig_close(&rig);
}

int main(void)
{
	const char *build = getenv("MUXBUS_BUILDDIR");
	if (build == NULL)
		build = ".";
	(void)signal(SIGPIPE, SIG_IGN);
	(void)snprintf(program, sizeof program, "%s/tests/fake_tool_server", build);
	(void)snprintf(dir, sizeof dir, "/tmp/muxbus-server-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return 1;
	(void)snprintf(log_path, sizeof log_path, "%s/log", dir);
	sibling_find("muxbus-job", supervisor, sizeof supervisor);
	base = event_base_new();
	test_talk("");
	test_talk(" --bytes");
	test_talk(" --odd");
	test_place();
	test_at_once();
	test_cancel();
	test_unusable();
	test_remarks();
	test_no_program();
	test_list_changes();
	test_death();
	test_unreadable();
	test_deaf();
	test_many();
	test_flood();
	test_ends();
	event_base_free(base);
	(void)unlink(log_path);
	(void)rmdir(dir);
	return done_testing();
}
