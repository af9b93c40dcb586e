/* SPDX-License-Identifier: ISC */
/*
 * MCP with a real tmux: panes as agents see them, with any screen; long waits that are released
 * and reported; resources and the subscribers to their changes; several agents at once, each with
 * its own pane; and the ends of connections and of the daemon.
 */
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "daemon/mcp/mcp_tool.h"
#include "harness.h"

static struct live *live;
static struct talk *talk;

#define MODERN                                                    \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" \
	"\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}"

/* Calls a tool; arguments are a format for the JSON object. */
#define tool(peer, name, ...) \
	talk_call(peer, "tools/call", "{\"name\":\"" name "\",\"arguments\":" __VA_ARGS__)

/* The text of the answer to a call. */
static const char *text_of(const struct json *answer)
{
	const char *text = at_str(answer, "result.content.0.text");
	return text != NULL ? text : "";
}

/* The next notification of a method, lent; others are forgotten. */
static const struct json *told(struct talk *peer, const char *method)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		const struct json *line = talk_line(peer, LIVE_TIMEOUT_MS);
		const char *name = line != NULL ? at_str(line, "method") : NULL;
		if (line == NULL)
			return NULL;
		if (name != NULL && strcmp(name, method) == 0)
			return line;
	}
	return NULL;
}

static struct talk *meet(void)
{
	struct talk *peer = talk_new(live);
	if (peer == NULL)
		live_bail("no connection");
	return peer;
}

/* A peer that has begun as the older revisions do. */
static struct talk *meet_agent(const char *name)
{
	struct talk *peer = meet();
	(void)talk_call(peer, "initialize",
	    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":"
	    "\"%s\",\"version\":\"1\"}}",
	    name);
	(void)talk_send(peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	return peer;
}

/* Panes. */

static void wait_for_text(const char *pane, const char *text)
{
	(void)tool(talk, "wait_for",
	    "{\"any\":[{\"screen\":\"%s\",\"pane\":\"%s\"}],\"timeout_sec\":20}}", text, pane);
}

static void wait_for_title(const char *target, const char *title)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		if (strcmp(live_tmux(live, "display -p -t '%s' '#{pane_title}'", target), title) ==
		    0)
			return;
		live_sleep_ms(10);
	}
	live_bail("%s has no title", target);
}

/* The length of a value as compact JSON. */
static size_t bytes_of(const struct json *value)
{
	struct json_writer writer;
	struct buf out;
	size_t len;
	buf_init(&out, (size_t)1 << 20);
	json_writer_init(&writer, &out);
	json_put_value(&writer, NULL, value);
	len = out.len;
	buf_finish(&out);
	return len;
}

static void test_panes(void)
{
	const struct json *answer = tool(talk, "list_panes", "{}}");
	is_str(at_str(answer, "result.structuredContent.panes.0.pane"), "%0", "panes are listed");
	/* A window without a name of its own has its index in the place, or what tmux called it at first. */
	ok(strstr(text_of(answer), "List the panes: 1 panes.\n") == text_of(answer) &&
		strstr(text_of(answer), "\n%0 | main:"),
	    "and in the text as well");
	answer = tool(talk, "capture_pane", "{\"pane\":\"0\",\"lines\":\"1\"}}");
	is_str(at_str(answer, "result.structuredContent.pane"), "%0",
	    "\"0\" can only mean %%0, and \"1\" only 1");
	answer = tool(talk, "capture_pane", "{\"pane\":\"%%77\"}}");
	ok(at_true(answer, "result.isError") && strstr(text_of(answer), "Panes: %0 "),
	    "for an unknown pane the error lists the panes");
	answer = tool(talk, "get_job", "{\"job\":\"Z9Z9\"}}");
	ok(at_true(answer, "result.isError") && strstr(text_of(answer), "Jobs: none"),
	    "and the same for jobs");
	answer = tool(talk, "wait_for", "{\"any\":[{\"quiet_sec\":\"0.01\",\"pane\":0}]}}");
	is_str(at_str(answer, "result.structuredContent.conditions.0.state"), "matched",
	    "tolerated forms inside conditions are accepted too");
}

