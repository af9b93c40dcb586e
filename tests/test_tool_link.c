/* SPDX-License-Identifier: ISC */
/* Links to tool servers: a real process that is scripted (tests/fake_tool_server), good and bad. */
#include "daemon/tool/tool_link.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/core/supervisor.h"
#include "io/loop_timer.h"
#include "tap.h"
#include "wire/json.h"

enum { WAIT_MS = 20000, WORDS_MAX = 16, TEXT_MAX = 2048 };

extern char **environ;

static struct event_base *base;
static struct json_reader *reader;
static char program[512], supervisor[512], dir[64], log_path[80];

/* A link, and how its server is started. */
struct rig {
	struct tool_link *link;
	const char *argv[WORDS_MAX];
	struct tool_link_spec spec;
	int off; /* how often it was */
	char *words; /* which argv is made of */
};

/* A call, and its outcome. */
struct outcome {
	struct tool_call *call;
	int done, progress;
	enum tool_link_error error;
	char text[TEXT_MAX]; /* the error, or the text of the answer */
	size_t text_len; /* of the whole answer */
};

static void on_off(void *data)
{
	struct rig *rig = data;
	rig->off++;
}

static const struct tool_link_handlers handlers = {.is_off = on_off};

/* words: options of the fake server, with blanks between. */
static void rig_open_within(struct rig *rig, const char *words, int64_t start_ms)
{
	struct tool_link_parts parts = {
	    .base = base, .reader = reader, .supervisor = supervisor, .start_ms = start_ms};
	size_t count = 0;
	char *rest = xstrdup(words), *word;
	*rig = (struct rig){.words = rest};
	rig->argv[count++] = program;
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			rig->argv[count++] = word;
	rig->spec = (struct tool_link_spec){
	    .command = rig->argv,
	    .program = {.argv = rig->argv, .env = (const char *const *)environ, .cwd = dir},
	    .idle_ms = WAIT_MS,
	};
	rig->link = tool_link_new(&parts, "fake", &handlers, rig);
	(void)unlink(log_path);
}

static void rig_open(struct rig *rig, const char *words)
{
	rig_open_within(rig, words, WAIT_MS);
}

/* Runs the loop until a flag is set, within a bound. */
static bool run_until(const int *flag, int want)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while (*flag < want && clock_mono_ms() < end_ms) {
		struct timeval tick = {0, 20000};
		(void)event_base_loopexit(base, &tick);
		(void)event_base_loop(base, EVLOOP_ONCE);
	}
	return *flag >= want;
}

static void rig_close(struct rig *rig)
{
	int before = rig->off;
	struct tool_link_info info;
	tool_link_info(rig->link, &info);
	tool_link_stop(rig->link, "is not needed");
	if (strcmp(info.state, "off") != 0)
		ok(run_until(&rig->off, before + 1), "its server has ended");
	tool_link_free(rig->link);
	mem_free(rig->words);
}

static const char *state(const struct rig *rig)
{
	struct tool_link_info info;
	tool_link_info(rig->link, &info);
	return info.state;
}

static bool run_to_state(struct rig *rig, const char *want)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while (strcmp(state(rig), want) != 0 && clock_mono_ms() < end_ms) {
		struct timeval tick = {0, 5000};
		(void)event_base_loopexit(base, &tick);
		(void)event_base_loop(base, EVLOOP_ONCE);
	}
	return strcmp(state(rig), want) == 0;
}

