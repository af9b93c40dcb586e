/* SPDX-License-Identifier: ISC */
/* MCP on the socket: both eras, exact answers, every line split at every byte. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "config.h"
#include "served.h"
#include "tap.h"
#include "wire/json.h"

#define LISTENERS 700

static struct served served;

#define MODERN                                                    \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" \
	"\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}"

#define SERVER_INFO "{\"name\":\"muxbus\",\"title\":\"Muxbus\",\"version\":\"" PACKAGE_VERSION "\"}"

#define MODERN_RESULT                                                       \
	"\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/" \
	"serverInfo\":" SERVER_INFO "}"

/* Ends the test: the rest needs a connection. */
static void meet(struct guest *guest)
{
	if (guest_connect(guest, &served))
		return;
	printf("Bail out! cannot connect\n");
	(void)kill(served.pid, SIGKILL);
	exit(99);
}

static bool hears(struct guest *guest, const char *part)
{
	const char *line = guest_line(guest, SERVED_TIMEOUT_MS);
	bool is_there = line != NULL && strstr(line, part);
	if (!is_there)
		diag("got: %.500s, wanted: %s", line != NULL ? line : "nothing", part);
	return is_there;
}

/* All that comes until the end of the connection, in one string. */
static char *hear_all(struct guest *guest)
{
	struct buf all;
	const char *line;
	buf_init(&all, (size_t)1 << 24);
	while ((line = guest_line(guest, SERVED_TIMEOUT_MS)) != NULL)
		(void)buf_printf(&all, "%s\n", line);
	(void)buf_append_byte(&all, '\0');
	return (char *)buf_steal(&all, &(size_t){0});
}

/* The answers to a peer that sends these bytes in two pieces, and then half-closes. */
static char *answers_to(const char *bytes, size_t len, size_t cut)
{
	struct guest guest;
	char *all;
	meet(&guest);
	(void)guest_send(&guest, bytes, cut);
	if (cut > 0 && cut < len)
		(void)poll(NULL, 0, 1); /* so that it arrives as a piece */
	(void)guest_send(&guest, bytes + cut, len - cut);
	guest_half_close(&guest);
	all = hear_all(&guest);
	guest_close(&guest);
	return all;
}

/* Sends one line and compares the answer; "" for none. */
static bool answers(const char *request, const char *want, const char *name)
{
	char *line = xasprintf("%s\n", request);
	char *got = answers_to(line, strlen(line), strlen(line));
	char *wanted = xasprintf("%s%s", want, *want ? "\n" : "");
	bool is_same = is_str(got, wanted, "%s", name);
	mem_free(wanted);
	mem_free(got);
	mem_free(line);
	return is_same;
}

/* Exact answers. */

