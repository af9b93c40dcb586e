/* SPDX-License-Identifier: ISC */
/*
 * An agent that is slow to show what it has read, as each is on a busy machine: its screen is
 * older than its draft. A notice is typed and submitted once, and not into a draft that is not
 * shown yet.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum { RECEIPT_MS = 20000 };

static const char *fake_path(void)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)snprintf(path, sizeof path, "%s/tests/fake_agent", dir);
	return path;
}

/* Until a pane shows a text. */
static bool shows(struct live *live, const char *pane, const char *text)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(10)) {
		if (strstr(live_tmux(live, "capture-pane -p -t %s", pane), text) != NULL)
			return true;
	}
	return false;
}

static char *start_fake(struct live *live, const char *options)
{
	char *pane = xasprintf("%s",
	    live_tmux(live, "new-window -dP -F '#{pane_id}' 'exec %s %s %s/fake.log'", fake_path(),
		options, live->dir));
	(void)live_run(live, ": >fake.log");
	if (!shows(live, pane, ">"))
		live_bail("the fake agent draws no prompt");
	return pane;
}

static char *post(struct talk *talk, const char *pane)
{
	const struct json *response =
	    talk_call(talk, "post_notification", "{\"pane\":\"%s\",\"text\":\"news\"}", pane);
	if (at_str(response, "result.id") == NULL)
		live_bail("nothing was posted: %s", talk_text(talk));
	return xstrdup(at_str(response, "result.id"));
}

/* Waits for a receipt of a notification with a result other than the one before. */
static const char *receipt(struct talk *talk, const char *id, const char *not_result)
{
	static char result[32];
	int64_t end_ms = live_now_ms() + RECEIPT_MS;
	const struct json *event;
	result[0] = '\0';
	while (live_now_ms() < end_ms &&
	    (event = talk_event(talk, (int)(end_ms - live_now_ms()), "delivery", "id", id)) !=
		NULL) {
		const char *name = at_str(event, "delivery.result");
		(void)snprintf(result, sizeof result, "%s", name == NULL ? "" : name);
		if (strcmp(result, not_result) != 0)
			break;
	}
	return result;
}

static const char *submitted(struct live *live)
{
	return live_run(live, "cut -d ' ' -f 2- fake.log");
}

/* Enter has been read, and the line still stands there: no other Enter may follow. */
static void check_enter(struct live *live, const char *options)
{
	struct talk *talk = talk_new(live);
	char *pane, *id, *want;
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	pane = start_fake(live, options);
	id = post(talk, pane);
	is_str(receipt(talk, id, "deferred"), "submitted", "%s: submitted", options);
	want = xasprintf("[muxbus %s post] a message: untrusted text \xc2\xabnews\xc2\xbb. "
			 "Details: next_notification %s",
	    id, id);
	is_str(submitted(live), want, "%s: once", options);
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(want);
	mem_free(id);
	mem_free(pane);
	talk_free(talk);
}

/* A draft that has been read, and is not shown yet, by keys that no client has sent. */
static void check_draft(struct live *live)
{
	struct talk *talk = talk_new(live);
	char *pane, *id;
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	pane = start_fake(live, "--lag 1500");
	live_tmux(live, "send-keys -t %s -l 'half a draft'", pane);
	id = post(talk, pane);
	is_str(receipt(talk, id, ""), "deferred", "a draft that is not shown yet: deferred");
	ok(shows(live, pane, "> half a draft"), "then it is shown");
	live_tmux(live, "send-keys -t %s -l ', sent' ", pane);
	ok(shows(live, pane, "> half a draft, sent"), "and goes on as it was");
	live_tmux(live, "send-keys -t %s Enter", pane);
	is_str(receipt(talk, id, "deferred"), "submitted", "the notice comes behind the draft");
	is_str(live_run(live, "head -n 1 fake.log | cut -d ' ' -f 2-"), "half a draft, sent",
	    "which was sent as it was typed");
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(id);
	mem_free(pane);
	talk_free(talk);
}

int main(void)
{
	struct live *live;
	if (access(fake_path(), X_OK) != 0)
		skip_all("the fake agent is not built");
	live = live_start(live_tmux_path(), "exec sleep 3600");
	(void)live_stop_daemon(live, SIGTERM);
	live_start_daemon(live, "-o deliver_quiet_ms=200");
	check_enter(live, "--lag 1500");
	check_enter(live, "--lag 2500 --swallow 100");
	check_draft(live);
	live_free(live);
	return done_testing();
}
