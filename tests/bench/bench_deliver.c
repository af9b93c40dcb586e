/* SPDX-License-Identifier: ISC */
/*
 * Measures the time from a timer's due time to the line in an idle program (G18), less the
 * configured quiet time (deliver_quiet_ms): for a line editor, and for an agent in raw mode, there
 * less the pause before Enter too. The pause is needed because some programs take a faster Enter
 * for part of a paste. And how long a request waits at most while a burst of notifications
 * queues up for a pane that is busy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "bench.h"

enum {
	BURST = 9000,
	BURST_STEP = 100,
	ROUNDS = 30,
	QUIET_MS = 1000,
	ENTER_MS = 150,
	SLEEP_MS = 50
};

static const char *fake_path(void)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)snprintf(path, sizeof path, "%s/tests/fake_agent", dir);
	return path;
}

/* When the fake got line number count, in ms of CLOCK_MONOTONIC; 0 if it never did. */
static int64_t got_ms(struct live *live, int count)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(20)) {
		const char *text = live_run(live, "sed -n %dp fake.log", count);
		if (*text != '\0')
			return strtoll(text, NULL, 10);
	}
	return 0;
}

/* The median over the quiet time, and the worst, of a fake with these options. */
static double measure(struct live *live, struct talk *talk, const char *options, double *ret_worst)
{
	double over_ms[ROUNDS], median;
	char *pane =
	    xstrdup(live_tmux(live, "new-window -dP -F '#{pane_id}' 'exec %s %s %s/fake.log'",
		fake_path(), options, live->dir));
	(void)live_tmux_until(live, "2", "display-message -p -t %s '#{cursor_x}'", pane);
	(void)live_run(live, ": >fake.log");
	for (int i = 0; i < ROUNDS; i++) {
		int64_t due_ms = live_now_ms() + SLEEP_MS;
		int64_t done_ms;
		talk_call(
		    talk, "sleep", "{\"seconds\":%.3f,\"pane\":\"%s\"}", SLEEP_MS / 1e3, pane);
		done_ms = got_ms(live, i + 1);
		if (done_ms == 0)
			live_bail("nothing was submitted");
		over_ms[i] = (double)(done_ms - due_ms - QUIET_MS);
	}
	median = bench_median(over_ms, ROUNDS);
	*ret_worst = over_ms[ROUNDS - 1];
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	return median;
}

/* How long a process has waited for a processor until now. */
static double queued_ms(pid_t pid)
{
	char path[64], text[128] = "";
	const char *second;
	FILE *file;
	(void)snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	file = fopen(path, "re");
	if (file == NULL || fgets(text, sizeof text, file) == NULL)
		live_bail("no schedstat");
	(void)fclose(file);
	second = strchr(text, ' ');
	return second == NULL ? 0 : strtod(second, NULL) / 1e6;
}

/* The time of a ping, without that in which neither the daemon nor we had a processor. */
static double ping_ms(const struct live *live, struct talk *talk)
{
	double queued = queued_ms(live->daemon_pid) + queued_ms(getpid());
	int64_t start_ns = live_now_ns();
	(void)talk_call(talk, "ping", NULL);
	return (double)(live_now_ns() - start_ns) / 1e6 -
	    (queued_ms(live->daemon_pid) + queued_ms(getpid()) - queued);
}

/* Posts for a pane, with pings beside. Returns the longest ping. */
static double post_burst(
    const struct live *live, struct talk *talk, struct talk *other, const char *pane)
{
	double worst = 0;
	int sent = 0, got = 0;
	while (got < BURST) {
		double took = ping_ms(live, other);
		worst = took > worst ? took : worst;
		for (int end = sent + BURST_STEP; sent < BURST && sent < end; sent++)
			(void)talk_send(talk,
			    "{\"id\":%d,\"method\":\"post_notification\",\"params\":"
			    "{\"pane\":\"%s\",\"text\":\"build %d is done\"}}\n",
			    sent, pane, sent);
		while (got < sent && talk_line(talk, 0) != NULL)
			got++;
	}
	return worst;
}

/* The reason in the receipt of the last notification. */
static bool last_has_reason(struct talk *talk, int64_t last, const char *reason)
{
	const char *found =
	    at_str(talk_call(talk, "list_notifications", "{\"after\":%lld}", (long long)last - 1),
		"result.notifications.0.delivery.reason");
	return found != NULL && strstr(found, reason) != NULL;
}

/* A pane in copy mode is busy; the clock is another reason: all get another receipt. */
static void bench_burst(struct live *live)
{
	static const char *const modes[] = {"copy-mode", "clock-mode"};
	struct talk *talk = talk_new(live), *other = talk_new(live);
	char *pane =
	    xstrdup(live_tmux(live, "new-window -dP -F '#{pane_id}' 'exec %s'", fake_path()));
	double worst[] = {0, 0};
	int64_t last = 0;
	for (size_t mode = 0; mode < 2; mode++) {
		live_tmux(live, "%s -t %s", modes[mode], pane);
		if (mode == 0) {
			worst[0] = post_burst(live, talk, other, pane);
			last = at_int(talk_call(talk, "post_notification",
					  "{\"pane\":\"%s\",\"text\":\"x\"}", pane),
			    "result.seq");
		}
		for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
		     !last_has_reason(talk, last, modes[mode]) && live_now_ms() < end_ms;) {
			double took = ping_ms(live, other);
			worst[mode] = took > worst[mode] ? took : worst[mode];
		}
	}
	bench_row("deliver_burst", worst[0] > worst[1] ? worst[0] : worst[1], "ms",
	    "the longest ping: %.1f while %d come for a busy pane, %.1f while its reason changes",
	    worst[0], BURST, worst[1]);
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	talk_free(talk);
	talk_free(other);
}

static void bench_deliveries(struct live *live, struct talk *talk)
{
	double worst, median;
	median = measure(live, talk, "--signals", &worst);
	bench_row("deliver", median, "ms", "a line editor; %d ms quiet", QUIET_MS);
	bench_row("deliver_worst", worst, "ms", "of %d", ROUNDS);
	median = measure(live, talk, "", &worst);
	bench_row("deliver_raw", median - ENTER_MS, "ms",
	    "raw mode; and %d ms of rest before Enter, %d ms quiet", ENTER_MS, QUIET_MS);
}

/* "bench_deliver burst" measures only the burst. */
int main(int argc, char **argv)
{
	struct live *live = live_start(bench_tmux(), "exec sleep 3600");
	struct talk *talk = talk_new(live);
	if (access(fake_path(), X_OK) != 0)
		live_bail("make check builds the fake agent");
	bench_burst(live);
	if (argc == 1 || strcmp(argv[1], "burst") != 0)
		bench_deliveries(live, talk);
	talk_free(talk);
	live_free(live);
	return 0;
}