/* Twenty panes with long names cost a model no more than 800 tokens, all members only on request. */
static void test_short_panes(void)
{
	const struct json *answer, *pane;
	size_t len;
	live_tmux(live,
	    "new-session -d -s many -n editor 'printf \"\\033]2;Fix the login of the "
	    "payments service\\007\"; cd /usr/share; exec sleep 3600'");
	for (int i = 1; i < 20; i++)
		live_tmux(live,
		    "new-window -d -n task%d -t many: 'printf \"\\033]2;Fix the login of "
		    "the payments service\\007\"; cd /usr/share; exec sleep 3600'",
		    i);
	wait_for_title("many:19", "Fix the login of the payments service");
	answer = tool(talk, "list_panes", "{\"session\":\"many\"}}");
	is_int((long long)at(answer, "result.structuredContent.panes")->count, 20, "20 panes");
	pane = at(answer, "result.structuredContent.panes.19");
	is_str(at_str(pane, "place"), "many:task19.0", "each with its place");
	is_str(at_str(pane, "title"), "Fix the login of the\xe2\x80\xa6", "its title, cut");
	is_str(at_str(pane, "path"), "/usr/share", "and its directory");
	ok(at(pane, "tty") == NULL && at(pane, "width") == NULL, "but not all members");
	len = bytes_of(at(answer, "result.structuredContent"));
	/* o200k took 671 tokens for 2,121 bytes of such a list: one for 3.2. */
	ok(len * 10 / 32 <= 800, "%zu bytes, at most 800 tokens", len);
	answer = tool(talk, "list_panes", "{\"session\":\"many\",\"detail\":\"full\"}}");
	ok(at(answer, "result.structuredContent.panes.0.tty") != NULL, "with detail full, all");
	answer = talk_call(talk, "list_panes", "{\"session\":\"many\"}");
	ok(at(answer, "result.panes.0.tty") != NULL, "natively full is the default");
	answer = talk_call(talk, "list_panes", "{\"session\":\"many\",\"detail\":\"short\"}");
	is_str(at_str(answer, "result.panes.0.place"), "many:editor.0", "and short on request");
	live_tmux(live, "kill-session -t many");
}

/* A pane in a mode, and a dead one: unusual states are shown. */
static void test_short_states(void)
{
	const struct json *answer, *panes;
	live_tmux(live, "new-session -d -s odd 'exec sleep 3600'");
	live_tmux(live, "set-option -g remain-on-exit on");
	live_tmux(live, "split-window -d -t odd: 'exit 3'");
	live_tmux(live, "copy-mode -t odd:.0");
	(void)tool(talk, "wait_for", "{\"any\":[{\"exited\":\"odd:0.1\"}],\"timeout_sec\":20}}");
	/* tmux knows that a pane is dead a moment before it knows the status. */
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(10))
		if (*live_tmux(live, "display -p -t odd:0.1 '#{pane_dead_status}'") != '\0')
			break;
	answer = tool(talk, "list_panes", "{\"session\":\"odd\"}}");
	panes = at(answer, "result.structuredContent.panes");
	is_str(at_str(panes, "0.mode"), "copy-mode", "a mode is shown");
	ok(at_true(panes, "0.active") && at(panes, "1.active") == NULL, "and the active pane");
	ok(at_true(panes, "1.dead") && at_int(panes, "1.exit_status") == 3,
	    "and a dead pane, with its status");
	live_tmux(live, "set-option -g remain-on-exit off");
	live_tmux(live, "kill-session -t odd");
}

static void test_strange_output(void)
{
	char *pane = xstrdup(live_tmux(live,
	    "new-window -d -P -F '#{pane_id}' -t main: \"printf 'a\\377\\376b \\355\\240\\200 "
	    "\\033]2;t\\377\\007done'; exec cat\""));
	const struct json *answer;
	wait_for_text(pane, "done");
	/* The harness ends the test if a line is not JSON in strict UTF-8. */
	answer = tool(talk, "capture_pane", "{\"pane\":\"%s\"}}", pane);
	ok(strstr(text_of(answer), "done") && !strstr(talk_text(talk), "\\ud8"),
	    "bytes of invalid UTF-8 make a valid result");
	answer = tool(talk, "read_output", "{\"pane\":\"%s\"}}", pane);
	ok(at(answer, "result.structuredContent.text") != NULL && !strstr(talk_text(talk), "\\ud8"),
	    "the pane's output is read in the same way");
	mem_free(pane);
}

