/* SPDX-License-Identifier: ISC */
/*
 * The CPU time that a change costs tmux with the daemon, against a server without one (G21). Two
 * servers of one version with the same panes get each change at the same time, over a raw control
 * client each; the next change comes when both servers and the daemon are at rest. The panes are in
 * one session, or 50 in a session; the daemon has no subscriber, or 16 of all events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum {
	ROUNDS = 7,
	QUIET_MS = 45, /* a daemon that lists after a change waits at most 40 ms before */
	REST_MS = 1500,
	SUBSCRIBERS = 16,
	FEW = 50, /* windows in a session */
	SITUATIONS = 4,
};

static const unsigned sizes[] = {1, 100, 500};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static const char *const all_events[] = {
    "{}",
    "{\"kinds\":[\"command_changed\",\"mode_changed\",\"path_changed\",\"title_changed\"]}",
    NULL,
};

/* One kind of change: a command, and one that undoes it. A round is both. */
struct change {
	const char *name;
	const char *first;
	const char *second;
	unsigned size_min;
};

static const struct change changes[] = {
    {"rename", "rename-window -t main:0 one\n", "rename-window -t main:0 two\n", 1},
    {"split", "split-window -d -t main:0 'exec sleep 3600'\n", "kill-pane -t main:0.1\n", 1},
    {"window", "new-window -d -t main: 'exec sleep 3600'\n", "kill-window -t 'main:$'\n", 1},
    {"session", "rename-session -t main other\n", "rename-session -t other main\n", 1},
    {"select", "select-window -t main:1\n", "select-window -t main:0\n", 2},
    {"program", "send-keys -t main:0 'exec cat' Enter\n", "respawn-pane -k -t main:0 'exec sh'\n",
	1},
    {"resize", "resize-window -t main:0 -x 70\n", "resize-window -t main:0 -x 80\n", 1},
};
enum { CHANGES = sizeof changes / sizeof changes[0] };

/* The CPU time of tmux for the rounds of a change. */
struct cost {
	char situation[64];
	double with_ms[ROUNDS];
	double without_ms[ROUNDS];
	double ratio;
};

/* The server with the daemon, and the one without. */
struct sides {
	struct live *with;
	struct live *without;
	struct raw *raw_with;
	struct raw *raw_without;
	double rest; /* CPU time of "with" for each ns at rest */
};

static void settle(const struct sides *sides)
{
	const pid_t pids[] = {
	    sides->with->server_pid, sides->without->server_pid, sides->with->daemon_pid};
	if (!bench_settle(pids, 3, QUIET_MS))
		live_bail("the servers are never at rest");
	while (raw_read(sides->raw_with, 0) || raw_read(sides->raw_without, 0))
		;
}

static void run_both(const struct sides *sides, const char *line)
{
	raw_run(sides->raw_with, line, 1);
	raw_run(sides->raw_without, line, 1);
	settle(sides);
}

static void measure(const struct sides *sides, const struct change *change, struct cost *cost)
{
	double ratios[ROUNDS];
	for (int i = -1; i < ROUNDS; i++) { /* one to warm up */
		int64_t start_ns = live_now_ns();
		double with = bench_cpu_ns(sides->with->server_pid);
		double without = bench_cpu_ns(sides->without->server_pid);
		run_both(sides, change->first);
		run_both(sides, change->second);
		if (i < 0)
			continue;
		with = bench_cpu_ns(sides->with->server_pid) - with -
		    sides->rest * (double)(live_now_ns() - start_ns);
		without = bench_cpu_ns(sides->without->server_pid) - without;
		cost->with_ms[i] = with / 1e6;
		cost->without_ms[i] = without / 1e6;
		ratios[i] = with / without;
	}
	cost->ratio = bench_median(ratios, ROUNDS);
}

/* The cost of subscriptions to details without any change. */
static void measure_rest(struct sides *sides)
{
	int64_t start_ns = live_now_ns();
	double cpu_ns = bench_cpu_ns(sides->with->server_pid);
	live_sleep_ms(REST_MS);
	cpu_ns = bench_cpu_ns(sides->with->server_pid) - cpu_ns;
	sides->rest = cpu_ns / (double)(live_now_ns() - start_ns);
}

