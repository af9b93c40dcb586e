/* SPDX-License-Identifier: ISC */
/*
 * Waking agents: what they report of themselves decides when something is typed; and it is
 * typed only where no better way hands it over.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum { RECEIPT_MS = 20000 };

static const char arguments[] = "-o deliver_quiet_ms=200 -o loan_ms=2000";

static const char *fake_path(void)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)snprintf(path, sizeof path, "%s/tests/fake_agent", dir);
	return path;
}

/* A pane with a fake agent at its prompt; the caller frees. */
static char *start_fake(struct live *live, const char *options)
{
	char *pane = xasprintf("%s",
	    live_tmux(live, "new-window -dP -F '#{pane_id}' 'exec %s %s %s/fake.log'", fake_path(),
		options, live->dir));
	(void)live_run(live, ": > fake.log");
	for (int64_t end_ms = live_now_ms() + 2 * LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(10)) {
		if (strchr(live_tmux(live, "capture-pane -p -t %s", pane), '>') != NULL)
			return pane;
	}
	live_bail("the fake agent draws no prompt");
}

static void end_fake(struct live *live, char *pane)
{
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
}

static char *post(struct talk *talk, const char *pane, const char *text)
{
	const struct json *response =
	    talk_call(talk, "post_notification", "{\"pane\":\"%s\",\"text\":\"%s\"}", pane, text);
	const char *id = at_str(response, "result.id");
	if (id == NULL)
		live_bail("nothing was posted: %s", talk_text(talk));
	return xstrdup(id);
}

/* The next receipt of a notification with this result, as the event; NULL if none comes. */
static const struct json *receipt(struct talk *talk, const char *id, const char *result)
{
	int64_t end_ms = live_now_ms() + RECEIPT_MS;
	const struct json *event;
	while (live_now_ms() < end_ms &&
	    (event = talk_event(talk, (int)(end_ms - live_now_ms()), "delivery", "id", id)) !=
		NULL) {
		const char *name = at_str(event, "delivery.result");

		if (name != NULL && strcmp(name, result) == 0)
			return event;
		if (name != NULL && strcmp(name, "deferred") != 0)
			diag("%s: %s", id, talk_text(talk));
	}
	return NULL;
}

static bool has_reason(const struct json *event, const char *part)
{
	const char *reason = at_str(event, "delivery.reason");
	return reason != NULL && strstr(reason, part) != NULL;
}

/* How many lines of the fake's log hold a text. */
static int count_lines(struct live *live, const char *text)
{
	return atoi(live_run(live, "grep -c -F -- '%s' fake.log", text));
}

static const struct json *report(struct talk *talk, const char *pane, const char *rest)
{
	return talk_call(
	    talk, "report_agent", "{\"agent\":\"fake\",\"pane\":\"%s\"%s}", pane, rest);
}

static void check_reports(struct live *live)
{
	struct talk *talk = talk_new(live);
	char *pane = start_fake(live, "");
	const struct json *response;
	static const char *const bad[] = {"{\"agent\":\"a b\",\"session\":\"x\"}",
	    "{\"agent\":\"\",\"session\":\"x\"}", "{\"agent\":\"-x\",\"session\":\"x\"}",
	    "{\"agent\":\"a\",\"session\":\"-x\"}", "{\"agent\":\"a\",\"session\":\"x\\u001b\"}",
	    "{\"agent\":\"a\",\"session\":\"$(id)\"}", "{\"agent\":\"a\",\"state\":\"asleep\"}",
	    "{\"agent\":\"a\"}", "{\"agent\":\"a\",\"pane\":\"%99999\"}"};
	int refused;
	talk_call(talk, "subscribe", "{\"kinds\":[\"agent_reported\"]}");
	response = report(talk, pane, "");
	is_str(at_str(response, "result.state"), "unknown", "an agent that only comes: unknown");
	is_str(at_str(response, "result.pane"), pane, "in its pane");
	response = report(talk, pane, ",\"state\":\"busy\",\"session\":\"one\"");
	is_str(at_str(response, "result.state"), "busy", "busy");
	is_str(at_str(talk_event(talk, RECEIPT_MS, "agent_reported", "state", "busy"), "before"),
	    "unknown", "which is an event, with what was before");
	response = report(talk, pane, ",\"state\":\"idle\",\"session\":\"two\"");
	ok(!at_true(response, "result.taken"),
	    "another session of the process that is at work: not believed");
	is_str(at_str(response, "result.state"), "busy", "and changes nothing");
	response = report(talk, pane, ",\"state\":\"idle\",\"session\":\"one\"");
	is_str(at_str(response, "result.state"), "idle", "but its own is");
	response = report(talk, pane, ",\"state\":\"busy\",\"session\":\"two\"");
	ok(at_true(response, "result.taken"), "as is another one while it is idle");

	refused = 0;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refused += at(talk_call_json(talk, "report_agent", bad[i]), "error") != NULL;
	is_int(refused, (int)(sizeof bad / sizeof *bad), "what has not its form is refused");

	/* Kept over kill -9, but for its state. */
	(void)live_stop_daemon(live, SIGKILL);
	talk_free(talk);
	live_start_daemon(live, arguments);
	talk = talk_new(live);
	response = report(talk, pane, "");
	is_str(at_str(response, "result.state"), "unknown", "a restart forgets its state");
	response = report(talk, pane, ",\"state\":\"gone\"");
	is_str(at_str(response, "result.state"), "gone", "gone");
	end_fake(live, pane);
	talk_free(talk);
}