static void test_large(void)
{
	char *pane = xstrdup(live_tmux(live,
	    "new-window -d -P -F '#{pane_id}' -t main: \"seq -f 'a line of text %%.0f' 100000 "
	    "101900; echo the end; exec "
	    "cat\""));
	const struct json *answer, *shown;
	size_t text_len;
	wait_for_text(pane, "the end");
	answer = tool(talk, "capture_pane", "{\"pane\":\"%s\",\"history\":true}}", pane);
	text_len = strlen(text_of(answer));
	shown = at(answer, "result.structuredContent.text");
	ok(at_true(answer, "result.structuredContent.truncated") &&
		at_str(answer, "result.structuredContent.rest") != NULL &&
		strstr(text_of(answer), "\nTruncated. "),
	    "a cut text reports the cut, and how to get the rest");
	ok(text_len <= MCP_RESULT_MAX && text_len > MCP_RESULT_MAX / 2, "%zu bytes, at most %d",
	    text_len, MCP_RESULT_MAX);
	ok(shown != NULL && shown->len > 8 &&
		strcmp(shown->text + shown->len - 8, "the end\n") == 0,
	    "the end of the text is kept");
	ok(strstr(text_of(answer), "\ntext, lines: ") && strncmp(shown->text, "a line ", 7) == 0,
	    "and its first line is complete");

	answer = tool(talk, "run_tmux",
	    "{\"command\":[\"capture-pane\",\"-p\",\"-S\",\"-\",\"-t\",\"%s\"]}}", pane);
	text_len = strlen(text_of(answer));
	ok(text_len <= MCP_RESULT_BYTES && at_true(answer, "result.structuredContent.truncated"),
	    "by default at most %d bytes, for any tool", MCP_RESULT_BYTES);
	mem_free(pane);
}

/* Captures of each size around the limit: text and structure say the same, and it is true. */
static void test_around_limit(void)
{
	char *pane = xstrdup(live_tmux(live,
	    "new-window -d -P -F '#{pane_id}' -t main: \"seq -f 'a line of text %%.0f' 100000 "
	    "101900; echo the end; exec cat\""));
	int faults = 0, cuts = 0;
	wait_for_text(pane, "the end");
	for (int lines = 840; lines < 920; lines++) {
		const struct json *answer =
		    tool(talk, "capture_pane", "{\"pane\":\"%s\",\"lines\":%d}}", pane, lines);
		const char *text = text_of(answer);
		const struct json *shown = at(answer, "result.structuredContent.text");
		bool is_cut = at(answer, "result.structuredContent.rest") != NULL;
		long first = 0, row = (long)at_int(answer, "result.structuredContent.first_row");
		long size = (long)at_int(answer, "result.structuredContent.history_size");
		char said[64];
		if (shown != NULL)
			(void)sscanf(shown->text, "a line of text %ld", &first);
		(void)snprintf(said, sizeof said, "first_row %ld,", row);
		cuts += is_cut;
		faults += shown == NULL || first - 100000 != row + size || !strstr(text, said) ||
		    !strstr(text, shown->text);
		faults += (strstr(text, "\nTruncated. ") != NULL) != is_cut ||
		    (is_cut && (strstr(text, "truncated no") || !strstr(text, "truncated yes")));
		faults += !is_cut && first != 101902 - lines;
	}
	ok(cuts > 0 && cuts < 80, "%d of 80 captures around the limit are cut", cuts);
	is_int(faults, 0, "rows, marks and text agree in all of them");
	mem_free(pane);
}

/* Waits that are answered are counted, by the daemon and since an hour. */
static void test_meter(void)
{
	const struct json *answer = talk_call(talk, "meter", "{}");
	int64_t before = at_int(answer, "result.waits_answered"), after;
	(void)tool(talk, "wait_for", "{\"any\":[{\"sec\":0.01}]}}");
	(void)tool(talk, "list_panes", "{}}");
	answer = talk_call(talk, "meter", "{\"since_sec\":3600}");
	after = at_int(answer, "result.by_source.wait.waits_answered");
	is_int(after, before + 1, "a wait is counted, another call is not");
	is_int(at_int(answer, "result.polls_avoided"), after, "a short one for one look");
	answer = talk_call(talk, "status", "{}");
	is_int(at_int(answer, "result.meter.waits_answered"), after, "status has the meter");
	before = at_int(answer, "result.meter.wakes");
	(void)talk_call(talk, "post_notification", "{\"text\":\"wake\",\"pane\":\"%%0\"}");
	answer = talk_call(talk, "take_notifications", "{\"pane\":\"%%0\",\"way\":\"hook\"}");
	(void)talk_call(talk, "ack_notification", "{\"seq\":%lld}",
	    (long long)at_int(answer, "result.notifications.0.seq"));
	answer = talk_call(talk, "meter", "{}");
	is_int(
	    at_int(answer, "result.wakes"), before + 1, "a notification that was taken is a wake");
	is_int(at_int(answer, "result.by_source.post.polls_avoided"), 1, "instead of a look");
}

