/* SPDX-License-Identifier: ISC */
/*
 * How exact timers are (G14): a condition on 10 ms over the socket, less the time of a ping,
 * against a timerfd of 10 ms in turns; what 100,000 timers of the event loop cost; and what timers of
 * the daemon cost that outlive it: setting one beside 1,000 and beside 50,000, and memory.
 */
#include <event2/event.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "bench.h"

enum { ROUNDS = 300, TIMER_MS = 10, TIMERS = 100000, KEPT = 50000, STEP = 100 };

static double timerfd_over_us(int fd)
{
	struct itimerspec spec = {.it_value.tv_nsec = TIMER_MS * 1000000};
	uint64_t expirations;
	int64_t start_ns = live_now_ns();
	if (timerfd_settime(fd, 0, &spec, NULL) < 0 || read(fd, &expirations, 8) != 8)
		live_bail("timerfd");
	return (double)(live_now_ns() - start_ns) / 1e3 - TIMER_MS * 1e3;
}

static double ours_over_us(struct talk *talk)
{
	int64_t start_ns = live_now_ns();
	if (at(talk_call(talk, "wait_for", "{\"any\":[{\"sec\":0.01}]}"), "result") == NULL)
		live_bail("wait_for: %s", talk_text(talk));
	return (double)(live_now_ns() - start_ns) / 1e3 - TIMER_MS * 1e3;
}

static void on_never(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	(void)data;
}

/* The kind of timer that waits and conditions have. */
static void bench_many(void)
{
	struct event_config *config = event_config_new();
	static struct event *events[TIMERS];
	double add_us;
	size_t total, before;
	int64_t start_ns;
	struct event_base *base;
	(void)event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER | EVENT_BASE_FLAG_NOLOCK);
	base = event_base_new_with_config(config);
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (int i = 0; i < TIMERS; i++)
		events[i] = evtimer_new(base, on_never, NULL);
	start_ns = live_now_ns();
	for (int i = 0; i < TIMERS; i++) {
		struct timeval after = {3600 + i * 7919 % 5000, i % 1000000};
		(void)event_add(events[i], &after);
	}
	add_us = (double)(live_now_ns() - start_ns) / 1e3 / TIMERS;
	total = mallinfo2().uordblks + mallinfo2().hblkhd;
	bench_row("timer_add", add_us, "us", "with %d running", TIMERS);
	bench_row("timer_memory", (double)(total - before) / TIMERS, "B", "each of %d", TIMERS);
	for (int i = 0; i < TIMERS; i++)
		event_free(events[i]);
	event_base_free(base);
	event_config_free(config);
}

/* Sets timers through the socket, STEP at a time. Returns the time that one took. */
static double set_us(struct talk *talk, int count)
{
	int64_t start_ns = live_now_ns();
	for (int i = 0; i < count; i += STEP) {
		for (int j = 0; j < STEP; j++)
			(void)talk_send(talk,
			    "{\"id\":%d,\"method\":\"sleep\",\"params\":{\"seconds\":%d}}\n", j,
			    3600 + (i + j) * 7919 % 5000);
		for (int j = 0; j < STEP; j++) {
			if (at(talk_line(talk, LIVE_TIMEOUT_MS), "result.id") == NULL)
				live_bail("sleep: %s", talk_text(talk));
		}
	}
	return (double)(live_now_ns() - start_ns) / 1e3 / count;
}

static void bench_kept(struct live *live)
{
	struct talk *talk = talk_new(live);
	double few_us, many_us;
	uint64_t before;
	(void)set_us(talk, 1000);
	few_us = set_us(talk, 2000);
	before = live_usage(live->daemon_pid).rss_bytes;
	(void)set_us(talk, KEPT);
	bench_row("timer_kept_memory",
	    (double)(live_usage(live->daemon_pid).rss_bytes - before) / KEPT, "B",
	    "a timer that outlives the daemon, its record included, of %d", KEPT);
	many_us = set_us(talk, 2000);
	bench_row("timer_kept_add", many_us / few_us, "x",
	    "%.1f us to set one beside %d, against %.1f beside 1000", many_us, KEPT, few_us);
	talk_free(talk);
}

int main(void)
{
	struct live *live = live_start(bench_tmux(), "exec sleep 3600");
	struct talk *talk = talk_new(live);
	double ours[ROUNDS], theirs[ROUNDS], pings[ROUNDS], our_p99, their_p99, ping_us, our_p50;
	double relayed[ROUNDS];
	int relay = bench_hop(TIMER_MS);
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	double their_p50;
	for (int i = 0; i < ROUNDS; i++) {
		int64_t start_ns;
		theirs[i] = timerfd_over_us(fd);
		ours[i] = ours_over_us(talk);
		relayed[i] = bench_hop_us(relay) - TIMER_MS * 1e3;
		start_ns = live_now_ns();
		(void)talk_call(talk, "ping", NULL);
		pings[i] = (double)(live_now_ns() - start_ns) / 1e3;
	}
	ping_us = bench_median(pings, ROUNDS);
	our_p50 = bench_median(ours, ROUNDS) - ping_us;
	their_p50 = bench_median(theirs, ROUNDS);
	bench_row("timer_p50", our_p50 / their_p50, "x",
	    "%.0f us late, a ping of %.0f taken off, against %.0f", our_p50, ping_us, their_p50);
	bench_row("timer_relay", (our_p50 + ping_us) / bench_median(relayed, ROUNDS), "x",
	    "%.0f us late with the ping, against %.0f", our_p50 + ping_us,
	    bench_median(relayed, ROUNDS));
	our_p99 = bench_percentile(ours, ROUNDS, 99) - ping_us;
	their_p99 = bench_percentile(theirs, ROUNDS, 99);
	bench_row("timer_p99", our_p99 / their_p99, "x",
	    "%.0f us late, a ping of %.0f taken off, against %.0f", our_p99, ping_us, their_p99);
	bench_many();
	bench_kept(live);
	(void)close(fd); /* a timer */
	(void)close(relay); /* all was answered */
	talk_free(talk);
	live_free(live);
	return 0;
}
