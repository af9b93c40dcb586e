/* SPDX-License-Identifier: ISC */
/* The daemon at rest: wake-ups with 100 panes (G15). */
#include "bench.h"

enum { PANES = 100, WINDOWS = 5, WINDOW_MS = 1000, QUIET_MS = 1500, CONNECTIONS_MAX = 16 };

static uint64_t wakeups(struct live *live)
{
	pid_t pids[CONNECTIONS_MAX];
	size_t count = live_connections(live, pids, CONNECTIONS_MAX);
	uint64_t total = live_usage(live->daemon_pid).wakeups;
	for (size_t i = 0; i < count; i++)
		total += live_usage(pids[i]).wakeups;
	return total;
}

int main(void)
{
	struct live *live = live_new(bench_tmux());
	double ours[WINDOWS], server[WINDOWS];
	live_start_tmux(live, "exec sleep 3600");
	bench_fill(live, PANES, PANES);
	/* tests/live/test_idle.c has the reasons for both. */
	live_tmux(live, "set-option -g status-interval 0");
	live_start_daemon(live, "-o command_timeout_ms=500");
	if (!bench_settle((pid_t[]){live->daemon_pid, live->server_pid}, 2, QUIET_MS))
		live_bail("the daemon is never at rest");
	for (int i = 0; i < WINDOWS; i++) {
		uint64_t our_start = wakeups(live);
		uint64_t server_start = live_usage(live->server_pid).wakeups;
		live_sleep_ms(WINDOW_MS);
		ours[i] = (double)(wakeups(live) - our_start) * 1000 / WINDOW_MS;
		server[i] = (double)(live_usage(live->server_pid).wakeups - server_start) * 1000 /
		    WINDOW_MS;
	}
	bench_rounds("idle_daemon", ours, WINDOWS, "/s", "%d panes", PANES);
	bench_rounds("idle_server", server, WINDOWS, "/s", "%d panes", PANES);
	live_free(live);
	return 0;
}
