/* SPDX-License-Identifier: ISC */
/*
 * The state that the bridge keeps over a restart of the daemon: conversations, whole and in pieces
 * of every size.
 */
#include "cli/mcp/mcp_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/mcp/mcp_advice.h"
#include "tap.h"

/* One step of a conversation. */
struct step {
	char who; /* a: agent, d: daemon, +: connected, -: lost, !: refused, e: the agent's end,
		     w: bytes reach the daemon, all or (text) all but that many */
	const char *text;
};

#define AGENT(text)            \
	{                      \
		'a', text "\n" \
	}
#define DAEMON(text)           \
	{                      \
		'd', text "\n" \
	}
#define CONNECTED       \
	{               \
		'+', "" \
	}
#define LOST            \
	{               \
		'-', "" \
	}
#define REFUSED(text)     \
	{                 \
		'!', text \
	}
#define WRITTEN          \
	{                \
		'w', "0" \
	}
#define UNWRITTEN(count)   \
	{                  \
		'w', count \
	}
#define END             \
	{               \
		0, NULL \
	}

#define HELLO "{\"jsonrpc\":\"2.0\",\"method\":\"hello\"}\n"
#define INITIALIZE "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"a\":1.0}}"
#define INITIALIZED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"
#define INITIALIZE_ANSWER                                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"capabilities\":{\"tools\":{\"listChanged\":" \
	"true}}}}"
#define TOOLS_CHANGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"
#define CALL(id, tool)                    \
	"{\"jsonrpc\":\"2.0\",\"id\":" id \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\"}}"
#define NAMED(id, name)                                          \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/" \
	"call\",\"params\":{\"name\":\"wait_for\",\"arguments\":{\"wait\":" name "}}}"
#define WAIT_AGAIN                                                                       \
	"Nothing was changed by waiting: call it again. A wait with a name (wait) goes " \
	"on over a restart."
#define MODERN_CALL(id, tool)                                     \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                         \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool \
	"\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}"
#define REQUEST(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"
#define RESULT(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define TAUGHT_AS(id, text, more)                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":" \
	"\"" text "\"}],\"isError\":true" more "}}\n"
#define TAUGHT(id, check, more)                                                               \
	TAUGHT_AS(id,                                                                         \
	    "muxbusd, the daemon behind these tools, restarted while this call ran. Whether " \
	    "it had an effect is unknown. " check,                                            \
	    more)
#define ERROR(id, code, kind, text)                                                           \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" text \
	"\",\"data\":{\"kind\":\"" kind "\"}}}\n"

/* Each connection is asked for the rows of the tools first; the answer has those used here. */
#define ASKED "{\"jsonrpc\":\"2.0\",\"id\":\"muxbus-bridge:tools\",\"method\":\"describe\"}\n"
#define TOOLS                                                                           \
	"{\"jsonrpc\":\"2.0\",\"id\":\"muxbus-bridge:tools\",\"result\":{\"methods\":{" \
	"\"create_pane\":{\"read_only\":false,\"recheck\":\"list_panes\"},"             \
	"\"list_jobs\":{\"read_only\":true},"                                           \
	"\"list_panes\":{\"read_only\":true},"                                          \
	"\"run_long_command\":{\"read_only\":false,\"recheck\":\"list_jobs\","          \
	"\"tool\":true},"                                                               \
	"\"send_keys\":{\"read_only\":false,\"recheck\":\"capture_pane\"},"             \
	"\"stop_job\":{\"read_only\":false,\"idempotent\":true},"                       \
	"\"wait_for\":{\"read_only\":true,\"waits\":true}}}}\n"

/* Everything that came out of a conversation. */
struct heard {
	struct buf agent;
	struct buf daemon;
	bool was_accepted; /* all output of the daemon */
};

static void drain(struct mcp_replay *replay, struct heard *heard)
{
	const struct buf *out = mcp_replay_to_agent(replay);
	(void)buf_append(&heard->agent, out->data, out->len);
	mcp_replay_wrote_agent(replay, out->len);
}

