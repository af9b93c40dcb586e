/* SPDX-License-Identifier: ISC */
/*
 * The CPU time that a change costs tmux with the daemon, against a server without one (G21). Three
 * servers of one version with the same panes get each change at the same time, over a raw control
 * client each; the next change comes when all servers and the daemon are at rest. The third server
 * has, instead of the daemon, control clients that only read: no program that follows tmux can cost
 * less. The panes are in one session, or 50 in a session; the daemon has no subscriber, or 16 of all
 * events.
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
	READERS_MAX = 16,
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
	bool is_spawned; /* by a tmux process for each command, as people and scripts do */
};

static const struct change changes[] = {
    {"rename", "rename-window -t main:0 one\n", "rename-window -t main:0 two\n", 1, false},
    {"split", "split-window -d -t main:0 'exec sleep 3600'\n", "kill-pane -t main:0.1\n", 1, false},
    {"window", "new-window -d -t main: 'exec sleep 3600'\n", "kill-window -t 'main:$'\n", 1, false},
    {"session", "rename-session -t main other\n", "rename-session -t other main\n", 1, false},
    {"select", "select-window -t main:1\n", "select-window -t main:0\n", 2, false},
    {"program", "send-keys -t main:0 'exec cat' Enter\n", "respawn-pane -k -t main:0 'exec sh'\n",
	1, false},
    {"spawned", "rename-window -t main:0 one", "rename-window -t main:0 two", 1, true},
    {"resize", "resize-window -t main:0 -x 70\n", "resize-window -t main:0 -x 80\n", 1, false},
};
enum { CHANGES = sizeof changes / sizeof changes[0] };

/* The CPU time of tmux for the rounds of a change. */
struct cost {
	char situation[64];
	double with_ms[ROUNDS];
	double without_ms[ROUNDS];
	double ratio;
	double read_ratio; /* with clients that only read, instead of the daemon */
};

enum side { WITH, WITHOUT, READ, SIDES };

/* The servers: with the daemon, without, and with clients that only read. */
struct stage {
	struct live *live[SIDES];
	struct raw *raw[SIDES]; /* make the changes */
	struct raw *readers[READERS_MAX]; /* one in each session */
	size_t reader_count;
	double rest; /* CPU time of WITH for each ns at rest */
};

static void settle(const struct stage *stage)
{
	const pid_t pids[] = {stage->live[WITH]->server_pid, stage->live[WITHOUT]->server_pid,
	    stage->live[READ]->server_pid, stage->live[WITH]->daemon_pid};
	if (!bench_settle(pids, sizeof pids / sizeof pids[0], QUIET_MS))
		live_bail("the servers are never at rest");
	for (int side = 0; side < SIDES; side++) {
		while (raw_read(stage->raw[side], 0))
			;
	}
	for (size_t i = 0; i < stage->reader_count; i++) {
		while (raw_read(stage->readers[i], 0))
			;
	}
}

static void run(const struct stage *stage, const char *line, bool is_spawned)
{
	for (int side = 0; side < SIDES; side++) {
		if (is_spawned)
			live_tmux(stage->live[side], "%s", line);
		else
			raw_run(stage->raw[side], line, 1);
	}
	settle(stage);
}

static void measure(const struct stage *stage, const struct change *change, struct cost *cost)
{
	double ratios[ROUNDS], read_ratios[ROUNDS], ms[SIDES];
	for (int i = -1; i < ROUNDS; i++) { /* one to warm up */
		int64_t start_ns = live_now_ns();
		for (int side = 0; side < SIDES; side++)
			ms[side] = -bench_cpu_ns(stage->live[side]->server_pid) / 1e6;
		run(stage, change->first, change->is_spawned);
		run(stage, change->second, change->is_spawned);
		if (i < 0)
			continue;
		for (int side = 0; side < SIDES; side++)
			ms[side] += bench_cpu_ns(stage->live[side]->server_pid) / 1e6;
		ms[WITH] -= stage->rest * (double)(live_now_ns() - start_ns) / 1e6;
		cost->with_ms[i] = ms[WITH];
		cost->without_ms[i] = ms[WITHOUT];
		ratios[i] = ms[WITH] / ms[WITHOUT];
		read_ratios[i] = ms[READ] / ms[WITHOUT];
	}
	cost->ratio = bench_median(ratios, ROUNDS);
	cost->read_ratio = bench_median(read_ratios, ROUNDS);
}

/* The cost of subscriptions to details without any change. */
static void measure_rest(struct stage *stage)
{
	pid_t pid = stage->live[WITH]->server_pid;
	int64_t start_ns = live_now_ns();
	double cpu_ns = bench_cpu_ns(pid);
	live_sleep_ms(REST_MS);
	cpu_ns = bench_cpu_ns(pid) - cpu_ns;
	stage->rest = cpu_ns / (double)(live_now_ns() - start_ns);
}