static void test_job_output(void)
{
	char id[16], *all;
	const struct json *answer =
	    tool(talk, "run_long_command", "{\"command\":\"seq 100000 104000\"}}");
	int64_t from;
	(void)snprintf(id, sizeof id, "%s", at_str(answer, "result.structuredContent.id"));
	answer = tool(talk, "wait_for", "{\"any\":[{\"job\":\"%s\"}],\"timeout_sec\":20}}", id);
	ok(strstr(text_of(answer), "Came true: job (condition 0)\n") == text_of(answer),
	    "a job is waited for");
	all = xstrdup("");
	from = 0;
	for (int i = 0; i < 20; i++) {
		const char *text;
		int64_t to;
		char *longer;
		answer = tool(
		    talk, "read_job", "{\"job\":\"%s\",\"offset\":%lld}}", id, (long long)from);
		text = at_str(answer, "result.structuredContent.text");
		to = at_int(answer, "result.structuredContent.to");
		longer = xasprintf("%s%s", all, text != NULL ? text : "");
		mem_free(all);
		all = longer;
		if (to <= from || to == at_int(answer, "result.structuredContent.end"))
			break;
		from = to;
	}
	ok(from > 0 && strlen(all) == (size_t)4001 * 7 && strstr(all, "\n104000\n"),
	    "its output is read in pieces that need no cutting, by offset");
	mem_free(all);
}

/* Waiting. */

static int64_t waits_now(void)
{
	return at_int(talk_call(talk, "status", "{}"), "result.waits");
}

static bool until_waits(int64_t want)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (waits_now() != want && live_now_ms() < end_ms)
		live_sleep_ms(10);
	return waits_now() == want;
}

/*
 * The state of the notification of an id, waited for until the notification exists; "" if none
 * comes.
 */
static const char *note_state(const char *id, const char *text)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		const struct json *list =
		    at(talk_call(talk, "list_notifications", "{}"), "result.notifications");
		const struct json *note = list != NULL ? at_where(list, "id", id) : NULL;
		if (note != NULL && strstr(at_str(note, "text"), text))
			return at_str(note, "state");
		live_sleep_ms(10);
	}
	return "";
}

static void test_pending(void)
{
	char name[32];
	struct talk *agent = meet_agent("inspector");
	const struct json *answer =
	    tool(agent, "wait_for", "{\"any\":[{\"sec\":3600}],\"timeout_sec\":7200}}");
	is_str(at_str(answer, "result.structuredContent.status"), "pending",
	    "a wait that is too long for its agent returns early, as a success");
	ok(strstr(text_of(answer), "you are in no pane") == NULL ||
		strstr(text_of(answer), "nothing else wakes you"),
	    "and names the notification that wakes it");
	ok(strstr(text_of(answer), "Pending: ") == text_of(answer), "in its first line");
	(void)snprintf(name, sizeof name, "%s", at_str(answer, "result.structuredContent.wait"));
	answer = tool(agent, "wait_for", "{\"wait\":\"%s\",\"timeout_sec\":7200}}", name);
	is_str(
	    at_str(answer, "result.structuredContent.wait"), name, "asking again resumes the wait");
	is_str(at_str(answer, "result.structuredContent.status"), "pending", "again and again");
	answer = tool(agent, "next_notification", "{\"timeout_sec\":600}}");
	is_str(at_str(answer, "result.structuredContent.status"), "pending",
	    "the same for waiting for a notification");
	ok(strstr(text_of(answer), "with after "), "the answer says where to resume");
	(void)talk_call(talk, "post_notification", "{\"text\":\"before\"}");
	answer = tool(agent, "next_notification", "{\"timeout_sec\":0}}");
	is_int((int64_t)at(answer, "result.structuredContent.notifications")->count, 0,
	    "without after none that came before the call is found");
	answer = tool(agent, "next_notification", "{\"timeout_sec\":0,\"after\":0}}");
	ok(at(answer, "result.structuredContent.notifications")->count > 0, "with after 0 it is");
	answer =
	    tool(agent, "execute_cli", "{\"command\":\"sleep 2; echo x\",\"timeout_sec\":60}}");
	ok(at_str(answer, "result.structuredContent.job"),
	    "and a command that takes longer continues as a job");
	talk_free(agent);
}

/* A task of an agent continues after its requester stops waiting. */
static void test_task(void)
{
	struct talk *agent = meet_agent("inspector");
	bool is_told;
	const struct json *answer;
	(void)talk_call(
	    talk, "ensure_agent", "{\"name\":\"helper\",\"command\":\"sh\",\"prompt\":\"[$#] $\"}");
	answer = tool(agent, "send_task",
	    "{\"agent\":\"helper\",\"text\":\"sleep 2; echo done\",\"timeout_sec\":60}}");
	is_str(at_str(answer, "result.structuredContent.status"), "pending",
	    "a task continues when its requester's time is up");
	ok(strstr(text_of(answer), "next_notification {\"after\":"),
	    "and the answer says how to resume");
	is_told = false;
	for (int64_t end_ms = live_now_ms() + 2 * LIVE_TIMEOUT_MS;
	     !is_told && live_now_ms() < end_ms; live_sleep_ms(20)) {
		(void)talk_call(talk, "list_notifications", "{}");
		is_told = strstr(talk_text(talk), "the task of agent helper ended") &&
		    strstr(talk_text(talk), "\"outcome\":\"ready\"");
	}
	ok(is_told, "and its end is reported");
	talk_free(agent);
}