/* Hands over the daemon's input, except the last bytes. */
static void deliver(struct mcp_replay *replay, struct heard *heard, size_t kept)
{
	const struct buf *out = mcp_replay_to_daemon(replay);
	size_t len = out->len > kept ? out->len - kept : 0;
	(void)buf_append(&heard->daemon, out->data, len);
	mcp_replay_wrote_daemon(replay, len);
}

static void feed(
    struct mcp_replay *replay, struct heard *heard, const struct step *step, size_t piece)
{
	size_t len = strlen(step->text);
	for (size_t at = 0; at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;
		if (step->who == 'a')
			mcp_replay_from_agent(replay, step->text + at, n);
		else if (!mcp_replay_from_daemon(replay, step->text + at, n))
			heard->was_accepted = false;
	}
}

static void take_step(
    struct mcp_replay *replay, struct heard *heard, const struct step *step, size_t piece)
{
	switch (step->who) {
	case 'a':
	case 'd':
		feed(replay, heard, step, piece);
		break;
	case '+':
		mcp_replay_connected(replay);
		(void)mcp_replay_from_daemon(replay, TOOLS, strlen(TOOLS));
		break;
	case '-':
		mcp_replay_lost(replay);
		(void)buf_append_str(&heard->daemon, "--\n");
		break;
	case '!':
		mcp_replay_refused(replay, step->text);
		break;
	case 'w':
		deliver(replay, heard, (size_t)atoi(step->text));
		break;
	default:
		mcp_replay_agent_ended(replay);
		break;
	}
	drain(replay, heard);
}

static const char *text_of(const struct buf *buf)
{
	return buf->data ? (const char *)buf->data : "";
}

/* Takes the requests for the rows out of what the daemon got. */
static void forget_asked(struct buf *daemon)
{
	char *at;
	while (daemon->data != NULL && (at = strstr((char *)daemon->data, ASKED)) != NULL) {
		size_t len = strlen(ASKED);
		memmove(at, at + len, strlen(at + len) + 1);
		daemon->len -= len;
	}
}

/* A conversation with the input in pieces of each size: what both sides get. */
static void converse_as(const struct mcp_replay_config *config, const struct step *steps,
    const char *to_agent, const char *to_daemon, const char *name)
{
	int failures = 0;
	size_t longest = 1;
	for (const struct step *step = steps; step->text; step++)
		longest = strlen(step->text) > longest ? strlen(step->text) : longest;
	for (size_t piece = 1; piece <= longest; piece++) {
		struct heard heard = {.was_accepted = true};
		struct mcp_replay *replay = mcp_replay_new(config);
		bool is_right;
		buf_init(&heard.agent, 1 << 20);
		buf_init(&heard.daemon, 1 << 20);
		for (const struct step *step = steps; step->text; step++)
			take_step(replay, &heard, step, piece);
		deliver(replay, &heard, 0);
		forget_asked(&heard.daemon);
		is_right = heard.was_accepted && strcmp(text_of(&heard.agent), to_agent) == 0 &&
		    strcmp(text_of(&heard.daemon), to_daemon) == 0;
		if (!is_right && failures++ == 0) {
			diag("pieces of %zu", piece);
			is_str(text_of(&heard.agent), to_agent, "%s: to the agent", name);
			is_str(text_of(&heard.daemon), to_daemon, "%s: to the daemon", name);
		}
		buf_finish(&heard.agent);
		buf_finish(&heard.daemon);
		mcp_replay_free(replay);
	}
	is_int(failures, 0, "%s", name);
}

static const struct mcp_replay_config plain = {0};
static const struct mcp_replay_config greeting = {.greeting = HELLO};

#define converse(steps, to_agent, to_daemon, name) \
	converse_as(&plain, steps, to_agent, to_daemon, name)

