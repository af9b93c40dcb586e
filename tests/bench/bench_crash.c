/* SPDX-License-Identifier: ISC */
/*
 * The daemon never delays a pane's program (G17): SIGKILL of the daemon in a flood, and how much
 * longer the program then takes than without a daemon; the longest pause of the loop in a flood;
 * and the cost of a flood, and of a ping in it, with 1 to 1,000 watches of its pane.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bench.h"

enum {
	ROUNDS = 5,
	FLOOD_BYTES = 16 * 1024 * 1024,
	PINGS = 4000,
	PINGS_MS = 10000,
	COST_MS = 1500,
	WATCH_ROUNDS = 3
};

/* The flood without a daemon, or with one that is killed in its midst. */
static double flood_ms(bool with_daemon)
{
	struct live *live = live_new(bench_tmux());
	int64_t took_ns;
	struct feeder *feeder;
	live_start_tmux(live, "exec sleep 3600");
	if (with_daemon)
		live_start_daemon(live, "--output=always");
	feeder = feeder_new(live, TEXT_ANSI);
	feeder_start(feeder, FLOOD_BYTES / 4);
	if (!feeder_wait(feeder, 60000, &took_ns))
		live_bail("the flood never ends");
	feeder_start(feeder, FLOOD_BYTES);
	live_sleep_ms(50);
	if (with_daemon)
		(void)live_stop_daemon(live, SIGKILL);
	if (!feeder_wait(feeder, 60000, &took_ns))
		live_bail("the pane is held up");
	if (with_daemon && strcmp(live_tmux(live, "list-clients"), "") != 0)
		live_bail("a client is left");
	feeder_free(feeder);
	live_free(live);
	return (double)took_ns / 1e6;
}

static void bench_kill(void)
{
	double extra_ms[ROUNDS];
	double bare_ms[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		bare_ms[i] = flood_ms(false);
		extra_ms[i] = flood_ms(true) - bare_ms[i];
	}
	bench_rounds("crash_extra", extra_ms, ROUNDS, "ms", "killed 50 ms into %.0f ms of flood",
	    bench_median(bare_ms, ROUNDS));
}

/* The cost of watches on a flood: for the flood itself, and for a peer that asks meanwhile. */
struct strain {
	int watches; /* that were accepted */
	double ns_per_byte; /* of the daemon's CPU */
	size_t pings;
	double ping_ms; /* p99.9 */
	double relay_ms; /* p99.9 of a process that only answers, at the same time */
	struct bench_turns turns; /* p99.9 */
};

/* Pings until there are enough, or the time is up. */
static double take_pings(struct talk *talk, size_t *ret_count, double *ret_relay_ms)
{
	static double took_ms[PINGS], relay_ms[PINGS];
	int64_t end_ms = live_now_ms() + PINGS_MS;
	int relay = bench_hop(0);
	size_t count = 0;
	while (count < PINGS && live_now_ms() < end_ms) {
		int64_t start_ns = live_now_ns();
		if (at(talk_call(talk, "ping", NULL), "result") == NULL)
			live_bail("ping: %s", talk_text(talk));
		took_ms[count] = (double)(live_now_ns() - start_ns) / 1e6;
		relay_ms[count++] = bench_hop_us(relay) / 1e3;
	}
	(void)close(relay); /* all was answered */
	*ret_count = count;
	*ret_relay_ms = bench_percentile(relay_ms, count, 99.9);
	return bench_percentile(took_ms, count, 99.9);
}

static long long output_bytes(struct talk *talk)
{
	return at_int(talk_call(talk, "status", NULL), "result.streams.bytes");
}

/* The cost of the flood while no peer asks anything, in ns for a byte. */
static double take_cost(const struct live *live, struct talk *talk)
{
	long long bytes = output_bytes(talk);
	struct live_usage usage = live_usage(live->daemon_pid);
	live_sleep_ms(COST_MS);
	bytes = output_bytes(talk) - bytes;
	return (double)(live_usage(live->daemon_pid).cpu_ns - usage.cpu_ns) / (double)bytes;
}

