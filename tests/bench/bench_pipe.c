/* SPDX-License-Identifier: ISC */
/*
 * The CPU of tmux while a pane writes a flood: followed by a pipe against followed by no program, the same bytes in turns
 * on one server; and the daemon's CPU beside it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { BURST_BYTES = 26 * 1000 * 1000, PAIRS = 9, BURST_MS = 300000 };

struct cost {
	double server_ns;
	double daemon_ns;
};

static void await_pipe(struct live *live, struct feeder *feeder, const char *want)
{
	if (!live_tmux_until(
		live, want, "display-message -p -t %s '#{pane_pipe}'", feeder_pane(feeder)))
		live_bail("the pane is not as it must be: #{pane_pipe} is not %s", want);
}

static struct cost burst(struct live *live, struct feeder *feeder)
{
	const pid_t pids[] = {live->server_pid, live->daemon_pid};
	struct cost cost;
	int64_t ns;
	double server_ns = bench_cpu_ns(live->server_pid),
	       daemon_ns = bench_cpu_ns(live->daemon_pid);
	feeder_start(feeder, BURST_BYTES);
	if (!feeder_wait(feeder, BURST_MS, &ns))
		live_bail("a burst takes more than %d s", BURST_MS / 1000);
	(void)bench_settle(pids, 2, 50);
	cost.server_ns = bench_cpu_ns(live->server_pid) - server_ns;
	cost.daemon_ns = bench_cpu_ns(live->daemon_pid) - daemon_ns;
	return cost;
}

/* With a peer that waits for output of the pane, which never comes. */
static struct cost followed(struct live *live, struct feeder *feeder)
{
	struct talk *talk = talk_new(live);
	struct cost cost;
	if (!talk_send(talk,
		"{\"id\":\"w\",\"method\":\"wait_for\",\"params\":{\"any\":[{\"output\":\"never "
		"written\",\"pane\":\"%s\"}],\"timeout_sec\":3600}}",
		feeder_pane(feeder)))
		live_bail("the daemon has closed");
	await_pipe(live, feeder, "1");
	cost = burst(live, feeder);
	talk_free(talk);
	await_pipe(live, feeder, "0");
	return cost;
}

static void bench_text(struct live *live, enum bench_text text, const char *name)
{
	struct feeder *feeder = feeder_new(live, text);
	double piped[PAIRS], alone[PAIRS], shares[PAIRS];
	char row[64];
	(void)burst(live, feeder);
	(void)followed(live, feeder);
	for (int i = 0; i < PAIRS; i++) {
		struct cost with, without;
		if (i % 2 == 0)
			with = followed(live, feeder);
		without = burst(live, feeder);
		if (i % 2 != 0)
			with = followed(live, feeder);
		piped[i] = with.server_ns / BURST_BYTES;
		alone[i] = without.server_ns / BURST_BYTES;
		shares[i] = 100 * with.daemon_ns / with.server_ns;
	}
	(void)snprintf(row, sizeof row, "pipe_share_%s", name);
	bench_rounds(row, shares, PAIRS, "%", "tmux %s, a wait for a text", live->version);
	(void)snprintf(row, sizeof row, "pipe_cpu_%s", name);
	bench_pairs(row, piped, alone, PAIRS, "ns/B", "tmux %s, its CPU", live->version);
	feeder_free(feeder);
}

int main(int argc, char **argv)
{
	struct live *live;
	if (argc == 3 && strcmp(argv[1], "feed") == 0)
		return feeder_main(argv[2]);
	live = live_new(bench_tmux());
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, "-o attach=never -o follow=pipe");
	bench_text(live, TEXT_ANSI, "ansi");
	bench_text(live, TEXT_ASCII, "ascii");
	live_free(live);
	return 0;
}