/*
 * Returns true if a record says that a wait is over whose pane is still to be notified: after kill -9
 * behind such a record the pane would never be.
 */
static bool has_untold_end(void)
{
	char path[256];
	glob_t found;
	struct buf journal = BUF(64 * 1024 * 1024);
	const char *at, *end;
	bool has = false;
	(void)snprintf(path, sizeof path, "%s/muxbus/*/journal", live->dir);
	if (glob(path, 0, NULL, &found) != 0 || file_read(found.gl_pathv[0], 0, &journal) < 0)
		abort();
	at = (const char *)journal.data;
	end = at + journal.len;
	while ((at = memmem(at, (size_t)(end - at), "{\"teller\"", 9)) != NULL) {
		const char *close = memchr(at, '}', (size_t)(end - at));
		size_t len = close != NULL ? (size_t)(close - at) : 0;
		has |= memmem(at, len, "\"over\":true", 11) != NULL;
		at++;
	}
	globfree(&found);
	buf_finish(&journal);
	return has;
}

static void test_parked(void)
{
	char name[32];
	struct talk *agent = meet();
	const struct json *answer;
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/muxbus/hello\","
	    "\"params\":{\"pane\":\"%%0\"}}");
	answer = tool(agent, "wait_for", "{\"any\":[{\"sec\":2}],\"timeout_sec\":7200}}");
	(void)snprintf(name, sizeof name, "%s", at_str(answer, "result.structuredContent.wait"));
	ok(strstr(text_of(answer), "nothing else wakes you"),
	    "an agent in a pane, or with a stated pane, gets to know about the way there");
	is_str(note_state(name, "it came true"), "queued", "when the condition is met");
	answer = tool(agent, "wait_for", "{\"wait\":\"%s\"}}", name);
	is_str(at_str(answer, "result.structuredContent.conditions.0.state"), "matched",
	    "resuming then is answered at once");
	is_str(note_state(name, "it came true"), "acknowledged",
	    "and the end is not reported a second time");

	answer = tool(agent, "wait_for", "{\"any\":[{\"sec\":4}],\"timeout_sec\":7200}}");
	(void)snprintf(name, sizeof name, "%s", at_str(answer, "result.structuredContent.wait"));
	talk_free(agent);
	talk_free(talk);
	(void)live_stop_daemon(live, SIGKILL);
	live_start_daemon(live, "-o mcp_wait_sec=1");
	talk = meet();
	is_str(note_state(name, "it came true"), "queued",
	    "a wait survives a restart, and wakes the same pane");
	ok(!has_untold_end(), "its end and its notification are stored together");
}

/* While there are too many named waits none can be left; "pending" comes when one has gone. */
static void test_no_place(void)
{
	enum { PLACES = 256 };
	struct talk *agent = meet(), *other = talk_new(live);
	const struct json *answer;
	for (int i = 0; i < PLACES; i++)
		(void)talk_send(other,
		    "{\"method\":\"wait_for\",\"params\":{\"any\":[{\"sec\":3600}],"
		    "\"wait\":\"place%d\",\"timeout_sec\":7200}}",
		    i);
	(void)talk_call(other, "ping", NULL);
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"late\",\"method\":\"tools/call\",\"params\":"
	    "{\"name\":\"wait_for\",\"arguments\":{\"any\":[{\"sec\":3600}],"
	    "\"timeout_sec\":7200}}}");
	(void)talk_call(talk, "wait_for", "{\"any\":[{\"sec\":1.5}]}");
	for (int i = 0; i < PLACES; i++)
		(void)talk_call(talk, "cancel_watch", "{\"id\":\"place%d\"}", i);
	answer = talk_response(agent, "late", LIVE_TIMEOUT_MS);
	is_str(answer != NULL ? at_str(answer, "result.structuredContent.status") : NULL, "pending",
	    "a wait that found no place is pending when there is one");
	talk_free(other);
	talk_free(agent);
}

