/* SPDX-License-Identifier: ISC */
/*
 * An idle system stays asleep: 20 quiet panes, no subscriber, and in 5 s (10 s with
 * MUXBUS_TEST_LONG) neither the daemon nor a tmux -C process wakes up once; the tmux server wakes
 * no more often than one without a daemon. The same with a peer that subscribes to the events that
 * tmux announces.
 *
 * (By default tmux wakes up every 15 s for each attached client of any kind: status-interval. The
 * test switches this off.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { PANES = 20, CONNECTIONS_MAX = 16, VERSIONS_MAX = 16, QUIET_MS = 1500 };

static int window_ms = 5000;

/* One process that should sleep. */
struct sleeper {
	const char *name;
	pid_t pid;
	struct live_usage before;
	struct live_usage after;
};

static size_t find_sleepers(const struct live *live, struct sleeper *sleepers)
{
	pid_t pids[CONNECTIONS_MAX];
	size_t count = live_connections(live, pids, CONNECTIONS_MAX);
	size_t n = 0;
	sleepers[n++] = (struct sleeper){.name = "muxbusd", .pid = live->daemon_pid};
	for (size_t i = 0; i < count; i++)
		sleepers[n++] = (struct sleeper){.name = "tmux -C", .pid = pids[i]};
	sleepers[n++] = (struct sleeper){.name = "tmux server", .pid = live->server_pid};
	return n;
}

/* Reports the work of a process that should sleep. */
static void show_reason(struct live *live, const struct sleeper *sleeper)
{
	diag("%s (%d) woke up %llu times, %.3f ms of CPU time; what it did in 3 s:", sleeper->name,
	    (int)sleeper->pid,
	    (unsigned long long)(sleeper->after.wakeups - sleeper->before.wakeups),
	    (double)(sleeper->after.cpu_ns - sleeper->before.cpu_ns) / 1e6);
	diag("%s",
	    live_run(live,
		"command -v strace >/dev/null || { echo 'strace is not installed'; exit; };"
		"timeout 3 strace -f -r -s 120 -p %d 2>&1 | head -40",
		(int)sleeper->pid));
}

/* A server with the daemon, one without, and the counters of both before the window. */
struct place {
	struct live *live;
	struct live *bare;
	struct sleeper sleepers[CONNECTIONS_MAX + 2];
	size_t count;
	uint64_t bare_wakeups;
};

static uint64_t take_usage(struct place *places, size_t count)
{
	uint64_t total = 0;
	for (size_t i = 0; i < count; i++) {
		struct place *place = &places[i];
		place->count = find_sleepers(place->live, place->sleepers);
		place->bare_wakeups = live_usage(place->bare->server_pid).wakeups;
		for (size_t j = 0; j < place->count; j++) {
			place->sleepers[j].before = live_usage(place->sleepers[j].pid);
			total += place->sleepers[j].before.wakeups;
		}
	}
	return total;
}

/* A new process needs a moment: waits for QUIET_MS without a wake-up. */
static void settle(struct place *places, size_t count)
{
	for (int i = 0; i < 10; i++) {
		uint64_t before = take_usage(places, count);
		live_sleep_ms(QUIET_MS);
		if (take_usage(places, count) == before)
			return;
	}
	diag("never quiet for %d ms", QUIET_MS);
}

/* Whether a process woke up since take_usage(): more often than a bare tmux, if it is one. */
static bool has_woken(const struct place *place, const struct sleeper *it)
{
	uint64_t allowed = it->pid == place->live->server_pid ? place->bare_wakeups : 0;
	return it->after.cpu_ns == 0 || it->after.wakeups - it->before.wakeups > allowed;
}

/* Whether any process of a place woke up in the window that ends now. */
static bool end_window(struct place *place)
{
	bool has_any = false;
	place->bare_wakeups = live_usage(place->bare->server_pid).wakeups - place->bare_wakeups;
	for (size_t i = 0; i < place->count; i++) {
		place->sleepers[i].after = live_usage(place->sleepers[i].pid);
		has_any |= has_woken(place, &place->sleepers[i]);
	}
	return has_any;
}

static void judge(struct place *place, const char *situation)
{
	for (size_t i = 0; i < place->count; i++) {
		struct sleeper *it = &place->sleepers[i];
		if (!ok(!has_woken(place, it), "tmux %s, %s: %s does not wake up in %d s",
			place->live->version, situation, it->name, window_ms / 1000))
			show_reason(place->live, it);
	}
}