static void test_plain(void)
{
	static const struct step through[] = {CONNECTED, AGENT(CALL("1", "list_panes")), WRITTEN,
	    DAEMON(RESULT("1")), DAEMON("{\"method\":\"event\",\"params\":{}}"), END};
	static const struct step held[] = {
	    AGENT(CALL("1", "send_keys")), AGENT(REQUEST("\"x\"", "ping")), CONNECTED, END};
	static const struct step own[] = {
	    CONNECTED, AGENT(REQUEST("0", "tools/list")), WRITTEN, DAEMON(RESULT("0")), END};
	static const struct step unended[] = {
	    CONNECTED, {'a', REQUEST("0", "tools/list")}, {'e', ""}, END};
	static const struct step person[] = {
	    CONNECTED, AGENT("{\"method\":\"list_panes\"}"), AGENT(""), AGENT(" \t\r"), END};
	converse(through, RESULT("1") "\n{\"method\":\"event\",\"params\":{}}\n",
	    CALL("1", "list_panes") "\n", "lines go through as they are");
	converse(held, "", CALL("1", "send_keys") "\n" REQUEST("\"x\"", "ping") "\n",
	    "what comes too early waits for the connection");
	converse_as(&greeting, own, RESULT("0") "\n", HELLO REQUEST("0", "tools/list") "\n",
	    "the greeting comes first");
	converse(unended, "", REQUEST("0", "tools/list") "\n", "the last line needs no newline");
	converse(person, "", "{\"method\":\"list_panes\"}\n",
	    "a request without an id or a version; blank lines are nothing");
}

static void test_lost(void)
{
	static const struct step legacy[] = {CONNECTED, AGENT(INITIALIZE), WRITTEN,
	    DAEMON(INITIALIZE_ANSWER), AGENT(INITIALIZED), WRITTEN, LOST, CONNECTED, WRITTEN,
	    DAEMON("{\"id\":\"muxbus-bridge:1\",\"result\":{}}"), END};
	static const struct step calls[] = {CONNECTED, AGENT(CALL("1", "run_long_command")),
	    AGENT(MODERN_CALL("\"b\"", "send_keys")), AGENT(CALL("3", "list_panes")),
	    AGENT(REQUEST("4", "tools/list")), AGENT(REQUEST("5", "subscriptions/listen")),
	    AGENT(REQUEST("6", "list_panes")), WRITTEN, LOST, CONNECTED, END};
	static const struct step unsent[] = {CONNECTED, AGENT(CALL("1", "run_long_command")),
	    WRITTEN, AGENT(CALL("2", "create_pane")), LOST, CONNECTED, END};
	static const struct step half[] = {
	    CONNECTED, AGENT(CALL("1", "create_pane")), UNWRITTEN("2"), LOST, CONNECTED, END};
	static const struct step whole[] = {
	    CONNECTED, AGENT(CALL("1", "create_pane")), UNWRITTEN("1"), LOST, CONNECTED, END};
	static const struct step early[] = {
	    CONNECTED, AGENT(INITIALIZE), WRITTEN, LOST, CONNECTED, END};
	static const struct step cut[] = {CONNECTED, AGENT(CALL("1", "list_panes")), WRITTEN,
	    {'d', "{\"jsonrpc\":\"2.0\",\"id\":1,\"res"}, LOST, CONNECTED, WRITTEN,
	    DAEMON(RESULT("1")), END};
	static const struct step waits[] = {CONNECTED, AGENT(NAMED("1", "\"w\"")),
	    AGENT(NAMED("2", "true")), AGENT(CALL("3", "wait_for")), WRITTEN, LOST, CONNECTED,
	    WRITTEN, DAEMON(RESULT("1")), END};
	converse_as(&greeting, legacy, INITIALIZE_ANSWER "\n" TOOLS_CHANGED,
	    HELLO INITIALIZE
	    "\n" INITIALIZED "\n--\n" HELLO
	    "{\"jsonrpc\":\"2.0\",\"id\":\"muxbus-bridge:1\",\"method\":\"initialize\",\"params\":"
	    "{\"a\":1.0}}\n" INITIALIZED "\n",
	    "initialize is said again, its answer stays here, and lists may have changed");
	converse(calls,
	    TAUGHT("1", "Check with yield_turn, which shows what is pending, before repeating it.",
		"") TAUGHT("\"b\"", "Check with capture_pane before repeating it.",
		",\"resultType\":\"complete\"") ERROR("6", "-32603", "internal",
		"muxbusd restarted while this request ran; whether it had an effect is "
		"unknown"),
	    CALL("1", "run_long_command") "\n" MODERN_CALL("\"b\"", "send_keys") "\n" CALL(
		"3", "list_panes") "\n" REQUEST("4", "tools/list") "\n" REQUEST("5",
		"subscriptions/listen") "\n" REQUEST("6", "list_panes") "\n--\n" CALL("3",
		"list_panes") "\n" REQUEST("4", "tools/list") "\n" REQUEST("5",
		"subscriptions/listen") "\n",
	    "calls are answered with what to check; what only reads is asked again");
	converse(waits, TAUGHT("2", WAIT_AGAIN, "") TAUGHT("3", WAIT_AGAIN, "") RESULT("1") "\n",
	    NAMED("1", "\"w\"") "\n" NAMED("2", "true") "\n" CALL("3", "wait_for") "\n--\n" NAMED(
		"1", "\"w\"") "\n",
	    "a wait with a name goes on, others are to be called again");
	converse(unsent,
	    TAUGHT("1", "Check with yield_turn, which shows what is pending, before repeating it.",
		""),
	    CALL("1", "run_long_command") "\n--\n" CALL("2", "create_pane") "\n",
	    "what never left is sent to the next one");
	converse(half, "",
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"create_"
	    "pane\"}--\n" CALL("1", "create_pane") "\n",
	    "nor has a line left that was cut");
	converse(whole, TAUGHT("1", "Check with list_panes before repeating it.", ""),
	    CALL("1", "create_pane") "--\n", "one that lacks its newline may have been taken");
	converse(early, "", INITIALIZE "\n--\n" INITIALIZE "\n",
	    "an initialize without an answer is sent again as it was");
	converse(cut, RESULT("1") "\n",
	    CALL("1", "list_panes") "\n--\n" CALL("1", "list_panes") "\n",
	    "half a line of the lost daemon is forgotten");
}

