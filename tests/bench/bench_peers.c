/* SPDX-License-Identifier: ISC */
/*
 * Growth with connected peers: the round trip of a request of one among 10, 100 and 1,000, and the
 * memory of each.
 */
#include <stdio.h>
#include <sys/resource.h>

#include "bench.h"

enum { MANY = 1000, ROUNDS = 7, CALLS = 300 };

static const unsigned steps[] = {10, 100, MANY};
static struct talk *talks[MANY];

static double ping_p50_us(struct talk *talk)
{
	double took_us[CALLS];
	for (int i = 0; i < CALLS; i++) {
		int64_t start_ns = live_now_ns();
		if (at(talk_call(talk, "ping", NULL), "result") == NULL)
			live_bail("ping: %s", talk_text(talk));
		took_us[i] = (double)(live_now_ns() - start_ns) / 1e3;
	}
	return bench_median(took_us, CALLS);
}

/* The daemons are alike; one has a single peer. */
static void bench_p50(struct talk *talk, struct talk *alone, unsigned count)
{
	double ratios[ROUNDS], ours_us[ROUNDS], alone_us[ROUNDS];
	char name[32];
	for (int i = 0; i < ROUNDS; i++) {
		ours_us[i] = ping_p50_us(talk);
		alone_us[i] = ping_p50_us(alone);
		ratios[i] = ours_us[i] / alone_us[i];
	}
	(void)snprintf(name, sizeof name, "peers_p50_%u", count);
	bench_rounds(name, ratios, ROUNDS, "x", "%.1f us against %.1f us alone",
	    bench_median(ours_us, ROUNDS), bench_median(alone_us, ROUNDS));
}

int main(void)
{
	struct rlimit files = {4096, 4096};
	struct live *live, *other;
	struct talk *alone;
	unsigned count = 0;
	double before_kib;
	pid_t pids[2];
	(void)setrlimit(RLIMIT_NOFILE, &files);
	live = live_start(bench_tmux(), "exec sleep 3600");
	other = live_start(bench_tmux(), "exec sleep 3600");
	alone = talk_new(other);
	pids[0] = live->daemon_pid;
	pids[1] = other->daemon_pid;
	talks[count++] = talk_new(live);
	(void)ping_p50_us(talks[0]);
	before_kib = (double)live_usage(live->daemon_pid).rss_bytes / 1024;
	bench_share_processor(true, pids, sizeof pids / sizeof *pids);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		for (; count < steps[i]; count++) {
			talks[count] = talk_new(live);
			if (at(talk_call(talks[count], "subscribe", NULL), "result") == NULL)
				live_bail("subscribe: %s", talk_text(talks[count]));
		}
		bench_p50(talks[0], alone, count);
	}
	bench_row("peers_memory",
	    ((double)live_usage(live->daemon_pid).rss_bytes / 1024 - before_kib) / (MANY - 1),
	    "KiB", "per subscriber, %d of them", MANY - 1);
	for (unsigned i = 0; i < count; i++)
		talk_free(talks[i]);
	talk_free(alone);
	live_free(other);
	live_free(live);
	return 0;
}