/* An agent resumes a wait, and its person interrupts it. */
static void test_interrupted(void)
{
	char name[32];
	struct talk *agent = meet();
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/muxbus/hello\","
	    "\"params\":{\"pane\":\"%%0\"}}");
	(void)snprintf(name, sizeof name, "%s",
	    at_str(tool(agent, "wait_for", "{\"any\":[{\"sec\":2}],\"timeout_sec\":7200}}"),
		"result.structuredContent.wait"));
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"resumed\",\"method\":\"tools/call\",\"params\":"
	    "{\"name\":\"wait_for\",\"arguments\":{\"wait\":\"%s\"}}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
	    "{\"requestId\":\"resumed\"}}",
	    name);
	is_str(note_state(name, "it came true"), "queued",
	    "a wait whose resumed request was cancelled wakes the pane");
	talk_free(agent);
}

static void test_gone(void)
{
	int64_t before = waits_now();
	struct talk *agent = meet();
	const struct json *line;
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
	    "\"wait_for\",\"arguments\":{\"any\":[{\"sec\":3600}],\"timeout_sec\":0.9}}}");
	ok(until_waits(before + 1), "an agent waits");
	talk_free(agent);
	ok(until_waits(before), "it leaves in the middle of a call, and no wait is left");
	agent = meet();
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":{\"name\":"
	    "\"wait_for\",\"arguments\":{\"any\":[{\"sec\":3600}],\"timeout_sec\":0.9}}}");
	ok(until_waits(before + 1), "an agent waits");
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
	    "\"x\",\"reason\":\"enough\"}}");
	ok(until_waits(before), "it cancels, and no wait is left");
	(void)talk_send(agent, "{\"id\":2,\"method\":\"ping\"}");
	line = talk_line(agent, LIVE_TIMEOUT_MS);
	is_int(at_int(line, "id"), 2, "a cancelled call is not answered");
	talk_free(agent);
}

/* Two agents. */

/* The answer to a call from a pane's own process. */
static void start_in_pane(const char *pane, int id)
{
	live_tmux(live,
	    "send-keys -t '%s' -l \"printf '%%s\\n' '{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":%d,"
	    "\\\"method\\\":\\\"tools/call\\\",\\\"params\\\":{\\\"name\\\":\\\"yield_turn\\\"}}' "
	    "| "
	    "socat -t 60 - UNIX-CONNECT:%s >%s/answer.%d.part; mv %s/answer.%d.part %s/answer.%d\"",
	    pane, id, live->socket, live->dir, id, live->dir, id, live->dir, id);
	live_tmux(live, "send-keys -t '%s' Enter", pane);
}

static const char *answer_in_pane(int id)
{
	struct stat st;
	char path[96];
	(void)snprintf(path, sizeof path, "%s/answer.%d", live->dir, id);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	     stat(path, &st) < 0 && live_now_ms() < end_ms;)
		live_sleep_ms(10);
	return live_run(live, "cat %s", path);
}

static void test_two(void)
{
	char *other = xstrdup(live_tmux(live, "split-window -d -P -F '#{pane_id}' -t %%0 sh"));
	char want[64];
	start_in_pane("%0", 1);
	start_in_pane(other, 2);
	ok(strstr(answer_in_pane(1), "\"id\":1,") && strstr(answer_in_pane(1), "\"pane\":\"%0\""),
	    "an agent in a pane is recognised by the pane");
	(void)snprintf(want, sizeof want, "\"pane\":\"%s\"", other);
	ok(strstr(answer_in_pane(2), "\"id\":2,") && strstr(answer_in_pane(2), want),
	    "an agent in another pane by that one, at the same time");
	mem_free(other);
}

/* Resources. */

/* Models write the id of a pane as it is, clients that expand a template encode it. */
static void test_pane_uris(void)
{
	static const struct {
		const char *id;
		const char *error; /* NULL: it is read */
	} uris[] = {
	    {"0", NULL},
	    {"%0", NULL},
	    {"%250", NULL},
	    {"%254000", "4000"},
	    {"%4000", "4000"},
	    {"%", "no resource"},
	    {"%%0", "no resource"},
	    {"%25250", "250"},
	    {"%2a", "2a"},
	};
	for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
		const struct json *answer = talk_call(
		    talk, "resources/read", "{\"uri\":\"muxbus://panes/%s\"}", uris[i].id);
		const char *error = at_str(answer, "error.message");
		char uri[64];
		(void)snprintf(uri, sizeof uri, "muxbus://panes/%s", uris[i].id);
		if (uris[i].error != NULL)
			ok(error != NULL && strstr(error, uris[i].error) != NULL, "%s: %s", uri,
			    error != NULL ? error : "is read");
		else
			is_str(at_str(answer, "result.contents.0.uri"), uri, "%s is read", uri);
	}
}