static const struct {
	const char *name;
	const char *request;
	const char *answer;
} exact[] = {
    {"a call: text and structure say the same, and id 0 is an id",
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
	"\"arguments\":{\"text\":\"a\"}}}",
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	"\"test: done.\\ntext a\\n\"}],\"structuredContent\":{\"text\":\"a\"}}}"},
    {"the newest revision has more members, and an id may be a string",
	"{\"jsonrpc\":\"2.0\",\"id\":\"listen:0\",\"method\":\"tools/call\",\"params\":{\"name\":"
	"\"echo\",\"arguments\":{\"text\":\"a\"}," MODERN "}}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"listen:0\",\"result\":{" MODERN_RESULT
	",\"content\":[{\"type\":\"text\",\"text\":\"test: done.\\ntext a\\n\"}],"
	"\"structuredContent\":{\"text\":\"a\"}}}"},
    {"a tool that is not there is an error of the protocol",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ecko\"}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"there is no tool "
	"\\\"ecko\\\"; did you mean "
	"\\\"echo\\\"?\",\"data\":{\"kind\":\"invalid_params\",\"field\":"
	"\"name\"}}}"},
    {"the daemon does not end by a tool",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
	"\"shutdown\"}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"shutdown is no "
	"tool, but for people and programs; `muxbus help shutdown` describes "
	"it\",\"data\":{\"kind\":\"invalid_params\",\"field\":\"name\"}}}"},
    {"wrong arguments are one of the tool, and teach",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
	"\"arguments\":{\"txet\":\"a\"}}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"isError\":true,\"content\":[{\"type\":"
	"\"text\","
	"\"text\":\"echo failed: txet: there is no such parameter; did you mean \\\"text\\\"?\\n"
	"echo takes text (string), ms (integer), bytes (integer), count (integer), keep "
	"(boolean).\"}],\"_meta\":{\"muxbus/error\":{\"code\":-32602,\"kind\":\"invalid_params\","
	"\"field\":\"txet\"}}}}"},
    {"a name is wanted", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"name: is "
	"required\",\"data\":{\"kind\":\"invalid_params\",\"field\":\"name\"}}}"},
    {"arguments that are no object",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
	"\"arguments\":[]}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"arguments: must be "
	"an object, not an "
	"array\",\"data\":{\"kind\":\"invalid_params\",\"field\":\"arguments\"}}}"},
    {"what only agents send is passed over",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
	"\"arguments\":{\"text\":7,\"ms\":\"30\",\"keep\":\"no\",\"wait_for_previous\":true}}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	"\"test: done.\\ntext 7\\n\"}],\"structuredContent\":{\"text\":\"7\"}}}"},
    {"but natively nothing is",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":{\"ms\":\"30\"}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"ms: must be a "
	"whole "
	"number, not a string\",\"data\":{\"kind\":\"invalid_params\",\"field\":\"ms\"}}}"},
    {"a ping of the older revisions is the native one",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"},
    {"the newest has none",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" MODERN "}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"ping: is no part "
	"of "
	"revision 2026-07-28 any more\",\"data\":{\"kind\":\"no_such_method\"}}}"},
    {"nor the beginning",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{" MODERN "}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"initialize: is no "
	"part of revision 2026-07-28 any more\",\"data\":{\"kind\":\"no_such_method\"}}}"},
    {"a revision that is not spoken",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
	"{\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\","
	"\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"this revision of "
	"MCP "
	"is not spoken here; in _meta only 2026-07-28 is, older ones begin with initialize "
	"(2025-11-25)\",\"data\":{\"kind\":\"protocol_version\",\"supported\":[\"2026-07-28\"],"
	"\"requested\":\"2025-11-25\"}}}"},
    {"one that is no string",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
	"{\"io.modelcontextprotocol/protocolVersion\":[]}}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"this revision of "
	"MCP "
	"is not spoken here; in _meta only 2026-07-28 is, older ones begin with initialize "
	"(2025-11-25)\",\"data\":{\"kind\":\"protocol_version\",\"supported\":[\"2026-07-28\"],"
	"\"requested\":\"an array\"}}}"},
    {"capabilities are wanted with it",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
	"{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":"
	"\"_meta[\\\"io.modelcontextprotocol/clientCapabilities\\\"]: is required, and must be an "
	"object\",\"data\":{\"kind\":\"invalid_params\",\"field\":\"_meta\",\"member\":"
	"\"io.modelcontextprotocol/clientCapabilities\"}}}"},
    {"what only the newest has, without its _meta",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":"
	"\"_meta[\\\"io.modelcontextprotocol/protocolVersion\\\"]: is required with this "
	"method\",\"data\":{\"kind\":\"invalid_params\",\"field\":\"_meta\",\"member\":"
	"\"io.modelcontextprotocol/protocolVersion\"}}}"},
    {"a batch", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]",
	"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"a batch is not "
	"accepted; send one request a line, without waiting for answers\",\"data\":{\"kind\":"
	"\"invalid_request\"}}}"},
    {"a page that there is not",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"cursor: "
	"unknown page; repeat the request without a "
	"cursor\",\"data\":{\"kind\":\"invalid_params\",\"field\":"
	"\"cursor\"}}}"},
    {"a level of the log that there is not",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":"
	"\"loud\"}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"level: must be one "
	"of \\\"debug\\\", \\\"info\\\", \\\"notice\\\", \\\"warning\\\", \\\"error\\\", "
	"\\\"critical\\\", \\\"alert\\\", \\\"emergency\\\", not \\\"loud\\\"\",\"data\":{\"kind\":"
	"\"invalid_params\",\"field\":\"level\"}}}"},
    {"notifications are not answered",
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", ""},
    {"nor those that cancel what is not there",
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}",
	""},
    {"nor malformed ones",
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
	"[[1]]}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n"
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/muxbus/hello\",\"params\":{\"tools\":[]}}",
	""},
    {"a list with an unknown group",
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/muxbus/hello\",\"params\":{\"tools\":"
	"\"default,agnets\"}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"tools: there is no "
	"group or tool \\\"agnets\\\"; did you mean \\\"agents\\\"?\",\"data\":{\"kind\":"
	"\"invalid_params\",\"field\":\"tools\"}}}"},
    {"one with an id is no notification",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"notifications/initialized\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":"
	"\"notifications/initialized: is a notification: it has no id and is not answered\","
	"\"data\":{\"kind\":\"no_such_method\"}}}"},
    {"a call that is a notification is carried out, and not answered",
	"{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}", ""},
    {"a lone surrogate in a request is refused, and says where",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
	"\"arguments\":{\"text\":\"\\ud800\"}}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32700,\"message\":\"cannot read the "
	"line as JSON: a high "
	"surrogate without a low one at offset 91: \\\\ud800\\\"}}}\",\"data\":{\"kind\":"
	"\"parse_error\"}}}"},
};

