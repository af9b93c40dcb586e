/* SPDX-License-Identifier: ISC */
/*
 * Reports of programs by OSC in real panes: what comes of them over the socket and in the CLI, and
 * that hostile ones bring no control character into either.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "harness.h"

static const char *source_path(const char *name)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_SRCDIR") == NULL ? "." : getenv("MUXBUS_SRCDIR");
	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static const char *muxbus_path(void)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)snprintf(path, sizeof path, "%s/muxbus", dir);
	return path;
}

/* Whether a text could control a terminal, or is no UTF-8. Newlines are allowed. */
static bool is_harmful(const char *text, size_t len)
{
	if (!utf8_is_valid(text, len))
		return true;
	for (size_t place = 0; place < len;) {
		uint32_t character;
		place += (size_t)utf8_decode(text + place, len - place, &character);
		if ((character < 0x20 && character != '\n') ||
		    (character >= 0x7f && character < 0xa0) || character == 0x2028 ||
		    character == 0x2029 || (character >= 0x202a && character <= 0x202e) ||
		    (character >= 0x2066 && character <= 0x2069))
			return true;
	}
	return false;
}

/* A pane that runs a shell command for each line typed into it. */
static void print(struct live *live, const char *escaped)
{
	live_tmux(live, "send-keys -t main -l -- \"printf '%s'\"", escaped);
	live_tmux(live, "send-keys -t main Enter");
}

static void test_events(struct live *live)
{
	struct talk *talk = talk_new(live);
	const struct json *event;
	(void)talk_call(talk, "subscribe",
	    "{\"kinds\":[\"program_notified\",\"progress_changed\"],\"panes\":[\"main\"]}");
	print(live, "\\\\033]9;built\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "program_notified", "text", "built");
	ok(event != NULL && at_int(event, "osc") == 9 && at(event, "title") != NULL,
	    "OSC 9 is an event");
	print(live, "\\\\033]777;notify;Tests;2 failed\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "program_notified", "title", "Tests");
	is_str(at_str(event, "text"), "2 failed", "OSC 777 is an event");
	print(live, "\\\\033]99;i=1:d=0;Ti\\\\a\\\\033]99;i=1:p=body:e=1;Qm9keQ==\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "program_notified", "title", "Ti");
	is_str(at_str(event, "text"), "Body", "OSC 99 in chunks is an event");
	print(live, "\\\\033]9;4;1;40\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "progress_changed", "state", "normal");
	is_int(at_int(event, "percent"), 40, "OSC 9;4 is an event");
	print(live, "\\\\033]9;4;1;40\\\\a\\\\033]9;4;0\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "progress_changed", NULL, NULL);
	is_str(at_str(event, "state"), "none", "progress is an event only if it has changed");
	talk_free(talk);
}

/* Prints the corpus of hostile sequences, and a megabyte without end, in a pane. */
static void test_hostile(struct live *live)
{
	struct talk *talk = talk_new(live);
	unsigned lines = 0, harmful = 0;
	bool is_last = false, is_queued = false;
	const char *shown;
	(void)talk_call(
	    talk, "subscribe", "{\"kinds\":[\"program_notified\",\"progress_changed\",\"gap\"]}");
	(void)live_spawn(live,
	    "%s -s %s watch program_notified progress_changed -n 12 -t 20 > shown 2>&1; "
	    "echo done >> shown",
	    muxbus_path(), live->socket);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		const struct json *status = talk_call(talk, "status", NULL);
		if (at_int(status, "result.subscriptions") > 1)
			break;
		live_sleep_ms(10);
	}
	(void)talk_call(talk, "create_pane",
	    "{\"pane\":\"main\",\"command\":\"cat %s/*; printf '\\\\033]9;'; head -c 1000000 "
	    "/dev/zero | tr '\\\\0' x; printf '\\\\033]9;last\\\\a'; sleep 600\"}",
	    source_path("tests/fuzz/corpus/osc"));
	while (!is_last && talk_line(talk, LIVE_TIMEOUT_MS) != NULL) {
		const char *text = talk_text(talk);
		lines++;
		harmful += is_harmful(text, strlen(text));
		is_queued |= strstr(text, "\"notification\"") != NULL;
		is_last = strstr(text, "\"text\":\"last\"") != NULL;
	}
	ok(is_last && lines > 10, "hostile sequences give %u events", lines);
	is_int(harmful, 0, "none of them has a control character");
	ok(!is_queued, "none of them is a notification");
	(void)live_run(live, "timeout 20 sh -c 'until grep -q ^done shown; do sleep 0.05; done'");
	shown = live_run(live, "cat shown");
	ok(strstr(shown, "program_notified") != NULL && strstr(shown, "three") != NULL,
	    "muxbus watch prints them");
	ok(!is_harmful(shown, strlen(shown)), "and no control character with them");
	talk_free(talk);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	for (size_t place = 0; paths[place] != NULL; place++) {
		struct live *live = live_start(paths[place], "sh");
		diag("tmux %s", live->version);
		test_events(live);
		test_hostile(live);
		live_free(live);
	}
	return done_testing();
}