static void check_edges(struct live *live)
{
	struct talk *talk = talk_new(live);
	char *pane = start_fake(live, "");
	const struct json *event;
	char *id;
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	report(talk, pane, ",\"state\":\"busy\"");
	id = post(talk, pane, "text");
	event = receipt(talk, id, "deferred");
	ok(has_reason(event, "busy"), "while it is busy: deferred, and why");
	live_sleep_ms(800);
	is_int(count_lines(live, id), 0, "though its prompt is quiet, nothing is typed");
	report(talk, pane, ",\"state\":\"asking\"");
	event = receipt(talk, id, "deferred");
	ok(has_reason(event, "asks"), "while it asks: the same");
	live_sleep_ms(800);
	is_int(count_lines(live, id), 0, "nothing is typed");
	report(talk, pane, ",\"state\":\"idle\"");
	event = receipt(talk, id, "submitted");
	ok(event != NULL, "when it is idle: submitted");
	is_str(at_str(event, "delivery.way"), "typed", "by typing");
	is_int(count_lines(live, id), 1, "once");
	mem_free(id);
	talk_free(talk);

	/* Idle needs no long quiet. */
	(void)live_stop_daemon(live, SIGTERM);
	live_start_daemon(live, "-o deliver_quiet_ms=600000");
	talk = talk_new(live);
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	report(talk, pane, ",\"state\":\"idle\"");
	id = post(talk, pane, "text");
	ok(receipt(talk, id, "submitted") != NULL, "an idle one is told without long quiet");
	mem_free(id);
	end_fake(live, pane);
	talk_free(talk);
	(void)live_stop_daemon(live, SIGTERM);
	live_start_daemon(live, arguments);
}

/* The screens of known agents. */
static void check_signs(struct live *live)
{
	struct talk *talk = talk_new(live);
	char *pane = start_fake(live, "");
	char *id;
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	talk_call(talk, "report_agent", "{\"agent\":\"gemini\",\"pane\":\"%s\"}", pane);
	talk_call(talk, "send_text",
	    "{\"pane\":\"%s\",\"text\":\"thinking (esc to cancel, 4s)\",\"enter\":true}", pane);
	id = post(talk, pane, "text");
	ok(has_reason(receipt(talk, id, "deferred"), "screen says that it is busy"),
	    "a screen that says that its agent works: deferred");
	is_int(count_lines(live, id), 0, "and nothing is typed");
	mem_free(id);
	end_fake(live, pane);
	talk_free(talk);
}

/* The numbers of what was taken, or 0. */
static int64_t taken(const struct json *response)
{
	return at(response, "result.notifications.0") == NULL
	    ? 0
	    : at_int(response, "result.notifications.0.seq");
}

static const char *way_of(struct talk *talk, const char *id)
{
	const struct json *note = at_where(
	    at(talk_call(talk, "list_notifications", "{\"limit\":1000}"), "result.notifications"),
	    "id", id);
	static char text[64];
	(void)snprintf(text, sizeof text, "%s %s", at_str(note, "state") ?: "-",
	    at_str(note, "delivery.way") ?: "-");
	return text;
}