/* Panes that are made, or gone, without a word to the daemon at rest. */
static void test_completed_panes(void)
{
	static const char *const words[] = {"", MODERN};
	char params[512], pane[16];
	const struct json *answer;
	for (size_t at_word = 0; at_word < 2; at_word++) {
		(void)snprintf(pane, sizeof pane, "%s",
		    live_tmux(live, "new-window -d -P -t main: -F '#{pane_id}' cat") + at_word);
		(void)snprintf(params, sizeof params,
		    "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"muxbus://panes/{pane}\"},"
		    "\"argument\":{\"name\":\"pane\",\"value\":\"%s\"}%s%s}",
		    pane, *words[at_word] ? "," : "", words[at_word]);
		answer = talk_call(talk, "completion/complete", "%s", params);
		is_str(at_str(answer, "result.completion.values.0"), pane, "so is a new pane");
		is_str(at_str(answer, "result.resultType"), at_word == 0 ? NULL : "complete",
		    "with what its revision asks for");
		live_tmux(live, "kill-window -t %%%s", pane + (*pane == '%'));
		answer = talk_call(talk, "completion/complete", "%s", params);
		is_int(at_int(answer, "result.completion.total"), 0, "and no more when it is gone");
	}
}

static void test_resources(void)
{
	static const char window[] = "new-window -d -P -t main: -F";
	char uri[64];
	const struct json *answer = talk_call(talk, "resources/list", "{}");
	const struct json *entry =
	    at_where(at(answer, "result.resources"), "uri", "muxbus://panes/0");
	ok(entry != NULL && at_str(entry, "name") != NULL, "panes are resources");
	(void)snprintf(uri, sizeof uri, "muxbus://panes/%s",
	    live_tmux(live, "%s '#{pane_id}' cat", window) + 1);
	answer = talk_call(talk, "resources/list", "{}");
	ok(at_where(at(answer, "result.resources"), "uri", uri), "so is one made just now");
	live_tmux(live, "kill-window -t %%%s", uri + sizeof "muxbus://panes/" - 1);
	answer = talk_call(talk, "resources/list", "{}");
	ok(!at_where(at(answer, "result.resources"), "uri", uri), "and no more when it is gone");
	answer = talk_call(talk, "resources/templates/list", "{}");
	ok(at_where(
	       at(answer, "result.resourceTemplates"), "uriTemplate", "muxbus://jobs/{job}/output"),
	    "there are templates");
	live_tmux(live, "send-keys -t %%0 'echo read-me' Enter");
	wait_for_text("%0", "read-me");
	answer = talk_call(talk, "resources/read", "{\"uri\":\"muxbus://panes/0\"}");
	ok(strstr(at_str(answer, "result.contents.0.text"), "read-me"), "a pane is read as text");
	answer = talk_call(talk, "resources/read", "{\"uri\":\"muxbus://panes\"}");
	ok(strstr(at_str(answer, "result.contents.0.text"), "{\"seq\":"), "a list as JSON");
	test_pane_uris();
	answer = talk_call(talk, "resources/read", "{\"uri\":\"muxbus://panes/4000\"}");
	is_int(at_int(answer, "error.code"), -32002, "a missing resource is refused");
	answer = talk_call(talk, "resources/read", "{\"uri\":\"muxbus://panes/4000\"," MODERN "}");
	is_int(at_int(answer, "error.code"), -32602, "with the newest revision's own code");
	answer = talk_call(talk, "resources/read", "{\"uri\":\"muxbus://panes/0\\\"}\"}");
	is_int(at_int(answer, "error.code"), -32002, "an id in a URI cannot be more than an id");
	answer = talk_call(talk, "completion/complete",
	    "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"delegate\"},\"argument\":{\"name\":"
	    "\"pane\",\"value\":\"%%0\"}}");
	is_str(
	    at_str(answer, "result.completion.values.0"), "%0", "panes are offered as completions");
	test_completed_panes();
	answer = talk_call(talk, "completion/complete",
	    "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"muxbus://jobs/{job}\"},\"argument\":"
	    "{\"name\":\"job\",\"value\":\"\"}}");
	ok(at_int(answer, "result.completion.total") >= 1, "so are jobs");
	answer = talk_call(talk, "prompts/get",
	    "{\"name\":\"watch_build\",\"arguments\":{\"command\":\"make {cwd}\"}}");
	ok(strstr(at_str(answer, "result.messages.0.content.text"), "\n\nmake {cwd}\n\n"),
	    "a prompt takes its arguments unchanged");
	answer = talk_call(talk, "prompts/get", "{\"name\":\"watch_build\"}");
	is_str(at_str(answer, "error.data.field"), "command", "and names the missing ones");
}

