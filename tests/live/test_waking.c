/* SPDX-License-Identifier: ISC */
/*
 * Waking agents: what they report of themselves decides when something is typed; and it is
 * typed only where nobody hands it over in a better way.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "harness.h"

enum { RECEIPT_MS = 20000 };

static const char arguments[] = "-o deliver_quiet_ms=200";

static const char *fake_path(void)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");

	(void)snprintf(path, sizeof(path), "%s/tests/fake_agent", dir);
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

/* ---- reports ---- */

static void check_reports(struct live *live)
{
	struct talk *talk = talk_new(live);
	char *pane = start_fake(live, "");
	const struct json *response;

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

	static const char *const bad[] = {"{\"agent\":\"a b\",\"session\":\"x\"}",
	    "{\"agent\":\"\",\"session\":\"x\"}", "{\"agent\":\"-x\",\"session\":\"x\"}",
	    "{\"agent\":\"a\",\"session\":\"-x\"}", "{\"agent\":\"a\",\"session\":\"x\\u001b\"}",
	    "{\"agent\":\"a\",\"session\":\"$(id)\"}", "{\"agent\":\"a\",\"state\":\"asleep\"}",
	    "{\"agent\":\"a\"}", "{\"agent\":\"a\",\"pane\":\"%99999\"}"};
	int refused = 0;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused += at(talk_call_json(talk, "report_agent", bad[i]), "error") != NULL;
	is_int(refused, (int)(sizeof(bad) / sizeof(*bad)), "what has not its form is refused");

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

/* ---- typing by what is reported ---- */

static void check_edges(struct live *live)
{
	struct talk *talk = talk_new(live);
	char *pane = start_fake(live, "");
	const struct json *event;

	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	report(talk, pane, ",\"state\":\"busy\"");
	char *id = post(talk, pane, "text");
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
	live_free(live);
	return done_testing();
}
