/* SPDX-License-Identifier: ISC */
/*
 * Measures the cost of a stream while a program writes: the daemon's CPU against tmux's (G1), the
 * program's speed against that under a raw reader (G4), and tmux's CPU with 16 subscribers against
 * one (G6). Two servers of one version take turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bench.h"

enum { BURST_BYTES = 4 * 1024 * 1024, PAIRS = 5, SUBSCRIBERS = 16 };

/* The cost of one burst. */
struct cost {
	double ns; /* for the program */
	double server_ns; /* CPU */
	double daemon_ns;
};

/* Reads and drops the bytes of a raw client until the feeder has answered. */
static struct cost burst(struct live *live, struct feeder *feeder, struct raw *raw)
{
	struct live_usage server = live_usage(live->server_pid);
	struct live_usage daemon = live_usage(live->daemon_pid);
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
	double shares[PAIRS], speeds[PAIRS], ours_ns[PAIRS], raw_ns[PAIRS], per_byte[PAIRS];
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
		shares[i] = a.daemon_ns / a.server_ns;
		per_byte[i] = a.daemon_ns / BURST_BYTES;
		speeds[i] = b.ns / a.ns;
		ours_ns[i] = a.ns;
		raw_ns[i] = b.ns;
	}
	(void)snprintf(row, sizeof row, "hot_cpu_%s", name);
	bench_row(row, 100 * bench_median(shares, PAIRS), "%", "tmux %s, daemon %.1f ns/B",
	    ours->version, bench_median(per_byte, PAIRS));
	if (has_speed)
		bench_row("hot_speed", bench_median(speeds, PAIRS), "x",
		    "tmux %s, %.1f against %.1f MB/s", ours->version,
		    megabytes_per_second(bench_median(ours_ns, PAIRS)),
		    megabytes_per_second(bench_median(raw_ns, PAIRS)));
	raw_free(raw);
	feeder_free(our_feeder);
	feeder_free(their_feeder);
	live_free(ours);
	live_free(theirs);
}

/* A process that holds count subscriptions to all output and reads it; ends when its pipe does. */
static pid_t start_subscribers(struct live *live, int count, int *ret_fd)
{
	int fds[2];
	char byte;
	pid_t pid;
	if (pipe(fds) == -1)
		live_bail("pipe");
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct talk *talks[SUBSCRIBERS];
		(void)close(fds[0]);
		for (int i = 0; i < count; i++) {
			talks[i] = talk_new(live);
			if (at(talk_call(talks[i], "subscribe", "{\"output\":true}"), "result") ==
			    NULL)
				_exit(1);
		}
		if (write(fds[1], "r", 1) != 1)
			_exit(1);
		for (;;) {
			static char bytes[65536];
			for (int i = 0; i < count; i++) {
				if (read(talk_fd(talks[i]), bytes, sizeof bytes) <= 0)
					_exit(0);
			}
		}
	}
	(void)close(fds[1]);
	if (read(fds[0], &byte, 1) != 1)
		live_bail("subscribers do not start");
	*ret_fd = fds[0];
	return pid;
}

static double cost_with(struct live *live, struct feeder *feeder, int count)
{
	int fd;
	pid_t pid = start_subscribers(live, count, &fd);
	struct cost cost = burst(live, feeder, NULL);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	(void)close(fd);
	return cost.server_ns;
}

static void bench_subscribers(void)
{
	struct live *live = live_start(bench_tmux(), "exec sleep 3600");
	struct feeder *feeder = feeder_new(live, TEXT_ANSI);
	double ratios[PAIRS];
	double one[PAIRS];
	(void)cost_with(live, feeder, 1);
	for (int i = 0; i < PAIRS; i++) {
		one[i] = cost_with(live, feeder, 1);
		ratios[i] = cost_with(live, feeder, SUBSCRIBERS) / one[i];
	}
	bench_row("hot_16_subscribers", bench_median(ratios, PAIRS), "x",
	    "tmux %s, its CPU with one subscriber %.0f ns/B", live->version,
	    bench_median(one, PAIRS) / BURST_BYTES);
	feeder_free(feeder);
	live_free(live);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "feed") == 0)
		return feeder_main(argv[2]);
	bench_follow(TEXT_ANSI, "ansi", true);
	bench_follow(TEXT_SHORT, "short", false);
	bench_subscribers();
	return 0;
}