/* A flood of lines, watches on it that never match, and a peer that reads it if with_reader. */
static struct strain strain(int watches, const char *regex, bool with_reader)
{
	struct live *live = live_new(bench_tmux());
	struct strain strain = {0};
	struct talk *talk;
	pid_t reader = 0;
	live_start_tmux(live, "exec sleep 3600");
	bench_start_recording(live, NULL);
	talk = talk_new(live);
	live_tmux(live, "new-window -d 'exec yes a flood of lines'");
	for (int i = 0; i < watches; i++)
		strain.watches += at(talk_call(talk, "watch_pane",
					 "{\"pane\":\"%%1\",\"regex\":\"%s%d\"}", regex, i),
				      "result") != NULL;
	if (with_reader)
		reader = live_spawn(live,
		    "{ echo '{\"method\":\"subscribe\",\"params\":{\"output\":true}}'; sleep 60; } "
		    "| socat - UNIX-CONNECT:%s",
		    live->socket);
	live_sleep_ms(500);
	strain.ns_per_byte = take_cost(live, talk);
	strain.ping_ms = take_pings(talk, &strain.pings, &strain.relay_ms);
	if (reader != 0)
		(void)kill(reader, SIGKILL);
	talk_free(talk);
	strain.turns = bench_stop_recording(live, 99.9);
	live_free(live);
	return strain;
}

/* The pauses of the loop in a flood that one peer reads, with watches on the flood. */
static void bench_stalls(void)
{
	struct strain result = strain(100, "never", true);
	bench_row("crash_stall", result.turns.own_ms, "ms",
	    "p99.9 of %zu turns, %d watches; worst %.2f; with others on its processor %.2f",
	    result.turns.count, result.watches, result.turns.own_max_ms, result.turns.wall_ms);
	bench_row("crash_ping", result.ping_ms, "ms",
	    "p99.9 of %zu pings in that flood; %.2f of a process that "
	    "only answers",
	    result.pings, result.relay_ms);
}

/* How both grow with the watches of a pane. */
static void bench_watches(void)
{
	static const int counts[] = {0, 1, 10, 100, 1000}; /* 0: the machine alone */
	enum { COUNTS = sizeof counts / sizeof *counts };
	double costs[COUNTS][WATCH_ROUNDS], pings[COUNTS][WATCH_ROUNDS];
	double relays[COUNTS][WATCH_ROUNDS];
	int accepted[COUNTS] = {0};
	for (int round = 0; round < WATCH_ROUNDS; round++) {
		for (int i = 0; i < COUNTS; i++) {
			struct strain result = strain(counts[i], "never", false);
			costs[i][round] = result.ns_per_byte;
			pings[i][round] = result.ping_ms;
			relays[i][round] = result.relay_ms;
			accepted[i] = result.watches;
		}
	}
	for (int i = 0; i < COUNTS; i++) {
		double one[WATCH_ROUNDS];
		char row[64];
		memcpy(one, costs[1], sizeof one);
		(void)snprintf(row, sizeof row, "watches_ping_%d", counts[i]);
		bench_rounds(row, pings[i], WATCH_ROUNDS, "ms",
		    "p99.9 of up to %d; %.2f of a process that only answers, meanwhile", PINGS,
		    bench_median(relays[i], WATCH_ROUNDS));
		if (i < 2)
			continue;
		(void)snprintf(row, sizeof row, "watches_%d", counts[i]);
		bench_pairs(row, costs[i], one, WATCH_ROUNDS, "ns/B",
		    "the daemon's CPU, %d watches against one", accepted[i]);
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "feed") == 0)
		return feeder_main(argv[2]);
	bench_kill();
	bench_stalls();
	bench_watches();
	return 0;
}