/* Work that is done once, such as a look 30 s after a change, is not done in the next window. */
static void measure(struct place *places, size_t count, const char *situation)
{
	bool has_any = true;
	for (int tries = 0; tries < 3 && has_any; tries++) {
		settle(places, count);
		(void)take_usage(places, count);
		live_sleep_ms(window_ms);
		has_any = false;
		for (size_t i = 0; i < count; i++)
			has_any |= end_window(&places[i]);
	}
	for (size_t i = 0; i < count; i++)
		judge(&places[i], situation);
}

static void add_panes(struct live *live)
{
	for (int i = 1; i < PANES; i++)
		live_tmux(live, "new-window -d 'exec sleep 3600'");
	(void)live_tmux_until(live, "20", "list-panes -a | wc -l");
}

static void start(struct place *place, const char *tmux)
{
	place->bare = live_new(tmux);
	place->live = live_new(tmux);
	live_start_tmux(place->bare, "exec sleep 3600");
	live_start_tmux(place->live, "exec sleep 3600");
	/* tmux wakes up for the status line of every client, also of a client without one. */
	live_tmux(place->bare, "set-option -g status-interval 0");
	live_tmux(place->live, "set-option -g status-interval 0");
	add_panes(place->bare);
	add_panes(place->live);
	/* The deadline of the last command passes later without effect; to make this soon: */
	live_start_daemon(place->live, "-o command_timeout_ms=1000");
}

/* How often the server was listed until now. */
static int64_t lists_of(struct talk *talk)
{
	int64_t lists = -1;
	(void)json_int(at(talk_call(talk, "status", NULL), "result.model.part_lists"), &lists);
	return lists;
}

/*
 * tmux does not announce title, command or directory changes. The daemon polls them every second
 * while a subscriber names such a kind, and only then: a subscriber to everything gets such a
 * change if and when the daemon learns of it.
 */
static void test_details(struct place *place, struct talk *listener)
{
	struct talk *talk = talk_new(place->live);
	int64_t before = lists_of(talk);
	const struct json *response = talk_call(talk, "subscribe", NULL);
	ok(at(response, "result.subscription") != NULL, "subscribed to everything");
	live_sleep_ms(2500);
	is_int(lists_of(talk), before, "tmux %s: a subscriber without kinds causes no listing",
	    place->live->version);
	response = talk_call(listener, "subscribe", "{\"kinds\":[\"title_changed\"]}");
	ok(at(response, "result.subscription") != NULL, "subscribed to titles");
	for (int i = 0; i < 500 && lists_of(talk) < before + 2; i++)
		live_sleep_ms(20);
	ok(lists_of(talk) >= before + 2, "a subscriber to titles causes listings again and again");
	talk_call(listener, "unsubscribe", "{\"subscription\":\"S2\"}");
	/* A listing that was under way may end late; the next one would come each second. */
	for (int i = 0; i < 3 && lists_of(talk) != before; i++) {
		before = lists_of(talk);
		live_sleep_ms(2500);
	}
	is_int(lists_of(talk), before, "after unsubscribing no listing is made");
	talk_free(talk);
}

int main(void)
{
	static struct place places[VERSIONS_MAX];
	struct talk *talks[VERSIONS_MAX];
	const char *const *paths = live_tmux_paths();
	size_t count = 0;
	(void)live_daemon_path();
	if (getenv("MUXBUS_TEST_LONG") != NULL)
		window_ms = 10000;
	for (; *paths != NULL; paths++)
		start(&places[count++], *paths);
	measure(places, count, "nobody connected");
	for (size_t i = 0; i < count; i++) {
		const struct json *response;
		talks[i] = talk_new(places[i].live);
		response = talk_call(
		    talks[i], "subscribe", "{\"kinds\":[\"pane_created\",\"layout_changed\"]}");
		ok(at(response, "result.subscription") != NULL, "subscribed");
	}
	measure(places, count, "a subscriber to what tmux tells by itself");
	test_details(&places[0], talks[0]);
	if (getenv("MUXBUS_TEST_LONG") != NULL)
		measure(places, count, "after one who wanted to know more");
	for (size_t i = 0; i < count; i++) {
		talk_free(talks[i]);
		live_free(places[i].live);
		live_free(places[i].bare);
	}
	return done_testing();
}