static void test_refused(void)
{
	static const struct step nobody[] = {AGENT(INITIALIZE), AGENT(CALL("1", "send_keys")),
	    AGENT(CALL("2", "list_panes")), AGENT(REQUEST("3", "subscriptions/listen")),
	    REFUSED("no luck"), CONNECTED, END};
	static const struct step legacy[] = {
	    CONNECTED, AGENT(REQUEST("\"p\"", "server/discover")), END};
	static const struct mcp_replay_config old = {.is_legacy = true};
	static const struct step bad[] = {AGENT("{"), AGENT("[]"), AGENT("{\"id\":7}"),
	    AGENT(REQUEST("\"muxbus-bridge:9\"", "ping")), CONNECTED, END};
	const char *got;
	struct heard heard;
	struct mcp_replay *replay;
	converse(nobody,
	    ERROR("0", "-32603", "internal", "no luck") TAUGHT_AS("1", "no luck", "")
		TAUGHT_AS("2", "no luck", ""),
	    REQUEST("3", "subscriptions/listen") "\n",
	    "without a daemon there is a reason, and a stream waits on");
	converse_as(&old, legacy,
	    ERROR("\"p\"", "-32601", "no_such_method",
		"this bridge speaks the protocol's older revisions (--legacy): initialize"),
	    "", "--legacy: there is nothing to discover");
	heard = (struct heard){.was_accepted = true};
	replay = mcp_replay_new(&plain);
	buf_init(&heard.agent, 1 << 20);
	buf_init(&heard.daemon, 1 << 20);
	for (const struct step *step = bad; step->text; step++)
		take_step(replay, &heard, step, 1000);
	deliver(replay, &heard, 0);
	forget_asked(&heard.daemon);
	got = text_of(&heard.agent);
	ok(strstr(got, "-32700") && strstr(got, "a batch is not accepted") &&
		strstr(
		    got, "\"id\":7,\"error\":{\"code\":-32600,\"message\":\"method is missing") &&
		strstr(got, "\"muxbus-bridge:9\",\"error\""),
	    "an invalid request is answered by the bridge: %s", got);
	is_int((long long)heard.daemon.len, 0, "and is not forwarded");
	buf_finish(&heard.agent);
	buf_finish(&heard.daemon);
	mcp_replay_free(replay);
}

