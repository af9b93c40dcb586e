/* SPDX-License-Identifier: ISC */
/*
 * Waiting costs no CPU: with 100 timers, 100 watched files and 100 armed waits there is no
 * wake-up, in muxbusd and the tmux server, and no other process.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

enum {
	ARMED = 100,
	QUIET_MS = 3000,
	SETTLED_MS = 5500, /* more than the time that a command has */
	CONNECTIONS_MAX = 8,
};

/* Wake-ups of all processes that take part. */
static uint64_t wakeups(const struct live *live)
{
	pid_t connections[CONNECTIONS_MAX];
	size_t count = live_connections(live, connections, CONNECTIONS_MAX);
	uint64_t sum = live_usage(live->daemon_pid).wakeups + live_usage(live->server_pid).wakeups;
	for (size_t at = 0; at < count && at < CONNECTIONS_MAX; at++)
		sum += live_usage(connections[at]).wakeups;
	return sum;
}

/*
 * Waits until nothing has happened for a while: the armed waits have come to rest, and the timer of
 * the last command, which was stopped, has passed.
 */
static bool settle(const struct live *live)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (live_now_ms() < end_ms) {
		uint64_t before = wakeups(live);
		live_sleep_ms(SETTLED_MS);
		if (wakeups(live) == before)
			return true;
	}
	return false;
}

int main(void)
{
	struct live *live = live_start(NULL, "exec sleep 3600");
	struct talk *talk = talk_new(live);
	const struct json *status;
	uint64_t before;
	for (int at = 0; at < ARMED; at++) {
		(void)talk_call(talk, "sleep", "{\"seconds\":%d}", 5000 + at);
		(void)talk_call(talk, "watch_log", "{\"file_path\":\"%s/log%d\",\"regex\":\"x\"}",
		    live->dir, at);
		(void)talk_send(talk,
		    "{\"id\":\"wait%d\",\"method\":\"wait_for\",\"params\":{\"any\":[{\"output\":"
		    "\"x\","
		    "\"pane\":\"main:0\"},{\"sec\":5000}],\"timeout_sec\":6000}}",
		    at);
	}
	status = talk_call(talk, "status", NULL);
	is_int(at_int(status, "result.timers"), ARMED, "timers are set");
	is_int(at_int(status, "result.watches"), ARMED, "files are watched");
	for (int64_t end = live_now_ms() + 10000;
	     at_int(status, "result.waits") < ARMED && live_now_ms() < end;)
		status = talk_call(talk, "status", NULL); /* each begins with a look at tmux */
	is_int(at_int(status, "result.waits"), ARMED, "waits are armed");
	ok(settle(live), "the system comes to rest");
	before = wakeups(live);
	live_sleep_ms(QUIET_MS);
	is_int((long long)(wakeups(live) - before), 0, "no wake-up in %d ms", QUIET_MS);
	is_str(live_run(live, "pgrep -P %d | wc -l", (int)live->daemon_pid),
	    getenv("MUXBUS_ATTACH") == NULL ? "0" : "1",
	    "and no child, but for tmux -C where that is the way");
	talk_free(talk);
	live_free(live);
	return done_testing();
}
