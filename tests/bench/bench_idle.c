/* SPDX-License-Identifier: ISC */
/* The daemon at rest: wake-ups with 100 panes (G15). */
#include "bench.h"

enum {
	STATUS_MS = 15000,
	PANES = 100,
	WINDOWS = 5,
	WINDOW_MS = 1000,
	QUIET_MS = 1500,
	CONNECTIONS_MAX = 16
};

static uint64_t wakeups(struct live *live)
{
	pid_t pids[CONNECTIONS_MAX];
	size_t count = live_connections(live, pids, CONNECTIONS_MAX);
	uint64_t total = live_usage(live->daemon_pid).wakeups;
	for (size_t i = 0; i < count; i++)
		total += live_usage(pids[i]).wakeups;
	return total;
}

static struct live *start(const char *options)
{
	struct live *live = live_new(bench_tmux());
	live_start_tmux(live, "exec sleep 3600");
	bench_fill(live, PANES, PANES);
	if (options != NULL)
		live_tmux(live, "%s", options);
	/* tests/live/test_idle.c has the reason. */
	live_start_daemon(live, "-o command_timeout_ms=500");
	if (!bench_settle((pid_t[]){live->daemon_pid, live->server_pid}, 2, QUIET_MS))
		live_bail("the daemon is never at rest");
	return live;
}

int main(void)
{
	struct live *live = start("set-option -g status-interval 0");
	struct live *usual = start(NULL);
	int64_t start_ms = live_now_ms();
	uint64_t usual_start = live_usage(usual->server_pid).wakeups;
	double ours[WINDOWS], server[WINDOWS], seconds;
	for (int i = 0; i < WINDOWS; i++) {
		uint64_t our_start = wakeups(live);
		uint64_t server_start = live_usage(live->server_pid).wakeups;
		live_sleep_ms(WINDOW_MS);
		ours[i] = (double)(wakeups(live) - our_start) * 1000 / WINDOW_MS;
		server[i] = (double)(live_usage(live->server_pid).wakeups - server_start) * 1000 /
		    WINDOW_MS;
	}
	bench_rounds("idle_daemon", ours, WINDOWS, "/s", "%d panes", PANES);
	bench_rounds("idle_server", server, WINDOWS, "/s", "%d panes, status-interval 0", PANES);
	live_sleep_ms((int)(start_ms + STATUS_MS - live_now_ms()));
	seconds = (double)(live_now_ms() - start_ms) / 1e3;
	bench_row("idle_server_status",
	    (double)(live_usage(usual->server_pid).wakeups - usual_start) / seconds, "/s",
	    "in %.3g s; tmux draws the status line of each attached client", seconds);
	live_free(live);
	live_free(usual);
	return 0;
}