static void test_notifications(void)
{
#define CANCEL                                             \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" \
	"cancelled\",\"params\":{\"requestId\":1}}"
#define LEVEL "\"method\":\"logging/setLevel\",\"params\":{\"level\":\"info\"}}"
#define SUBSCRIBE "\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"u\"}}"
#define UNSUBSCRIBE "\"method\":\"resources/unsubscribe\",\"params\":{\"uri\":\"v\"}}"
	static const struct step cancelled[] = {AGENT(CALL("1", "send_keys")), AGENT(CANCEL),
	    CONNECTED, AGENT(CALL("1", "send_keys")), AGENT(CANCEL), WRITTEN, LOST, CONNECTED, END};
	static const struct step kept[] = {CONNECTED, AGENT(INITIALIZE), WRITTEN,
	    DAEMON(INITIALIZE_ANSWER), AGENT("{\"id\":1," LEVEL), AGENT("{\"id\":2," SUBSCRIBE),
	    AGENT("{\"id\":3,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"v\"}}"),
	    AGENT("{\"id\":4," UNSUBSCRIBE), WRITTEN, DAEMON(RESULT("1")), DAEMON(RESULT("2")),
	    DAEMON(RESULT("3")), DAEMON(RESULT("4")), LOST, {'+', ""}, END};
	converse(cancelled, "", CALL("1", "send_keys") "\n" CANCEL "\n--\n",
	    "what was cancelled is neither sent nor answered");
	converse(kept,
	    INITIALIZE_ANSWER
	    "\n" RESULT("1") "\n" RESULT("2") "\n" RESULT("3") "\n" RESULT("4") "\n",
	    INITIALIZE "\n{\"id\":1," LEVEL "\n{\"id\":2," SUBSCRIBE
		       "\n{\"id\":3,\"method\":\"resources/"
		       "subscribe\",\"params\":{\"uri\":\"v\"}}\n{\"id\":4," UNSUBSCRIBE
		       "\n--\n{\"jsonrpc\":\"2.0\",\"id\":\"muxbus-bridge:1\",\"method\":"
		       "\"initialize\",\"params\":{\"a\":1.0}}\n"
		       "{\"jsonrpc\":\"2.0\",\"id\":\"muxbus-bridge:2\"," LEVEL
		       "\n{\"jsonrpc\":\"2.0\",\"id\":\"muxbus-bridge:3\"," SUBSCRIBE "\n",
	    "the log level and subscriptions are said again");
}

