/* SPDX-License-Identifier: ISC */
/*
 * Measures the cost of durable notifications (G19): 64 publishers that each wait until their
 * notification survives a power cut, against one write and one sync after the other on the same
 * disk; and whether the loop ever waits for the disk.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { PUBLISHERS = 64, ROUNDS = 5, POSTS = 64 * 40, SYNCS = 200, RECORD_BYTES = 400 };

/* Events a second with one sync each. */
static double one_by_one(const struct live *live)
{
	char record[RECORD_BYTES];
	char path[4200];
	double rate;
	int64_t start_ns;
	int fd;
	(void)snprintf(path, sizeof path, "%s/syncs", live->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	memset(record, 'x', sizeof record);
	start_ns = live_now_ns();
	for (int i = 0; i < SYNCS; i++) {
		if (write(fd, record, sizeof record) != (ssize_t)sizeof record || fdatasync(fd) < 0)
			live_bail("the disk does not take it");
	}
	rate = SYNCS / ((double)(live_now_ns() - start_ns) / 1e9);
	(void)close(fd); /* synced */
	(void)unlink(path);
	return rate;
}

static void post(struct talk *talk, int number)
{
	if (!talk_send(talk,
		"{\"id\":%d,\"method\":\"post_notification\",\"params\":"
		"{\"text\":\"the build of branch %d is done\",\"sync\":true}}\n",
		number, number))
		live_bail("a publisher is cut off");
}

/* Events a second when every publisher waits for its own event. */
static double together(struct talk **talks)
{
	struct pollfd fds[PUBLISHERS];
	int sent = 0, got = 0;
	int64_t start_ns = live_now_ns();
	for (; sent < PUBLISHERS; sent++) {
		fds[sent] = (struct pollfd){.fd = talk_fd(talks[sent]), .events = POLLIN};
		post(talks[sent], sent);
	}
	while (got < POSTS) {
		if (poll(fds, PUBLISHERS, LIVE_TIMEOUT_MS) <= 0)
			live_bail("nobody is answered");
		for (int i = 0; i < PUBLISHERS; i++) {
			const struct json *line;
			if (fds[i].revents == 0)
				continue;
			line = talk_line(talks[i], LIVE_TIMEOUT_MS);
			if (at(line, "result.durable") == NULL)
				live_bail("a post failed: %s", talk_text(talks[i]));
			got++;
			if (sent < POSTS)
				post(talks[i], sent++);
		}
	}
	return POSTS / ((double)(live_now_ns() - start_ns) / 1e9);
}

int main(void)
{
	struct live *live = live_new(bench_tmux());
	struct talk *talks[PUBLISHERS];
	double ratios[ROUNDS], theirs[ROUNDS], ours[ROUNDS];
	struct bench_turns turns;
	live_start_tmux(live, "exec sleep 3600");
	bench_start_recording(live, NULL);
	for (int i = 0; i < PUBLISHERS; i++)
		talks[i] = talk_new(live);
	for (int i = 0; i < ROUNDS; i++) {
		theirs[i] = one_by_one(live);
		ours[i] = together(talks);
		ratios[i] = ours[i] / theirs[i];
	}
	bench_row("journal_rate", bench_median(ratios, ROUNDS), "x",
	    "%.0f against %.0f a second, %d publishers", bench_median(ours, ROUNDS),
	    bench_median(theirs, ROUNDS), PUBLISHERS);
	for (int i = 0; i < PUBLISHERS; i++)
		talk_free(talks[i]);
	turns = bench_stop_recording(live, 99.9);
	bench_row("journal_stall", turns.own_ms, "ms",
	    "p99.9 of %zu turns; worst %.2f, at work %.2f; with others on its processor %.2f",
	    turns.count, turns.own_max_ms, turns.cpu_max_ms, turns.wall_max_ms);
	live_free(live);
	return 0;
}