static void test_exact(void)
{
	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
		answers(exact[i].request, exact[i].answer, exact[i].name);
}

/* All of them on one connection, split at every byte. */
static void test_every_cut(void)
{
	struct buf lines;
	char *whole;
	int failures;
	buf_init(&lines, 65536);
	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
		(void)buf_printf(&lines, "%s\n", exact[i].request);
	whole = answers_to((const char *)lines.data, lines.len, 0);
	failures = 0;
	for (size_t cut = 1; cut <= lines.len; cut++) {
		char *again = answers_to((const char *)lines.data, lines.len, cut);
		if (strcmp(again, whole) != 0 && failures++ == 0)
			diag("cut at %zu: %s", cut, again);
		mem_free(again);
	}
	is_int(failures, 0, "split at each of %zu bytes it is the same", lines.len);
	mem_free(whole);
	buf_finish(&lines);
}

/* The beginning. */

static void test_versions(void)
{
	static const char *const versions[][2] = {{"2024-11-05", "2024-11-05"},
	    {"2025-03-26", "2024-11-05"}, {"2025-06-18", "2025-06-18"},
	    {"2025-11-24", "2025-06-18"}, {"2025-11-25", "2025-11-25"},
	    {"2026-07-28", "2025-11-25"}, {"2024-10-07", "2025-11-25"}, {"", "2025-11-25"}};
	struct guest guest;
	meet(&guest);
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		char want[64];
		(void)snprintf(want, sizeof want, "{\"protocolVersion\":\"%s\"", versions[i][1]);
		guest_say(&guest,
		    "{\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\"}}",
		    versions[i][0]);
		ok(hears(&guest, want), "\"%s\" is offered, and %s is spoken", versions[i][0],
		    versions[i][1]);
	}
	guest_say(&guest, "{\"id\":1,\"method\":\"server/discover\",\"params\":{" MODERN "}}");
	ok(hears(&guest,
	       "\"id\":1,\"result\":{" MODERN_RESULT ",\"ttlMs\":60000,\"cacheScope\":"
	       "\"private\",\"supportedVersions\":[\"2026-07-28\"],"),
	    "both eras on one connection");
	guest_close(&guest);
}

/* Waiting calls. */

static void test_cancelled(void)
{
	struct guest guest;
	char *all;
	meet(&guest);
	guest_say(&guest,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"w\",\"method\":\"tools/call\",\"params\":{\"name\":"
	    "\"wait\",\"arguments\":{\"ms\":3600000}}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"late\","
	    "\"arguments\":{\"ms\":30}}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
	    "\"7\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
	    "\"w\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"late\","
	    "\"arguments\":{\"ms\":30}}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
	    "8}}");
	guest_half_close(&guest);
	all = hear_all(&guest);
	ok(strstr(all, "\"id\":7,\"result\"") == all + strlen("{\"jsonrpc\":\"2.0\","),
	    "another id is another request");
	ok(!strstr(all, "\"id\":\"w\"") && !strstr(all, "\"id\":8"),
	    "a cancelled call is not answered, whether it could be stopped or not");
	mem_free(all);
	guest_close(&guest);
	meet(&guest);
	guest_say(&guest, "{\"method\":\"cancelled\"}");
	ok(hears(&guest, "\"count\":1}"), "and the waiting call was stopped");
	guest_close(&guest);
}

#define PROGRESS                                                                  \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{" \
	"\"progressToken\":%s,\"progress\":10,\"message\":\"wait: waiting for 10 s\"}}\n"