static void test_bounds(void)
{
	static char line[MCP_REPLAY_LINE_MAX + 100];
	struct mcp_replay *replay = mcp_replay_new(&plain);
	char call[200];
	size_t head;
	const char *got;
	for (int i = 0; i <= MCP_REPLAY_PENDING_MAX; i++) {
		(void)snprintf(call, sizeof call, CALL("%d", "wait_for") "\n", i);
		mcp_replay_from_agent(replay, call, strlen(call));
	}
	got = text_of(mcp_replay_to_agent(replay));
	ok(strstr(got, "\"id\":1000,\"result\"") && strstr(got, "\"isError\":true") &&
		!strstr(got, "\"id\":999,"),
	    "call 1001 is refused, so that a model reads it: %.80s", got);
	mcp_replay_from_agent(replay, "{\"id\":1001,\"method\":\"ping\"}\n", 28);
	got = text_of(mcp_replay_to_agent(replay));
	ok(strstr(got, "\"id\":1001,\"error\":{\"code\":16,") != NULL, "so is another request");
	ok(mcp_replay_is_waiting(replay) && !mcp_replay_is_done(replay), "the others wait");
	mcp_replay_wrote_agent(replay, mcp_replay_to_agent(replay)->len);
	mcp_replay_refused(replay, "no");
	ok(!mcp_replay_is_waiting(replay) && mcp_replay_is_done(replay), "until they are refused");
	mcp_replay_wrote_agent(replay, mcp_replay_to_agent(replay)->len);

	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\n';
	mcp_replay_from_agent(replay, line, sizeof line);
	got = text_of(mcp_replay_to_agent(replay));
	ok(strstr(got, "\"id\":null,\"error\":{\"code\":-32600") != NULL, "a huge line: %s", got);
	mcp_replay_wrote_agent(replay, mcp_replay_to_agent(replay)->len);
	memcpy(line, "{\"x\":\"", 6);
	memcpy(line + sizeof line - 10, "\",\"id\":7}\n", 10);
	mcp_replay_from_agent(replay, line, sizeof line);
	got = text_of(mcp_replay_to_agent(replay));
	ok(strstr(got, "\"id\":7,\"error\":{\"code\":-32600") != NULL, "with its id: %s", got);
	mcp_replay_wrote_agent(replay, mcp_replay_to_agent(replay)->len);
	mcp_replay_from_agent(replay, "{\"x\":\"\\ud800\",\"id\":7}\n", 22);
	got = text_of(mcp_replay_to_agent(replay));
	ok(strstr(got, "\"id\":7,\"error\":{\"code\":-32700") != NULL, "half a pair: %s", got);
	mcp_replay_wrote_agent(replay, mcp_replay_to_agent(replay)->len);

	(void)snprintf(line, sizeof line, "{\"id\":1,\"method\":\"x\",\"params\":{\"y\":\"");
	head = strlen(line);
	memset(line + head, 'z', MCP_REPLAY_LINE_MAX - head - 3);
	memcpy(line + MCP_REPLAY_LINE_MAX - 3, "\"}}\n", 4);
	ok(mcp_replay_wants_agent(replay), "the agent's input is read");
	mcp_replay_from_agent(replay, line, MCP_REPLAY_LINE_MAX + 1);
	mcp_replay_from_agent(replay, line, MCP_REPLAY_LINE_MAX + 1);
	ok(!mcp_replay_wants_agent(replay), "until 8 MiB wait for the daemon");
	mcp_replay_connected(replay);
	(void)mcp_replay_from_daemon(replay, TOOLS, strlen(TOOLS));
	ok(!mcp_replay_wants_agent(replay), "or are on the way to it");
	mcp_replay_wrote_daemon(replay, mcp_replay_to_daemon(replay)->len);
	ok(mcp_replay_wants_agent(replay), "and again when they have gone");
	mcp_replay_wrote_agent(replay, mcp_replay_to_agent(replay)->len);
	ok(!mcp_replay_from_daemon(replay, "nonsense\n", 9), "an invalid answer is dropped");
	is_int((long long)mcp_replay_to_agent(replay)->len, 0, "and is not forwarded");
	mcp_replay_free(replay);
}

/* Requests that come before the first rows: no daemon that is lost has seen them. */
static void test_unlearned(void)
{
	static const char *const call = CALL("1", "list_panes") "\n" REQUEST("2", "x") "\n";
	struct mcp_replay *replay = mcp_replay_new(&plain);
	mcp_replay_connected(replay);
	mcp_replay_from_agent(replay, call, strlen(call));
	is_str(text_of(mcp_replay_to_daemon(replay)), ASKED,
	    "the rows of the tools are asked for first, and alone");
	mcp_replay_wrote_daemon(replay, mcp_replay_to_daemon(replay)->len);
	mcp_replay_lost(replay);
	ok(mcp_replay_to_agent(replay)->len == 0 && mcp_replay_is_waiting(replay),
	    "a call before the rows waits for the next connection");
	mcp_replay_connected(replay);
	mcp_replay_wrote_daemon(replay, mcp_replay_to_daemon(replay)->len);
	(void)mcp_replay_from_daemon(replay, TOOLS, strlen(TOOLS));
	is_str(text_of(mcp_replay_to_daemon(replay)), call, "all are sent when the rows come");
	ok(!mcp_replay_is_waiting(replay), "the call does not wait any more");
	mcp_replay_wrote_daemon(replay, mcp_replay_to_daemon(replay)->len);
	mcp_replay_lost(replay);
	ok(strstr(text_of(mcp_replay_to_agent(replay)), "\"id\":1,") == NULL &&
		strstr(text_of(mcp_replay_to_agent(replay)), "\"id\":2,") != NULL,
	    "a call that came before the rows is known by them");
	ok(mcp_replay_is_waiting(replay), "and waits for the next connection");
	mcp_replay_connected(replay);
	is_str(text_of(mcp_replay_to_daemon(replay)), ASKED CALL("1", "list_panes") "\n",
	    "later requests do not wait for the rows");
	mcp_replay_free(replay);
}

