/* SPDX-License-Identifier: ISC */
/*
 * Measures the cost of a stream while a program writes: the daemon's CPU against tmux's (G1), the
 * program's speed against that under a raw reader (G4), tmux's CPU with 16 subscribers against
 * one (G6), and the daemon's CPU for an event with more and more peers. Two servers of one version
 * take turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bench.h"

enum {
	BURST_BYTES = 4 * 1024 * 1024,
	PAIRS = 5,
	SUBSCRIBERS = 16,
	EVENTS_MS = 1500,
	PEER_ROUNDS = 3
};

/* The cost of one burst. */
struct cost {
	double ns; /* for the program */
	double server_ns; /* CPU */
	double daemon_ns;
	double reader_ns; /* of this process, which reads and drops the same bytes */
};

/* Reads and drops the bytes of a raw client until the feeder has answered. */
static struct cost burst(struct live *live, struct feeder *feeder, struct raw *raw)
{
	struct live_usage server = live_usage(live->server_pid);
	struct live_usage daemon = live_usage(live->daemon_pid);
	double reader_ns = bench_cpu_ns(getpid());
	struct cost cost = {0};
	int64_t ns = 0;
	feeder_start(feeder, BURST_BYTES);
	while (!feeder_wait(feeder, raw == NULL ? 60000 : 0, &ns)) {
		if (raw == NULL)
			live_bail("a burst of 4 MB takes more than a minute");
		(void)raw_read(raw, 10);
	}
	while (raw != NULL && raw_read(raw, 20))
		;
	live_sleep_ms(20); /* for what is still on its way to the daemon */
	cost.ns = (double)ns;
	cost.server_ns = (double)(live_usage(live->server_pid).cpu_ns - server.cpu_ns);
	cost.daemon_ns = (double)(live_usage(live->daemon_pid).cpu_ns - daemon.cpu_ns);
	cost.reader_ns = bench_cpu_ns(getpid()) - reader_ns;
	return cost;
}

static double megabytes_per_second(double ns)
{
	return BURST_BYTES / 1e6 / (ns / 1e9);
}

static void bench_follow(enum bench_text text, const char *name, bool has_speed)
{
	struct live *ours = live_new(bench_tmux());
	struct live *theirs = live_new(bench_tmux());
	double shares[PAIRS], ours_speed[PAIRS], raw_speed[PAIRS];
	double per_byte[PAIRS], reader_per_byte[PAIRS];
	char row[64];
	struct feeder *our_feeder, *their_feeder;
	struct raw *raw;
	live_start_tmux(ours, "exec sleep 3600");
	live_start_tmux(theirs, "exec sleep 3600");
	live_start_daemon(ours, "--output=always");
	our_feeder = feeder_new(ours, text);
	their_feeder = feeder_new(theirs, text);
	raw = raw_new(theirs, "ignore-size");
	(void)burst(ours, our_feeder, NULL);
	(void)burst(theirs, their_feeder, raw);
	for (int i = 0; i < PAIRS; i++) {
		struct cost a = burst(ours, our_feeder, NULL);
		struct cost b = burst(theirs, their_feeder, raw);
		shares[i] = 100 * a.daemon_ns / a.server_ns;
		per_byte[i] = a.daemon_ns / BURST_BYTES;
		reader_per_byte[i] = b.reader_ns / BURST_BYTES;
		ours_speed[i] = megabytes_per_second(a.ns);
		raw_speed[i] = megabytes_per_second(b.ns);
	}
	(void)snprintf(row, sizeof row, "hot_cpu_%s", name);
	bench_rounds(row, shares, PAIRS, "%",
	    "tmux %s, daemon %.1f ns/B; a program that drops the same bytes %.1f", ours->version,
	    bench_median(per_byte, PAIRS), bench_median(reader_per_byte, PAIRS));
	if (has_speed)
		bench_pairs(
		    "hot_speed", ours_speed, raw_speed, PAIRS, "MB/s", "tmux %s", ours->version);
	raw_free(raw);
	feeder_free(our_feeder);
	feeder_free(their_feeder);
	live_free(ours);
	live_free(theirs);
}

static const char *const all_output[] = {"{\"output\":true}", NULL};

static struct cost cost_with(struct live *live, struct feeder *feeder, unsigned count)
{
	pid_t pid = bench_subscribers(live, count, all_output);
	struct cost cost = burst(live, feeder, NULL);
	bench_end(pid);
	return cost;
}

static void bench_shared(void)
{
	struct live *live = live_start(bench_tmux(), "exec sleep 3600");
	struct feeder *feeder = feeder_new(live, TEXT_ANSI);
	double servers[PAIRS], server[PAIRS];
	(void)cost_with(live, feeder, 1);
	for (int i = 0; i < PAIRS; i++) {
		server[i] = cost_with(live, feeder, 1).server_ns / BURST_BYTES;
		servers[i] = cost_with(live, feeder, SUBSCRIBERS).server_ns / BURST_BYTES;
	}
	bench_pairs("hot_16_subscribers", servers, server, PAIRS, "ns/B", "tmux %s, its CPU",
	    live->version);
	feeder_free(feeder);
	live_free(live);
}

static long long last_event(struct talk *talk)
{
	return at_int(talk_call(talk, "status", NULL), "result.queue.last");
}

/* The daemon's CPU for an event and a peer, in us, while a pane prints a line every 10 ms. */
static double cost_of_event(unsigned peers)
{
	struct live *live = live_new(bench_tmux());
	struct talk *talk;
	double cpu_ns;
	long long events;
	pid_t pid;
	live_start_tmux(live, "while :; do echo a line of output; sleep 0.01; done");
	live_start_daemon(live, "-o peers=2000");
	talk = talk_new(live);
	pid = bench_subscribers(live, peers, all_output);
	events = last_event(talk);
	cpu_ns = bench_cpu_ns(live->daemon_pid);
	live_sleep_ms(EVENTS_MS);
	cpu_ns = bench_cpu_ns(live->daemon_pid) - cpu_ns;
	events = last_event(talk) - events;
	bench_end(pid);
	talk_free(talk);
	live_free(live);
	return cpu_ns / 1e3 / (double)events / peers;
}

/* How an event costs more with more peers. */
static void bench_peers(void)
{
	static const unsigned counts[] = {100, 1000};
	double us[PEER_ROUNDS], us_of_ten[PEER_ROUNDS];
	char row[64];
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		for (int round = 0; round < PEER_ROUNDS; round++) {
			us_of_ten[round] = cost_of_event(10);
			us[round] = cost_of_event(counts[i]);
		}
		(void)snprintf(row, sizeof row, "peers_%u", counts[i]);
		bench_pairs(row, us, us_of_ten, PEER_ROUNDS, "us", "each event, each of %u peers",
		    counts[i]);
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "feed") == 0)
		return feeder_main(argv[2]);
	bench_follow(TEXT_ANSI, "ansi", true);
	bench_follow(TEXT_SHORT, "short", false);
	bench_shared();
	bench_peers();
	return 0;
}