static void on_done(void *data, const struct tool_link_answer *answer)
{
	struct outcome *outcome = data;
	const struct json *content = json_member(answer->result, "content");
	const struct json *text = content != NULL ? json_member(content->child, "text") : NULL;
	outcome->done++;
	outcome->error = answer->error;
	outcome->call = NULL;
	outcome->text_len = text != NULL ? text->len : 0;
	(void)snprintf(outcome->text, sizeof outcome->text, "%s",
	    answer->error != TOOL_LINK_OK ? answer->text
		: text != NULL            ? text->text
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

static void begin(struct rig *rig, struct outcome *outcome, const char *tool, const char *arguments,
    int64_t timeout_ms)
{
	static const char *const gives[] = {"ms", "name", "bytes", "count", "line", NULL};
	struct tool_link_order order = {.tool = tool,
	    .arguments = arguments,
	    .arguments_len = strlen(arguments),
	    .gives = gives,
	    .timeout_ms = timeout_ms,
	    .progress = on_progress,
	    .done = on_done,
	    .data = outcome};
	*outcome = (struct outcome){0};
	outcome->call = tool_link_call(rig->link, &rig->spec, &order);
}

/* Calls and waits. Returns the text. */
static const char *call(
    struct rig *rig, struct outcome *outcome, const char *tool, const char *arguments)
{
	begin(rig, outcome, tool, arguments, WAIT_MS);
	if (!run_until(&outcome->done, 1))
		return "(no answer)";
	return outcome->text;
}

/* The lines that the server has read, up to one that contains a text; "" if it does not come. */
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
	struct tool_link_info info;
	char words[256];
	(void)snprintf(words, sizeof words, "--pages 3 --log %s %s", log_path, options);
	rig_open(&rig, words);
	is_str(state(&rig), "off", "no process before the first call");
	ok(tool_link_needs_program(rig.link, rig.argv), "which needs a program");
	ok(contains(call(&rig, &outcome, "echo", "{\"ms\":1,\"text\":\"\\u20ac\"}"),
	       "{\"name\":\"echo\",\"arguments\":{\"ms\":1,\"text\":\"\\u20ac\"},\"_meta\":{"
	       "\"progressToken\":5}}"),
	    "a call and its answer%s", options);
	is_int(outcome.error, TOOL_LINK_OK, "no error");
	is_str(state(&rig), "ready", "the server is ready");
	rig.spec.program = (struct tool_server_program){NULL};
	ok(!tool_link_needs_program(rig.link, rig.argv), "it runs");
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
	is_int(outcome.error, TOOL_LINK_FAILED, "its kind");
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
	tool_link_info(rig.link, &info);
	is_int(
	    (long long)info.calls, 5 + (long long)(sizeof odd / sizeof *odd), "calls are counted");
	is_int((long long)info.starts, 1, "and starts");
	ok(info.pid > 1 && info.rss_kb > 100, "pid %d, %lld KiB", (int)info.pid,
	    (long long)info.rss_kb);
	rig_close(&rig);
	ok(contains(logged("end"), "end"), "its input has ended");
}

static void test_place(void)
{
	struct rig rig;
	struct outcome outcome;
	struct tool_link_info info;
	const char *const env[] = {"NAME=of the pane", "PATH=/usr/bin:/bin", NULL};
	char want[128];
	rig_open(&rig, "");
	rig.spec.program.env = env;
	is_str(call(&rig, &outcome, "env", "{\"name\":\"NAME\"}"), "of the pane",
	    "the environment is the caller's");
	is_str(call(&rig, &outcome, "env", "{\"name\":\"HOME\"}"), "(unset)", "and no other");
	tool_link_info(rig.link, &info);
	(void)snprintf(want, sizeof want, "%d %s", (int)info.pid, dir);
	is_str(call(&rig, &outcome, "place", "{}"), want, "the pid, and the directory");
	rig_close(&rig);

	rig_open(&rig, "");
	rig.argv[0] = "sh";
	rig.argv[1] = "-c";
	rig.argv[2] = "exec \"$0\"";
	rig.argv[3] = program;
	ok(contains(call(&rig, &outcome, "place", "{}"), dir), "a program of the PATH");
	rig_close(&rig);
}

static void test_at_once(void)
{
	struct outcome outcomes[4];
	struct rig rig;
	rig_open(&rig, "");
	for (int at = 0; at < 3; at++)
		begin(&rig, &outcomes[at], "slow", "{\"ms\":60000}", 60000);
	is_str(call(&rig, &outcomes[3], "slow", "{\"ms\":1}"), "slow",
	    "a short call behind long ones");
	for (int at = 0; at < 3; at++) {
		is_int(outcomes[at].done, 0, "long call %d still runs", at);
		tool_link_cancel(outcomes[at].call);
	}
	rig_close(&rig);
}

static void test_late(void)
{
	char words[128];
	struct outcome outcome;
	struct rig rig;
	(void)snprintf(words, sizeof words, "--log %s", log_path);
	rig_open(&rig, words);
	(void)call(&rig, &outcome, "echo", "{}");
	begin(&rig, &outcome, "slow", "{\"ms\":60000}", 50);
	ok(run_until(&outcome.done, 1), "a call that takes too long");
	is_int(outcome.error, TOOL_LINK_TIMEOUT, "times out");
	is_str(outcome.text,
	    "the server \"fake\" did not answer within 0.05 s; the call is cancelled, its effect "
	    "unknown",
	    "and says so");
	ok(contains(logged("cancelled"),
	       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
	       "\"requestId\":4,\"reason\":\"timeout\"}}"),
	    "the server hears of it");
	begin(&rig, &outcome, "slow", "{\"ms\":60000}", WAIT_MS);
	ok(contains(logged("\"id\":5"), "60000"), "a call runs");
	tool_link_cancel(outcome.call);
	ok(contains(logged("has left"), "\"requestId\":5,\"reason\":\"the caller has left\""),
	    "its caller leaves");
	is_int(outcome.done, 0, "without an answer");
	ok(contains(call(&rig, &outcome, "echo", "{}"), "echo"), "the server serves on");
	rig_close(&rig);
}

static void test_cancel_before(void)
{
	struct outcome outcome, other;
	struct rig rig;
	rig_open(&rig, "--hang initialize");
	begin(&rig, &outcome, "echo", "{}", 50);
	begin(&rig, &other, "echo", "{}", WAIT_MS);
	tool_link_cancel(other.call);
	ok(run_until(&outcome.done, 1), "a call of a server that does not become ready");
	is_int(outcome.error, TOOL_LINK_TIMEOUT, "times out");
	is_str(outcome.text, "the server \"fake\" was not ready within 0.05 s", "and says so");
	is_int(other.done, 0, "a cancelled one has no answer");
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
		struct tool_link_info info;
		rig_open_within(&rig, rows[at].words, rows[at].start_ms);
		ok(contains(call(&rig, &outcome, "echo", "{}"), rows[at].want), "%s: %s",
		    rows[at].words, rows[at].want);
		is_int(outcome.error, TOOL_LINK_FAILED, "a failure");
		tool_link_info(rig.link, &info);
		ok(contains(info.failure, rows[at].want), "which is kept");
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
		char *want = xasprintf(
		    "the server \"fake\" did not start: exit status 3: %s", rows[at].want);
		rig_open(&rig, "");
		rig.argv[1] = "--die";
		rig.argv[2] = rows[at].said;
		is_str(call(&rig, &outcome, "echo", "{}"), want, "remark %zu", at);
		rig_close(&rig);
		mem_free(want);
	}
}