/* The model has the changes without a listing: fresh_ms is longer than the bench. */
static void check_model(const struct sides *sides, unsigned size)
{
	struct talk *talk = talk_new(sides->with);
	const struct json *panes, *pane;
	const char *name;
	int64_t differences;
	run_both(sides, changes[0].first);
	run_both(sides, changes[2].first);
	panes = at(talk_call(talk, "list_panes", NULL), "result.panes");
	pane = at_where(panes, "pane", "%0");
	name = at_str(pane, "window_name");
	if (panes == NULL || panes->count != size + 1 || name == NULL || strcmp(name, "one") != 0)
		live_bail("the model does not show the changes: %zu panes, window %s",
		    panes == NULL ? 0 : panes->count, name);
	run_both(sides, changes[0].second);
	run_both(sides, changes[2].second);
	differences =
	    at_int(talk_call(talk, "status", "{\"audit\":true}"), "result.audit.differences");
	if (differences != 0)
		live_bail("the model differs: %s", talk_text(talk));
	talk_free(talk);
}

static struct live *start_server(unsigned size, unsigned per_session)
{
	struct live *live = live_new(bench_tmux());
	live_start_tmux(live, "exec sh");
	live_tmux(live, "set-option -g status-interval 0");
	bench_fill(live, size, per_session);
	return live;
}

/* Measures all changes in two situations: no subscriber, and 16. */
static void measure_shape(
    unsigned size, unsigned per_session, struct cost (*costs)[SITUATIONS], size_t situation)
{
	struct sides sides = {
	    .with = start_server(size, per_session), .without = start_server(size, per_session)};
	char row[32];
	live_start_daemon(sides.with, "-o fresh_ms=60000");
	sides.raw_with = raw_new(sides.with, "ignore-size,no-output");
	sides.raw_without = raw_new(sides.without, "ignore-size,no-output");
	for (unsigned subscribers = 0; subscribers <= SUBSCRIBERS; subscribers += SUBSCRIBERS) {
		pid_t pid =
		    subscribers == 0 ? 0 : bench_subscribers(sides.with, subscribers, all_events);
		settle(&sides);
		if (subscribers > 0)
			measure_rest(&sides);
		for (size_t i = 0; i < CHANGES; i++) {
			struct cost *cost = &costs[i][situation];
			if (size < changes[i].size_min)
				continue;
			(void)snprintf(cost->situation, sizeof cost->situation,
			    "%u a session, %u subscribers", per_session < size ? per_session : size,
			    subscribers);
			measure(&sides, &changes[i], cost);
		}
		check_model(&sides, size);
		if (pid != 0)
			bench_end(pid);
		situation++;
	}
	(void)snprintf(row, sizeof row, "change_rest_%u", size);
	if (per_session >= size)
		bench_row(row, sides.rest * 1e3, "ms/s", "%d subscribers of details", SUBSCRIBERS);
	raw_free(sides.raw_with);
	raw_free(sides.raw_without);
	live_free(sides.with);
	live_free(sides.without);
}

/* The worst situation is the row; its note has the others. */
static void print_change(const struct change *change, unsigned size, struct cost *costs)
{
	struct cost *worst = &costs[0];
	char row[32];
	struct buf others;
	for (size_t i = 1; i < SITUATIONS; i++) {
		if (costs[i].ratio > worst->ratio)
			worst = &costs[i];
	}
	buf_init(&others, 1024);
	(void)buf_append(&others, "", 0);
	for (size_t i = 0; i < SITUATIONS; i++) {
		if (&costs[i] != worst && costs[i].ratio > 0)
			(void)buf_printf(&others, "; %s: %.3g", costs[i].situation, costs[i].ratio);
	}
	(void)snprintf(row, sizeof row, "change_%s_%u", change->name, size);
	bench_pairs(row, worst->with_ms, worst->without_ms, ROUNDS, "ms", "%s%s", worst->situation,
	    (const char *)others.data);
	buf_finish(&others);
}

int main(void)
{
	size_t count = SIZES - (getenv("MUXBUS_BENCH_SHORT") != NULL);
	for (size_t s = 0; s < count; s++) {
		static struct cost costs[CHANGES][SITUATIONS];
		memset(costs, 0, sizeof costs);
		measure_shape(sizes[s], sizes[s] + 1, costs, 0);
		if (sizes[s] > FEW)
			measure_shape(sizes[s], FEW, costs, SITUATIONS / 2);
		for (size_t i = 0; i < CHANGES; i++) {
			if (sizes[s] >= changes[i].size_min)
				print_change(&changes[i], sizes[s], costs[i]);
		}
	}
	for (size_t i = 0; count < SIZES && i < CHANGES; i++) {
		char row[32];
		(void)snprintf(row, sizeof row, "change_%s_%u", changes[i].name, sizes[count]);
		bench_absent(row, "only with the first tmux");
	}
	return 0;
}