static void check_puller(struct live *live)
{
	struct talk *talk = talk_new(live), *follower = talk_new(live);
	char *pane = start_fake(live, "");
	const struct json *response;
	int64_t seq;
	char *want, *id;
	/* A follower that waits gets it, and nothing is typed. */
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	(void)talk_send(follower,
	    "{\"id\":1,\"method\":\"take_notifications\",\"params\":{\"pane\":\"%s\","
	    "\"way\":\"follow\",\"timeout_sec\":60}}",
	    pane);
	talk_call(follower, "get_pane", "{\"pane\":\"%s\"}", pane); /* behind it */
	id = post(talk, pane, "hello");
	response = talk_response(follower, "1", RECEIPT_MS);
	seq = taken(response);
	ok(seq > 0, "a follower that waits is handed it");
	want = xasprintf("[muxbus %s post] a message: untrusted text \xc2\xab"
			 "hello\xc2\xbb. Details: next_notification %s",
	    id, id);
	is_str(at_str(response, "result.notifications.0.notice"), want, "as it would be typed");
	mem_free(want);
	talk_call(follower, "ack_notification", "{\"seq\":%lld}", (long long)seq);
	is_str(way_of(talk, id), "acknowledged follow", "acknowledged: by which way");
	live_sleep_ms(700);
	is_int(count_lines(live, id), 0, "and nothing is typed");
	mem_free(id);

	/* Between two questions nothing is typed either. */
	id = post(talk, pane, "again");
	live_sleep_ms(700);
	is_int(count_lines(live, id), 0, "nor while the follower is about to ask again");
	response =
	    talk_call(follower, "take_notifications", "{\"pane\":\"%s\",\"way\":\"follow\"}", pane);
	ok(taken(response) > 0, "it gets what has come meanwhile");
	/* Not acknowledged: typed. */
	talk_free(follower);
	ok(receipt(talk, id, "submitted") != NULL, "what it does not acknowledge is typed");
	is_str(way_of(talk, id), "delivered typed", "which the receipt says");
	is_int(count_lines(live, id), 1, "once");
	mem_free(id);

	end_fake(live, pane);
	talk_free(talk);
}

/* Couriers that go, hooks, and who waits. */
static void check_other_puller(struct live *live)
{
	struct talk *talk = talk_new(live), *follower;
	char *pane = start_fake(live, "");
	const struct json *response;
	int64_t seq;
	char *id;
	/* A follower that goes while it waits. */
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	follower = talk_new(live);
	(void)talk_send(follower,
	    "{\"id\":1,\"method\":\"take_notifications\",\"params\":{\"pane\":\"%s\","
	    "\"way\":\"follow\",\"timeout_sec\":60}}",
	    pane);
	talk_call(follower, "get_pane", "{\"pane\":\"%s\"}", pane); /* behind it */
	talk_free(follower);
	id = post(talk, pane, "later");
	ok(receipt(talk, id, "submitted") != NULL, "without a follower it is typed");
	mem_free(id);

	/* A hook takes what waits, once. */
	report(talk, pane, ",\"state\":\"busy\"");
	id = post(talk, pane, "for the hook");
	response =
	    talk_call(talk, "take_notifications", "{\"pane\":\"%s\",\"way\":\"hook\"}", pane);
	seq = taken(response);
	ok(seq > 0, "a hook takes what waits");
	is_int(taken(talk_call(
		   talk, "take_notifications", "{\"pane\":\"%s\",\"way\":\"hook\"}", pane)),
	    0, "once");
	talk_call(talk, "ack_notification", "{\"seq\":%lld}", (long long)seq);
	report(talk, pane, ",\"state\":\"idle\"");
	live_sleep_ms(500);
	is_int(count_lines(live, id), 0, "and it is not typed");
	is_str(way_of(talk, id), "acknowledged hook", "by its way");
	mem_free(id);

	/* A notification that a request waits for. */
	report(talk, pane, ",\"state\":\"busy\"");
	id = post(talk, pane, "for who waits");
	talk_call(
	    talk, "next_notification", "{\"consumer\":\"me\",\"filter\":{\"id\":\"%s\"}}", id);
	response = at_where(
	    at(talk_call(talk, "list_notifications", "{}"), "result.notifications"), "id", id);
	seq = at_int(response, "seq");
	talk_call(talk, "ack_notification", "{\"seq\":%lld,\"consumer\":\"me\"}", (long long)seq);
	is_str(way_of(talk, id), "acknowledged waited", "what a consumer acknowledged: waited");
	mem_free(id);

	end_fake(live, pane);
	talk_free(talk);
}

/* A pane that was just made is in the model a moment later. */
static void until_known(struct talk *talk, const char *pane)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (at(talk_call(talk, "get_pane", "{\"pane\":\"%s\"}", pane), "result") == NULL) {
		if (live_now_ms() > end_ms)
			live_bail("the daemon does not see pane %s", pane);
		live_sleep_ms(10);
	}
}