static void test_no_program(void)
{
	struct outcome outcome;
	struct rig rig;
	rig_open(&rig, "");
	rig.argv[0] = "/nowhere/server";
	is_str(call(&rig, &outcome, "echo", "{}"),
	    "the server \"fake\" did not start: exit status 127: /nowhere/server: No such file or "
	    "directory",
	    "no program");
	rig_close(&rig);
	rig_open(&rig, "");
	rig.spec.program.cwd = "/nowhere";
	ok(contains(call(&rig, &outcome, "echo", "{}"), "/nowhere: No such file or directory"),
	    "no directory");
	rig_close(&rig);
	(void)snprintf(supervisor, sizeof supervisor, "/nowhere/muxbus-job");
	rig_open(&rig, "");
	ok(contains(call(&rig, &outcome, "echo", "{}"), "muxbus-job: No such file or directory"),
	    "no supervisor");
	rig_close(&rig);
	supervisor_find(supervisor, sizeof supervisor);
}

static void test_declared(void)
{
	static const char *const none[] = {NULL}, *const ms[] = {"ms", NULL};
	struct outcome outcome;
	char reason[256];
	struct rig rig;
	rig_open(&rig, "");
	is_str(call(&rig, &outcome, "ech", "{}"),
	    "the server \"fake\" does not fit its declaration: it has no tool \"ech\"; the nearest "
	    "is \"echo\"",
	    "a tool that it does not have");
	tool_link_check(rig.link, "slow", none, reason, sizeof reason);
	is_str(reason, "its tool \"slow\" requires what the declaration does not give: \"ms\"",
	    "an argument that it requires");
	tool_link_check(rig.link, "slow", ms, reason, sizeof reason);
	is_str(reason, "", "and is given");
	ok(contains(call(&rig, &outcome, "late", "{}"), "no tool \"late\""), "a tool to come");
	is_str(call(&rig, &outcome, "change", "{}"), "changed", "the list changes");
	ok(contains(call(&rig, &outcome, "late", "{}"), "\"late\""), "it is read again");
	rig_close(&rig);
}

