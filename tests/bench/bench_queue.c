/* SPDX-License-Identifier: ISC */
/*
 * Whether posts cost the same however many there were (rows "growth"): the CPU time of the daemon for
 * a post, a post with a key, and a post with its acknowledgement, after 10^3, 10^4, 10^5 and 10^6
 * posts (the last one only with $MUXBUS_BENCH_LONG); and the start with a full queue, which keeps
 * the newest 10,000, against the start with an empty one.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { STEP = 100, SAMPLE = 2000, STARTS = 7 };

enum kind { PLAIN, KEYED, ACKED };

/* Sends posts, STEP at a time. Returns the time that one took of the daemon's processor, in us. */
static double post_us(struct live *live, struct talk *talk, enum kind kind, int count)
{
	uint64_t before = live_usage(live->daemon_pid).cpu_ns;
	for (int i = 0; i < count; i += STEP) {
		int64_t last = 0;
		for (int j = 0; j < STEP; j++)
			(void)talk_send(talk,
			    "{\"id\":%d,\"method\":\"post_notification\",\"params\":"
			    "{\"text\":\"build %d is done\"%s%s%.0d%s}}\n",
			    j, i + j, kind == KEYED ? ",\"key\":\"" : "", kind == KEYED ? "k" : "",
			    kind == KEYED ? i + j + 1 : 0, kind == KEYED ? "\"" : "");
		for (int j = 0; j < STEP; j++) {
			last = at_int(talk_line(talk, LIVE_TIMEOUT_MS), "result.seq");
			if (last <= 0)
				live_bail("a post failed: %s", talk_text(talk));
		}
		for (int j = 0; j < STEP && kind == ACKED; j++)
			(void)talk_send(talk,
			    "{\"id\":%d,\"method\":\"ack_notification\",\"params\":"
			    "{\"seq\":%lld}}\n",
			    j, (long long)last - j);
		for (int j = 0; j < STEP && kind == ACKED; j++) {
			if (at(talk_line(talk, LIVE_TIMEOUT_MS), "result") == NULL)
				live_bail("ack_notification: %s", talk_text(talk));
		}
	}
	return (double)(live_usage(live->daemon_pid).cpu_ns - before) / 1e3 / count;
}

/* The time that a start takes of the processor, until the daemon is ready. */
static double start_ms(struct live *live)
{
	double took[STARTS];
	for (int i = 0; i < STARTS; i++) {
		(void)live_stop_daemon(live, SIGTERM);
		live_start_daemon(live, NULL);
		took[i] = (double)live_usage(live->daemon_pid).cpu_ns / 1e6;
	}
	return bench_median(took, STARTS);
}

int main(void)
{
	static const struct {
		enum kind kind;
		const char *name;
	} kinds[] = {{PLAIN, "post"}, {KEYED, "keyed"}, {ACKED, "acked"}};
	int most = getenv("MUXBUS_BENCH_LONG") != NULL ? 1000000 : 100000;
	struct live *live = live_start(bench_tmux(), "exec sleep 3600");
	struct talk *talk = talk_new(live);
	double first[3] = {0}, empty_ms, full_ms;
	int posted = 0;
	for (int count = 1000; count <= most; count *= 10) {
		for (; posted < count; posted += STEP)
			(void)post_us(live, talk, PLAIN, STEP);
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
			char row[48];
			double took_us = post_us(live, talk, kinds[i].kind, SAMPLE);
			if (count == 1000)
				first[i] = took_us;
			(void)snprintf(row, sizeof row, "growth_%s_%d", kinds[i].name, count);
			bench_row(row, took_us / first[i], "x",
			    "%.1f us of the daemon's CPU, after %d posts", took_us, count);
		}
	}
	talk_free(talk);
	full_ms = start_ms(live);
	live_free(live);
	live = live_start(bench_tmux(), "exec sleep 3600");
	empty_ms = start_ms(live);
	bench_row("growth_start", full_ms - empty_ms, "ms",
	    "CPU more for a start with 10,000 notifications: %.1f against %.1f", full_ms, empty_ms);
	live_free(live);
	return 0;
}
