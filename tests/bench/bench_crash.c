/* SPDX-License-Identifier: ISC */
/*
 * The daemon never delays a pane's program (G17): SIGKILL of the daemon in a flood, and how much
 * longer the program then takes than without a daemon; the longest pause of the loop in a flood.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bench.h"

enum { ROUNDS = 5, FLOOD_BYTES = 16 * 1024 * 1024, PINGS = 4000 };

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
	bench_row("crash_extra", bench_median(extra_ms, ROUNDS), "ms",
	    "killed 50 ms into %.0f ms of flood", bench_median(bare_ms, ROUNDS));
}

/* The pauses of the loop in a flood that one peer reads, with watches on the flood. */
static void bench_stalls(void)
{
	static double took_us[PINGS];
	struct live *live = live_new(bench_tmux());
	int watches = 0;
	size_t n = 0;
	struct bench_turns turns;
	pid_t reader;
	struct talk *talk;
	live_start_tmux(live, "exec sleep 3600");
	bench_start_recording(live, NULL);
	talk = talk_new(live);
	live_tmux(live, "new-window -d 'exec yes a flood of lines'");
	for (int i = 0; i < 100; i++)
		watches +=
		    at(talk_call(talk, "watch_pane", "{\"pane\":\"%%1\",\"regex\":\"never%d\"}", i),
			"result") != NULL;
	reader = live_spawn(live,
	    "{ echo '{\"method\":\"subscribe\",\"params\":{\"output\":true}}'; sleep 60; } | socat "
	    "- UNIX-CONNECT:%s",
	    live->socket);
	live_sleep_ms(500);
	for (int i = 0; i < PINGS; i++) {
		int64_t start_ns = live_now_ns();
		if (at(talk_call(talk, "ping", NULL), "result") == NULL)
			live_bail("ping: %s", talk_text(talk));
		took_us[n++] = (double)(live_now_ns() - start_ns) / 1e3;
	}
	(void)kill(reader, SIGKILL);
	talk_free(talk);
	turns = bench_stop_recording(live, 99.9);
	bench_row("crash_stall", turns.own_ms, "ms",
	    "p99.9 of %zu turns, %d watches; worst %.2f; with others on its processor %.2f",
	    turns.count, watches, turns.own_max_ms, turns.wall_ms);
	bench_row("crash_ping", bench_percentile(took_us, n, 99.9) / 1e3, "ms",
	    "p99.9 of %d pings in that flood", PINGS);
	live_free(live);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "feed") == 0)
		return feeder_main(argv[2]);
	bench_kill();
	bench_stalls();
	return 0;
}