static void test_death(void)
{
	struct outcome slow, die, after;
	struct tool_link_info info;
	struct rig rig;
	rig_open(&rig, "");
	begin(&rig, &slow, "slow", "{\"ms\":60000}", WAIT_MS);
	begin(&rig, &die, "die", "{}", WAIT_MS);
	ok(run_until(&die.done, 1) && run_until(&slow.done, 1), "the server dies during two calls");
	is_int(slow.error, TOOL_LINK_GONE, "gone");
	ok(contains(slow.text,
	       "has ended: signal 9 (Killed): Error: the tool \\x1b[31mfell over; the effect of "
	       "the "
	       "call is unknown"),
	    "and why");
	is_str(die.text, slow.text, "both say the same");
	ok(run_until(&rig.off, 1), "nothing runs any more");
	is_str(state(&rig), "off", "off");
	ok(contains(call(&rig, &after, "echo", "{}"), "echo"), "the next call starts it again");
	tool_link_info(rig.link, &info);
	is_int((long long)info.starts, 2, "once");
	is_int((long long)info.calls, 3, "and no call was repeated");
	rig_close(&rig);
}

/* Each start takes longer to come. */
static void test_backoff(void)
{
	int64_t start_ms = clock_mono_ms();
	struct outcome outcome;
	struct rig rig;
	rig_open(&rig, "");
	for (int at = 0; at < 4; at++) {
		(void)call(&rig, &outcome, "die", "{}");
		is_int(outcome.error, TOOL_LINK_GONE, "death %d", at);
	}
	ok(clock_mono_ms() - start_ms >= 100 + 200 + 400, "starts keep a distance that grows");
	begin(&rig, &outcome, "echo", "{}", WAIT_MS);
	is_str(state(&rig), "waiting", "a call waits for the next one");
	tool_link_cancel(outcome.call);
	is_str(state(&rig), "off", "and does not start it when its caller has left");
	rig_close(&rig);
}

static void test_unreadable(void)
{
	struct outcome outcome, slow;
	struct rig rig;
	rig_open(&rig, "");
	begin(&rig, &slow, "slow", "{\"ms\":60000}", WAIT_MS);
	(void)call(&rig, &outcome, "say", "{\"line\":\"{\\\"id\\\":}\"}");
	ok(contains(outcome.text, "wrote a message that cannot be read: "), "an unreadable answer");
	is_int(outcome.error, TOOL_LINK_FAILED, "fails the calls that it can be for");
	ok(run_until(&slow.done, 1) && slow.error == TOOL_LINK_FAILED, "all of them");
	is_str(state(&rig), "ready", "and not the server");
	is_str(call(&rig, &outcome, "nul", "{}"),
	    "a\xef\xbf\xbd"
	    "b\xef\xbf\xbd"
	    "c",
	    "a NUL and invalid UTF-8 in an answer");
	call(&rig, &outcome, "big", "{\"bytes\":4194304}");
	is_int((long long)outcome.text_len, 4194304, "an answer of 4 MiB");
	call(&rig, &outcome, "big", "{\"bytes\":12582912}");
	is_int(outcome.error, TOOL_LINK_LIMIT, "one that is too large");
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
	int busy = 0, times_out = 0;
	struct rig rig;
	memset(arguments, ' ', BYTES);
	memcpy(arguments + BYTES, "{}", 3);
	rig_open(&rig, "");
	is_str(call(&rig, &outcome, "deaf", "{}"), "deaf", "a server goes deaf");
	for (int at = 0; at < CALLS; at++)
		begin(&rig, &calls[at], "echo", arguments, 200);
	for (int at = 0; at < CALLS; at++) {
		ok(run_until(&calls[at].done, 1), "call %d ends", at);
		busy += calls[at].error == TOOL_LINK_BUSY;
		times_out += calls[at].error == TOOL_LINK_TIMEOUT;
	}
	is_int(busy + times_out, CALLS, "each is busy or late");
	ok(busy >= 2 && times_out >= 5, "%d busy, %d late", busy, times_out);
	is_str(state(&rig), "ready", "the server stays");
	rig_close(&rig);
	mem_free(arguments);
}