/* The model has the changes without a listing: fresh_ms is longer than the bench. */
static void check_model(const struct stage *stage, unsigned size)
{
	struct talk *talk = talk_new(stage->live[WITH]);
	const struct json *panes, *pane;
	const char *name;
	int64_t differences;
	run(stage, changes[0].first, false);
	run(stage, changes[2].first, false);
	panes = at(talk_call(talk, "list_panes", NULL), "result.panes");
	pane = at_where(panes, "pane", "%0");
	name = at_str(pane, "window_name");
	if (panes == NULL || panes->count != size + 1 || name == NULL || strcmp(name, "one") != 0)
		live_bail("the model does not show the changes: %zu panes, window %s",
		    panes == NULL ? 0 : panes->count, name);
	run(stage, changes[0].second, false);
	run(stage, changes[2].second, false);
	differences =
	    at_int(talk_call(talk, "status", "{\"audit\":true}"), "result.audit.differences");
	if (differences != 0)
		live_bail("the model differs: %s", talk_text(talk));
	talk_free(talk);
}

/* A control client in each session, as the daemon has. */
static void start_readers(struct stage *stage, unsigned size, unsigned per_session)
{
	for (unsigned first = 0; first < size && stage->reader_count < READERS_MAX;
	     first += per_session) {
		struct raw *raw = raw_new(stage->live[READ], "ignore-size,no-output");
		char line[48];
		(void)snprintf(line, sizeof line, "switch-client -t s%u:\n", first);
		raw_run(raw, first == 0 ? "switch-client -t main:\n" : line, 1);
		stage->readers[stage->reader_count++] = raw;
	}
}

static void stage_init(struct stage *stage, unsigned size, unsigned per_session)
{
	memset(stage, 0, sizeof *stage);
	for (int side = 0; side < SIDES; side++) {
		struct live *live = live_new(bench_tmux());
		live_start_tmux(live, "exec sh");
		live_tmux(live, "set-option -g status-interval 0");
		bench_fill(live, size, per_session);
		stage->live[side] = live;
	}
	live_start_daemon(stage->live[WITH], "-o fresh_ms=60000");
	start_readers(stage, size, per_session);
	for (int side = 0; side < SIDES; side++) {
		stage->raw[side] = raw_new(stage->live[side], "ignore-size,no-output");
		raw_run(stage->raw[side], "switch-client -t main:\n", 1);
	}
}

static void stage_finish(struct stage *stage)
{
	for (size_t i = 0; i < stage->reader_count; i++)
		raw_free(stage->readers[i]);
	for (int side = 0; side < SIDES; side++) {
		raw_free(stage->raw[side]);
		live_free(stage->live[side]);
	}
}

/* Measures all changes in two situations: no subscriber, and 16. */
static void measure_shape(
    unsigned size, unsigned per_session, struct cost (*costs)[SITUATIONS], size_t situation)
{
	struct stage stage;
	char row[32];
	stage_init(&stage, size, per_session);
	for (unsigned subscribers = 0; subscribers <= SUBSCRIBERS; subscribers += SUBSCRIBERS) {
		pid_t pid = subscribers == 0
		    ? 0
		    : bench_subscribers(stage.live[WITH], subscribers, all_events);
		settle(&stage);
		if (subscribers > 0)
			measure_rest(&stage);
		for (size_t i = 0; i < CHANGES; i++) {
			struct cost *cost = &costs[i][situation];
			if (size < changes[i].size_min)
				continue;
			(void)snprintf(cost->situation, sizeof cost->situation,
			    "%u a session, %u subscribers", per_session < size ? per_session : size,
			    subscribers);
			measure(&stage, &changes[i], cost);
		}
		check_model(&stage, size);
		if (pid != 0)
			bench_end(pid);
		situation++;
	}
	(void)snprintf(row, sizeof row, "change_rest_%u", size);
	if (per_session >= size)
		bench_row(row, stage.rest * 1e3, "ms/s", "%d subscribers of details", SUBSCRIBERS);
	stage_finish(&stage);
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
	bench_pairs(row, worst->with_ms, worst->without_ms, ROUNDS, "ms",
	    "%s; clients that only read: %.3g%s", worst->situation, worst->read_ratio,
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
	for (size_t i = 0; count < SIZES && i <= CHANGES; i++) {
		char row[32];
		(void)snprintf(row, sizeof row, "change_%s_%u",
		    i < CHANGES ? changes[i].name : "rest", sizes[count]);
		bench_absent(row, "only with the first tmux");
	}
	return 0;
}
