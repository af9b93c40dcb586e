/* SPDX-License-Identifier: ISC */
/*
 * Measures the time from a program's write() to a listener (G8): the daemon's JSON line against
 * the raw control line, each in turns, quiet and with a flood in another pane of the session; and
 * against polling every 500 ms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "bench.h"

enum { ROUNDS = 5, STAMPS = 500, LOOKS = 6, LOOKS_MAX = 8192 };

static const char mark[] = "stamp=";

/* The program in the pane, "PROGRAM stamp", writes the time once a millisecond. */
static int stamp_main(void)
{
	struct timespec rest = {0, 1000000};
	char line[64];
	for (;;) {
		int n = snprintf(line, sizeof line, "%s%lld;\n", mark, (long long)live_now_ns());
		if (write(1, line, (size_t)n) != n)
			return 0;
		(void)nanosleep(&rest, NULL);
	}
}

/* Takes the ages, in us, of the stamps in text. */
static size_t take_stamps(const char *text, size_t len, double *ages_us, size_t count, size_t max)
{
	int64_t now_ns = live_now_ns();
	const char *end = text + len;
	const char *p = text;
	while (count < max && (p = memmem(p, (size_t)(end - p), mark, sizeof mark - 1)) != NULL) {
		p += sizeof mark - 1;
		if (memchr(p, ';', (size_t)(end - p)) == NULL)
			break;
		ages_us[count++] = (double)(now_ns - strtoll(p, NULL, 10)) / 1e3;
	}
	return count;
}

static void listen_raw(struct live *live, double *ages_us)
{
	struct raw *raw = raw_new(live, "ignore-size");
	size_t count = 0;
	for (int64_t end_ms = live_now_ms() + 100; live_now_ms() < end_ms;)
		(void)raw_read(raw, 10);
	while (count < STAMPS && raw_read(raw, LIVE_TIMEOUT_MS))
		count = take_stamps(raw->bytes, raw->len, ages_us, count, STAMPS);
	raw_free(raw);
}

/* Reads the socket at once, as a listener in C does. */
static void listen_daemon(struct live *live, const char *pane, double *ages_us)
{
	static char bytes[65536];
	struct talk *talk = talk_new(live);
	size_t count = 0;
	ssize_t n;
	talk_call(talk, "subscribe", "{\"output\":true,\"panes\":[\"%s\"]}", pane);
	for (int64_t end_ms = live_now_ms() + 100; live_now_ms() < end_ms;)
		(void)talk_line(talk, 10);
	while (count < STAMPS && (n = read(talk_fd(talk), bytes, sizeof bytes)) > 0)
		count = take_stamps(bytes, (size_t)n, ages_us, count, STAMPS);
	talk_free(talk);
}

/* Polls every 500 ms, as scripts do. */
static void look_again_and_again(
    struct live *live, const char *pane, double *ages_us, size_t *ret_count)
{
	int64_t seen_ns = live_now_ns();
	size_t count = 0;
	for (int look = 0; look < LOOKS; look++) {
		const char *text;
		int64_t now_ns, last_ns;
		live_sleep_ms(500);
		text = live_tmux(live, "capture-pane -p -S -700 -t '%s'", pane);
		now_ns = live_now_ns();
		last_ns = seen_ns;

		for (const char *p = text; count < LOOKS_MAX && (p = strstr(p, mark)) != NULL;) {
			int64_t stamp_ns;
			p += sizeof mark - 1;
			stamp_ns = strtoll(p, NULL, 10);
			if (stamp_ns > seen_ns)
				ages_us[count++] = (double)(now_ns - stamp_ns) / 1e3;
			last_ns = stamp_ns > last_ns ? stamp_ns : last_ns;
		}
		seen_ns = last_ns;
	}
	*ret_count = count;
}

/* Returns our median. */
static double compare_listeners(
    struct live *live, struct live *theirs, const char *pane, const char *situation)
{
	static double ours[STAMPS], raw[STAMPS];
	double p50[ROUNDS], p99[ROUNDS], our_p50[ROUNDS], our_p99[ROUNDS], raw_p50[ROUNDS],
	    raw_p99[ROUNDS];
	char row[64];
	for (int i = 0; i < ROUNDS; i++) {
		listen_daemon(live, pane, ours);
		listen_raw(theirs, raw);
		our_p50[i] = bench_percentile(ours, STAMPS, 50);
		our_p99[i] = bench_percentile(ours, STAMPS, 99);
		raw_p50[i] = bench_percentile(raw, STAMPS, 50);
		raw_p99[i] = bench_percentile(raw, STAMPS, 99);
		p50[i] = our_p50[i] / raw_p50[i];
		p99[i] = our_p99[i] / raw_p99[i];
	}
	(void)snprintf(row, sizeof row, "latency_p50%s", situation);
	bench_rounds(row, p50, ROUNDS, "x", "%.0f us against %.0f us",
	    bench_median(our_p50, ROUNDS), bench_median(raw_p50, ROUNDS));
	(void)snprintf(row, sizeof row, "latency_p99%s", situation);
	bench_rounds(row, p99, ROUNDS, "x", "%.0f us against %.0f us",
	    bench_median(our_p99, ROUNDS), bench_median(raw_p99, ROUNDS));
	return bench_median(our_p50, ROUNDS);
}

static char *start_stamps(struct live *live)
{
	return xstrdup(
	    live_tmux(live, "new-window -dP -F '#{pane_id}' 'exec %s stamp'", bench_self()));
}

/* A steady flood of about 2 MB/s: more would only measure tmux's backlog. */
static void start_flood(struct live *live)
{
	live_tmux(live,
	    "new-window -d 'while :; do head -c 20000 /dev/zero | tr \"\\0\" x; sleep 0.01; done'");
}

int main(int argc, char **argv)
{
	static double ages_us[LOOKS_MAX];
	size_t count;
	double looked, ours;
	char *pane;
	struct live *live, *theirs;
	if (argc == 2 && strcmp(argv[1], "stamp") == 0)
		return stamp_main();
	live = live_start(bench_tmux(), "exec sleep 3600");
	theirs = live_new(bench_tmux());
	live_start_tmux(theirs, "exec sleep 3600");
	pane = start_stamps(live);
	mem_free(start_stamps(theirs));
	ours = compare_listeners(live, theirs, pane, "");
	look_again_and_again(live, pane, ages_us, &count);
	looked = bench_median(ages_us, count);
	bench_row("latency_poll", looked / ours, "x", "looking every 500 ms: %.0f us", looked);
	start_flood(live);
	start_flood(theirs);
	(void)compare_listeners(live, theirs, pane, "_flood");
	mem_free(pane);
	live_free(live);
	live_free(theirs);
	return 0;
}