static void test_many(void)
{
	struct outcome *calls = xcalloc(TOOL_LINK_CALLS_MAX + 1, sizeof *calls);
	char *large = xalloc(TOOL_LINK_ARGUMENTS_MAX + 4);
	struct rig rig;
	int failed = 0;
	memset(large, ' ', TOOL_LINK_ARGUMENTS_MAX);
	memcpy(large + TOOL_LINK_ARGUMENTS_MAX, "{}", 3);
	rig_open(&rig, "");
	for (int at = 0; at <= TOOL_LINK_CALLS_MAX; at++)
		begin(&rig, &calls[at], "echo", "{}", WAIT_MS);
	for (int at = 0; at < TOOL_LINK_CALLS_MAX; at++)
		failed += !run_until(&calls[at].done, 1) || calls[at].error != TOOL_LINK_OK;
	is_int(failed, 0, "%d calls at once", TOOL_LINK_CALLS_MAX);
	is_int(calls[TOOL_LINK_CALLS_MAX].error, TOOL_LINK_BUSY, "and no more");
	is_str(calls[TOOL_LINK_CALLS_MAX].text,
	    "the server \"fake\" has 256 calls already, the most there may be", "said so");
	is_str(call(&rig, &calls[0], "echo", large),
	    "the server \"fake\" takes no arguments of more than 524288 bytes", "long arguments");
	is_int(calls[0].error, TOOL_LINK_LIMIT, "their kind");
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
	struct tool_link_info info;
	struct rig rig;
	int64_t start_ms;
	char words[128];
	const char *left;
	rig_open(&rig, "");
	rig.spec.idle_ms = 50;
	begin(&rig, &slow, "slow", "{\"ms\":400}", WAIT_MS);
	ok(run_until(&slow.done, 1) && slow.error == TOOL_LINK_OK,
	    "a call that is longer than the idle time");
	ok(run_until(&rig.off, 1), "without a call, the server ends");
	ok(contains(call(&rig, &outcome, "echo", "{}"), "echo"), "a later call starts it again");
	tool_link_info(rig.link, &info);
	is_str(info.failure, "", "which was no failure");
	rig_close(&rig);

	rig_open(&rig, "--linger");
	(void)call(&rig, &outcome, "echo", "{}");
	tool_link_info(rig.link, &info);
	begin(&rig, &slow, "slow", "{\"ms\":60000}", WAIT_MS);
	start_ms = clock_mono_ms();
	tool_link_stop(rig.link, "has lost its pane");
	ok(run_until(&slow.done, 1), "a call under way when the server is stopped");
	is_int(slow.error, TOOL_LINK_GONE, "is gone");
	is_str(slow.text, "the server \"fake\" has lost its pane", "and says why");
	is_str(state(&rig), "ending", "the server is asked to end");
	ok(run_until(&rig.off, 1) && !is_there(info.pid), "one that does not is killed");
	ok(clock_mono_ms() - start_ms < 10000, "soon");
	rig_close(&rig);

	(void)snprintf(words, sizeof words, "--fork --log %s", log_path);
	rig_open(&rig, words);
	(void)call(&rig, &outcome, "echo", "{}");
	ok(run_until(&rig.off, 1), "a server that forks away has ended");
	left = strstr(logged("left "), "left ");
	ok(left != NULL && !is_there((pid_t)strtol(left + 5, NULL, 10)),
	    "with the process that it left");
	rig_close(&rig);
}

static void test_command_changes(void)
{
	struct outcome slow, outcome;
	struct rig rig;
	rig_open(&rig, "");
	begin(&rig, &slow, "slow", "{\"ms\":200}", WAIT_MS);
	ok(run_to_state(&rig, "ready"), "a server runs");
	rig.argv[1] = "--say";
	rig.argv[2] = "changed";
	ok(tool_link_needs_program(rig.link, rig.argv), "another command needs another process");
	begin(&rig, &outcome, "echo", "{}", WAIT_MS);
	ok(run_until(&outcome.done, 1), "a call with it");
	is_int(slow.done, 1, "waits for those of the process before");
	ok(slow.error == TOOL_LINK_OK && outcome.error == TOOL_LINK_OK, "and both are answered");
	rig_close(&rig);
}

int main(void)
{
	const char *build = getenv("MUXBUS_BUILDDIR");
	if (build == NULL)
		build = ".";
	(void)signal(SIGPIPE, SIG_IGN);
	(void)snprintf(program, sizeof program, "%s/tests/fake_tool_server", build);
	(void)snprintf(dir, sizeof dir, "/tmp/muxbus-link-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return 1;
	(void)snprintf(log_path, sizeof log_path, "%s/log", dir);
	supervisor_find(supervisor, sizeof supervisor);
	base = event_base_new();
	reader = json_reader_new(TOOL_SERVER_LINE_MAX);
	test_talk("");
	test_talk(" --bytes");
	test_place();
	test_at_once();
	test_late();
	test_cancel_before();
	test_unusable();
	test_remarks();
	test_no_program();
	test_declared();
	test_death();
	test_backoff();
	test_unreadable();
	test_deaf();
	test_many();
	test_flood();
	test_ends();
	test_command_changes();
	json_reader_free(reader);
	event_base_free(base);
	(void)unlink(log_path);
	(void)rmdir(dir);
	return done_testing();
}