/* Progress notifications come every ten seconds, and none with the result or after it. */
static void test_progress(void)
{
	static const char *const tokens[] = {"7", "\"a\\\"b\"", "0"};
	struct guest guest;
	const char *last, *text, *line;
	size_t ends;
	struct buf all;
	meet(&guest);
	for (size_t i = 0; i < 3; i++)
		guest_say(&guest,
		    "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/"
		    "call\",\"params\":{\"name\":"
		    "\"%s\",\"arguments\":{\"ms\":11000},\"_meta\":{\"progressToken\":%s}}}",
		    i, i == 2 ? "late" : "wait", tokens[i]);
	guest_half_close(&guest);
	buf_init(&all, 65536);
	while ((line = guest_line(&guest, 3 * SERVED_TIMEOUT_MS)) != NULL)
		(void)buf_printf(&all, "%s\n", line);
	ends = 0;
	text = (const char *)all.data;
	for (size_t i = 0; i < 2; i++) {
		char *want = xasprintf(PROGRESS, tokens[i]);
		const char *found = strstr(text, want);
		ok(found != NULL && !strstr(found + 1, want),
		    "one progress notification after ten seconds, with token %s", tokens[i]);
		mem_free(want);
	}
	for (const char *p = text; (p = strstr(p, "\"result\"")); p++)
		ends++;
	is_int((long long)ends, 3, "then all are answered");
	last = strstr(text, "\"result\"");
	ok(last != NULL && !strstr(last, "progress\""), "and no notification comes then");
	ok(!strstr(text, "\"progressToken\":0"), "a call that does not wait sends none");
	buf_finish(&all);
	guest_close(&guest);
}

static void test_listeners(void)
{
	struct guest guest;
	meet(&guest);
	for (int i = 0; i < 21; i++)
		guest_say(&guest,
		    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"subscriptions/listen\",\"params\":"
		    "{\"notifications\":{\"toolsListChanged\":true}," MODERN "}}",
		    i);
	for (int i = 0; i < 20; i++)
		(void)guest_line(&guest, SERVED_TIMEOUT_MS);
	ok(hears(&guest, "\"id\":20,\"error\":{\"code\":16"), "too many listeners: limit");
	guest_close(&guest);
}

/* Returns the bytes that lie in the socket, once the server has handled what it was sent. */
static int bytes_there(const struct guest *guest, struct guest *other)
{
	int there = 0;
	for (int turn = 0; turn < 300; turn++) {
		guest_say(other, "{\"id\":1,\"method\":\"ping\"}");
		(void)guest_line(other, SERVED_TIMEOUT_MS);
	}
	(void)ioctl(guest->fd, FIONREAD, &there);
	return there;
}

/* A peer does not read, so at some time there is no room for the acknowledgement of a listener. */
static void test_unread_listeners(void)
{
	static const char listener[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"subscriptions/listen\",\"params\":"
	    "{\"notifications\":{}," MODERN "}}\n{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":%d}}\n";
	struct guest guest, other;
	struct buf lines = BUF((size_t)1 << 20);
	const char *line;
	int pings = 0, there = 1, before = 0, acknowledged = 0, refused = 0;
	meet(&guest);
	meet(&other);
	for (; there != before && pings < 100000; pings += 400) {
		before = there;
		for (int i = 0; i < 400; i++)
			(void)buf_append_str(&lines, "{\"id\":0,\"method\":\"ping\"}\n");
		guest_send(&guest, (const char *)lines.data, lines.len);
		buf_clear(&lines);
		there = bytes_there(&guest, &other);
	}
	for (int i = 1; i <= LISTENERS; i++)
		(void)buf_printf(&lines, listener, i, i);
	guest_send(&guest, (const char *)lines.data, lines.len);
	(void)bytes_there(&guest, &other);
	while (pings-- > 0)
		(void)guest_line(&guest, SERVED_TIMEOUT_MS);
	while (acknowledged + refused < LISTENERS &&
	    (line = guest_line(&guest, SERVED_TIMEOUT_MS)) != NULL) {
		acknowledged += strstr(line, "subscriptions/acknowledged") != NULL;
		refused += strstr(line, "\"kind\":\"busy\"") != NULL;
	}
	ok(refused > 0, "a listener whose acknowledgement has no room is refused");
	is_int(acknowledged + refused, LISTENERS, "and all others are acknowledged");
	buf_finish(&lines);
	guest_close(&other);
	guest_close(&guest);
}

int main(void)
{
	static const char *const settings[] = {"waits=20", "unread_bytes=131072", NULL};
	char reason[256];
	served_init(&served, settings);
	if (!served_start(&served, 0, reason, sizeof reason)) {
		printf("Bail out! %s\n", reason);
		return 99;
	}
	test_exact();
	test_every_cut();
	test_versions();
	test_cancelled();
	test_progress();
	test_listeners();
	test_unread_listeners();
	is_int(served_stop(&served, SIGTERM), 0, "it ends in good order");
	served_finish(&served);
	return done_testing();
}