static void check_puller_restart(struct live *live)
{
	struct talk *talk = talk_new(live), *follower;
	char *pane = start_fake(live, "");
	const struct json *response;
	char *id;
	until_known(talk, pane);

	/* A restart: a follower has time to come back. */
	follower = talk_new(live);
	(void)talk_send(follower,
	    "{\"id\":1,\"method\":\"take_notifications\",\"params\":{\"pane\":\"%s\","
	    "\"way\":\"follow\",\"timeout_sec\":60}}",
	    pane);
	talk_call(follower, "get_pane", "{\"pane\":\"%s\"}", pane); /* behind it */
	(void)live_stop_daemon(live, SIGKILL);
	talk_free(follower);
	talk_free(talk);
	live_start_daemon(live, "-o deliver_quiet_ms=200 -o loan_ms=7000");
	talk = talk_new(live);
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	id = post(talk, pane, "after a restart");
	live_sleep_ms(1000);
	is_int(count_lines(live, id), 0, "after a restart its follower is waited for");
	ok(receipt(talk, id, "submitted") != NULL, "but not for ever");
	mem_free(id);

	/* The pane goes. */
	(void)talk_send(talk,
	    "{\"id\":77,\"method\":\"take_notifications\",\"params\":{\"pane\":\"%s\","
	    "\"way\":\"follow\",\"timeout_sec\":60}}",
	    pane);
	talk_call(talk, "get_pane", "{\"pane\":\"%s\"}", pane); /* behind it */
	end_fake(live, pane);
	response = talk_response(talk, "77", RECEIPT_MS);
	is_str(at_str(response, "error.data.kind"), "gone", "a pane that goes ends the waiting");
	talk_free(talk);
}

static void check_nudges(struct live *live)
{
	struct talk *talk;
	char *pane = start_fake(live, "");
	char *id;
	(void)live_stop_daemon(live, SIGTERM);
	live_start_daemon(live, "-o deliver_quiet_ms=200 -o ack_wait_ms=400 -o nudges=2");
	talk = talk_new(live);
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");

	/* An agent that reports no turns does not hear twice of a notification it has taken. */
	id = post(talk, pane, "plain");
	ok(receipt(talk, id, "submitted") != NULL, "an agent without hooks takes it");
	live_sleep_ms(1500);
	is_int(count_lines(live, id), 1, "and is not told again");
	mem_free(id);

	/* An agent that reports its turns begins none: typed again, but not for ever. */
	report(talk, pane, ",\"state\":\"busy\"");
	report(talk, pane, ",\"state\":\"idle\"");
	id = post(talk, pane, "no turn");
	for (int round = 0; round < 3; round++)
		ok(receipt(talk, id, "submitted") != NULL, "no turn begins: told %d", round + 1);
	live_sleep_ms(3000);
	is_int(count_lines(live, id), 3, "twice again, and no more");
	is_int(
	    at_int(at_where(at(talk_call(talk, "list_notifications", "{}"), "result.notifications"),
		       "id", id),
		"redelivered"),
	    2, "which is counted");
	mem_free(id);

	/* A turn begins: not again. */
	id = post(talk, pane, "a turn");
	ok(receipt(talk, id, "submitted") != NULL, "a turn is to begin");
	report(talk, pane, ",\"state\":\"busy\"");
	report(talk, pane, ",\"state\":\"idle\"");
	live_sleep_ms(1500);
	is_int(count_lines(live, id), 1, "a turn begins: not again");
	mem_free(id);

	/* Nor after the next session has begun, whose turns are counted from the start. */
	id = post(talk, pane, "a turn, and a session");
	ok(receipt(talk, id, "submitted") != NULL, "a turn is to begin");
	report(talk, pane, ",\"state\":\"busy\"");
	report(talk, pane, ",\"state\":\"gone\"");
	report(talk, pane, ",\"state\":\"busy\"");
	report(talk, pane, ",\"state\":\"idle\"");
	live_sleep_ms(1500);
	is_int(count_lines(live, id), 1, "in its next session it is not told again");
	mem_free(id);
	end_fake(live, pane);

	talk_free(talk);
	(void)live_stop_daemon(live, SIGTERM);
	live_start_daemon(live, arguments);
}

int main(int argc, char **argv)
{
	struct live *live = live_new(NULL);
	(void)argc;
	(void)argv;
	if (access(fake_path(), X_OK) != 0)
		skip_all("the fake agent is not built");
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, arguments);
	check_reports(live);
	check_edges(live);
	check_signs(live);
	check_puller(live);
	check_other_puller(live);
	check_puller_restart(live);
	check_nudges(live);
	live_free(live);
	return done_testing();
}
