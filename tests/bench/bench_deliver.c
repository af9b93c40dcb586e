/* SPDX-License-Identifier: ISC */
/*
 * Measures the time from a timer's due time to the line in an idle program (G18), less the
 * configured quiet time (deliver_quiet_ms): for a line editor, and for an agent in raw mode, there
 * less the pause before Enter too. The pause is needed because some programs take a faster Enter
 * for part of a paste.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "bench.h"

enum { ROUNDS = 30, QUIET_MS = 1000, ENTER_MS = 150, SLEEP_MS = 50 };

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

int main(void)
{
	struct live *live = live_start(bench_tmux(), "exec sleep 3600");
	struct talk *talk = talk_new(live);
	double worst, median;
	if (access(fake_path(), X_OK) != 0)
		live_bail("make check builds the fake agent");
	median = measure(live, talk, "--signals", &worst);
	bench_row("deliver", median, "ms", "a line editor; %d ms quiet", QUIET_MS);
	bench_row("deliver_worst", worst, "ms", "of %d", ROUNDS);
	median = measure(live, talk, "", &worst);
	bench_row("deliver_raw", median - ENTER_MS, "ms",
	    "raw mode; and %d ms of rest before Enter, %d ms quiet", ENTER_MS, QUIET_MS);
	talk_free(talk);
	live_free(live);
	return 0;
}