/* A daemon that refuses to list its rows. */
static void test_undescribed(void)
{
	static const char *const call = CALL("1", "list_panes") "\n";
	static const char refusal[] = ERROR("\"muxbus-bridge:tools\"", "-32601", "none", "none");
	struct mcp_replay *replay = mcp_replay_new(&plain);
	mcp_replay_from_agent(replay, call, strlen(call));
	mcp_replay_connected(replay);
	mcp_replay_wrote_daemon(replay, mcp_replay_to_daemon(replay)->len);
	(void)mcp_replay_from_daemon(replay, refusal, strlen(refusal));
	is_str(text_of(mcp_replay_to_daemon(replay)), call, "a refusal ends the wait for the rows");
	mcp_replay_wrote_daemon(replay, mcp_replay_to_daemon(replay)->len);
	mcp_replay_lost(replay);
	ok(strstr(text_of(mcp_replay_to_agent(replay)), "list_panes, yield_turn"),
	    "without the rows each lost call is answered with what to check");
	mcp_replay_free(replay);
}

/* An agent that sends refused lines and reads nothing is read no more, before an answer is cut. */
static void test_unread(void)
{
	enum { LINES = 10000, LINE = 3 };
	static char lines[LINES * LINE];
	struct mcp_replay *replay = mcp_replay_new(&(struct mcp_replay_config){0});
	size_t turns = 0;
	for (size_t at = 0; at < sizeof lines; at += LINE)
		memcpy(lines + at, "{}\n", LINE);
	for (; mcp_replay_wants_agent(replay) && turns < 100; turns++)
		mcp_replay_from_agent(replay, lines, sizeof lines);
	ok(turns < 100, "an agent that does not read is not read");
	mcp_replay_wrote_agent(replay, mcp_replay_to_agent(replay)->len);
	ok(mcp_replay_wants_agent(replay), "until it reads");
	mcp_replay_free(replay);
}

static const char *advice_of(const struct mcp_advice *advice, const char *tool)
{
	static char text[256];
	mcp_advice_describe(advice, tool, text, sizeof text);
	return text;
}

static void test_advice(void)
{
	struct mcp_advice *advice = mcp_advice_new();
	struct json_reader *reader = json_reader_new(65536);
	struct json_error error;
	const struct json *tools = json_read(reader, TOOLS, strlen(TOOLS) - 1, &error);
	ok(!mcp_advice_is_repeatable(advice, "list_panes", false), "at first nothing is known");
	mcp_advice_learn(advice, json_member(json_member(tools, "result"), "methods"));
	mcp_advice_learn(advice, NULL);
	ok(mcp_advice_is_repeatable(advice, "list_panes", false) &&
		!mcp_advice_is_repeatable(advice, "send_keys", false) &&
		!mcp_advice_is_repeatable(advice, "wait_for", false) &&
		mcp_advice_is_repeatable(advice, "wait_for", true) &&
		!mcp_advice_is_repeatable(advice, "send_keys", true) &&
		!mcp_advice_is_repeatable(advice, "unheard_of", false),
	    "which tools only read");
	is_str(advice_of(advice, "create_pane"), "Check with list_panes before repeating it.",
	    "where to look");
	is_str(advice_of(advice, "run_long_command"),
	    "Check with yield_turn, which shows what is pending, before repeating it.",
	    "with a tool of the default list, after a call of one");
	is_str(advice_of(advice, "stop_job"), "Calling it twice is harmless: call it again.",
	    "or that it does not matter");
	is_str(advice_of(advice, "wait_for"), WAIT_AGAIN, "or that it only waited");
	ok(*advice_of(advice, "unheard_of") && *advice_of(advice, "list_panes"),
	    "there is advice for all");
	json_reader_free(reader);
	mcp_advice_free(advice);
}

int main(void)
{
	test_plain();
	test_lost();
	test_refused();
	test_notifications();
	test_bounds();
	test_unlearned();
	test_undescribed();
	test_unread();
	test_advice();
	return done_testing();
}