static void test_told(void)
{
	struct talk *agent = meet_agent("inspector");
	const struct json *answer, *line;
	(void)talk_call(agent, "resources/subscribe", "{\"uri\":\"muxbus://panes/0\"}");
	live_tmux(live, "send-keys -t %%0 'echo changed' Enter");
	line = told(agent, "notifications/resources/updated");
	is_str(line != NULL ? at_str(line, "params.uri") : NULL, "muxbus://panes/0",
	    "a subscriber to a pane gets its changes");
	live_tmux(live, "new-window -d -t main: 'exec sleep 1000'");
	ok(told(agent, "notifications/resources/list_changed"), "and a new pane");
	answer = talk_call(agent, "resources/unsubscribe", "{\"uri\":\"muxbus://panes/0\"}");
	ok(at(answer, "result") != NULL, "until it unsubscribes");
	answer = talk_call(agent, "resources/subscribe", "{\"uri\":\"file:///etc/passwd\"}");
	is_int(at_int(answer, "error.code"), -32002, "an unknown resource has no subscribers");

	(void)talk_call(agent, "logging/setLevel", "{\"level\":\"debug\"}");
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"d\",\"method\":\"tools/call\",\"params\":{\"name\":"
	    "\"list_panes\"}}");
	line = told(agent, "notifications/message");
	is_str(line != NULL ? at_str(line, "params.level") : NULL, "debug",
	    "a client with a lower log level gets messages about its calls");
	(void)talk_call(talk, "post_notification", "{\"text\":\"hello\"}");
	do
		line = told(agent, "notifications/message");
	while (line != NULL && strcmp(at_str(line, "params.level"), "info") != 0);
	is_str(line != NULL ? at_str(line, "params.data.text") : NULL, "hello",
	    "and of notifications");
	talk_free(agent);
}

static void test_listen(void)
{
	struct talk *agent = meet();
	struct talk *other;
	const struct json *answer, *tools, *uris, *line;
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"listen:0\",\"method\":\"subscriptions/listen\","
	    "\"params\":{\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":"
	    "[\"muxbus://panes/0\",\"no://thing\"]}," MODERN "}}");
	line = talk_line(agent, LIVE_TIMEOUT_MS);
	is_str(at_str(line, "method"), "notifications/subscriptions/acknowledged",
	    "a listener first gets its accepted filter");
	uris = at(line, "params.notifications.resourceSubscriptions");
	ok(uris != NULL && uris->count == 1 &&
		at(line, "params.notifications.resourcesListChanged") == NULL,
	    "with the existing resources that it asked for");
	live_tmux(live, "send-keys -t %%0 'echo again' Enter");
	line = told(agent, "notifications/resources/updated");
	ok(line != NULL && strstr(talk_text(agent), "/subscriptionId\":\"listen:0\""),
	    "then of changes, with the id of the request");
	(void)talk_send(agent,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/muxbus/hello\","
	    "\"params\":{\"tools\":\"all\"}}");
	ok(told(agent, "notifications/tools/list_changed"), "and of another list of tools");
	answer = talk_call(agent, "tools/list", "{" MODERN "}");
	tools = at(answer, "result.tools");
	ok(tools != NULL && tools->count > 40, "and that list is longer");

	other = meet();
	(void)talk_send(other,
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"subscriptions/listen\",\"params\":"
	    "{\"notifications\":{}," MODERN "}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
	    "7}}\n{\"id\":8,\"method\":\"ping\"}");
	(void)talk_line(other, LIVE_TIMEOUT_MS);
	is_int(at_int(talk_line(other, LIVE_TIMEOUT_MS), "id"), 8,
	    "a listener that cancels gets no more messages");
	talk_free(other);

	(void)live_stop_daemon(live, SIGTERM);
	answer = talk_response(agent, "listen:0", LIVE_TIMEOUT_MS);
	is_str(at_str(answer, "result.resultType"), "complete",
	    "when the daemon ends, the listener is answered");
	talk_free(agent);
}

int main(void)
{
	live = live_new(NULL);
	live_start_tmux(live, "exec sh");
	live_start_daemon(live, "-o mcp_wait_sec=1");
	talk = meet();
	test_panes();
	test_short_panes();
	test_short_states();
	test_strange_output();
	test_large();
	test_around_limit();
	test_meter();
	test_job_output();
	test_pending();
	test_task();
	test_parked();
	test_no_place();
	test_interrupted();
	test_gone();
	test_two();
	test_resources();
	test_told();
	test_listen();
	talk_free(talk);
	live_free(live);
	return done_testing();
}
