/* SPDX-License-Identifier: ISC */
/*
 * The daemon at rest and at its start: wake-ups with 100 panes (G15), memory (G16), the
 * time from start to ready and the listing of 100 panes (G20).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "bench.h"

enum {
	PANES = 100,
	IDLE_MS = 5000,
	STARTS = 7,
	LISTS = 20,
	SUBSCRIBERS = 200,
	CONNECTIONS_MAX = 16
};

static void add_panes(struct live *live)
{
	char *command = xasprintf("new-window -d 'exec sleep 3600'");
	for (int i = 1; i < PANES; i += 11) {
		struct buf line;
		buf_init(&line, 65536);
		for (int j = 0; j < 11; j++)
			(void)buf_printf(&line, "%s%s", j == 0 ? "" : " \\; ", command);
		live_tmux(live, "%s", (char *)line.data);
		buf_finish(&line);
	}
	(void)live_tmux_until(live, "100", "list-panes -a | wc -l");
	mem_free(command);
}

static uint64_t wakeups(struct live *live, bool with_server)
{
	pid_t pids[CONNECTIONS_MAX];
	size_t count = live_connections(live, pids, CONNECTIONS_MAX);
	uint64_t total = live_usage(live->daemon_pid).wakeups;
	for (size_t i = 0; i < count; i++)
		total += live_usage(pids[i]).wakeups;
	return with_server ? live_usage(live->server_pid).wakeups : total;
}

static void settle(struct live *live)
{
	for (int i = 0; i < 10; i++) {
		uint64_t before = wakeups(live, false) + wakeups(live, true);
		live_sleep_ms(1000);
		if (wakeups(live, false) + wakeups(live, true) == before)
			return;
	}
}

static void bench_idle(struct live *live)
{
	uint64_t ours, server;
	settle(live);
	ours = wakeups(live, false);
	server = wakeups(live, true);
	live_sleep_ms(IDLE_MS);
	ours = wakeups(live, false) - ours;
	server = wakeups(live, true) - server;
	bench_row("idle_daemon", (double)ours * 1000 / IDLE_MS, "/s", "%d panes, %d s", PANES,
	    IDLE_MS / 1000);
	bench_row("idle_server", (double)server * 1000 / IDLE_MS, "/s", "the tmux server, %d panes",
	    PANES);
}

static double rss_mib(struct live *live)
{
	return (double)live_usage(live->daemon_pid).rss_bytes / 1048576;
}

/* Fills the rings: every pane prints more than its ring holds. */
static double fill_rings(struct live *live, struct talk *talk)
{
	char *command = xasprintf("respawn-pane -k -t {} 'seq 1 20000; exec sleep 3600'");
	talk_call(talk, "subscribe", "{\"output\":true}");
	live_run(live,
	    "for p in $('%s' -S '%s' list-panes -a -F '#{pane_id}'); do '%s' -S '%s' respawn-pane "
	    "-k -t \"$p\""
	    " 'seq 1 20000; exec sleep 3600'; done",
	    live->tmux, live->tmux_socket, live->tmux, live->tmux_socket);
	while (talk_event(talk, 1000, NULL, NULL, NULL) != NULL)
		;
	mem_free(command);
	return rss_mib(live);
}

static double kib_per_subscriber(struct live *live)
{
	static struct talk *talks[SUBSCRIBERS];
	double before = rss_mib(live);
	double each;
	for (int i = 0; i < SUBSCRIBERS; i++) {
		talks[i] = talk_new(live);
		if (at(talk_call(talks[i], "subscribe", "{}"), "result") == NULL)
			live_bail("subscribe: %s", talk_text(talks[i]));
	}
	each = (rss_mib(live) - before) * 1024 / SUBSCRIBERS;
	for (int i = 0; i < SUBSCRIBERS; i++)
		talk_free(talks[i]);
	return each;
}

static void bench_memory(struct live *live, double empty_mib)
{
	double quiet_mib = rss_mib(live);
	struct talk *talk = talk_new(live);
	bench_row("memory_empty", empty_mib, "MiB", "RSS, one pane");
	bench_row(
	    "memory_pane", (quiet_mib - empty_mib) * 1024 / (PANES - 1), "KiB", "per quiet pane");
	bench_row("memory_subscriber", kib_per_subscriber(live), "KiB",
	    "per subscriber, %d of them", SUBSCRIBERS);
	bench_row(
	    "memory_rings", fill_rings(live, talk), "MiB", "RSS, %d panes with full rings", PANES);
	talk_free(talk);
}

static void bench_start(struct live *live)
{
	double took_ms[STARTS];
	for (int i = 0; i < STARTS; i++) {
		int64_t start_ns;
		(void)live_stop_daemon(live, SIGTERM);
		start_ns = live_now_ns();

		live_start_daemon(live, NULL);
		took_ms[i] = (double)(live_now_ns() - start_ns) / 1e6;
	}
	bench_row("start", bench_median(took_ms, STARTS), "ms", "%d panes", PANES);
}

/* From the request's first byte to the answer's last. */
static double list_us(struct talk *talk, bool *ret_is_right)
{
	static char bytes[1024 * 1024];
	static const char request[] = "{\"id\":1,\"method\":\"list_panes\"}\n";
	int64_t start_ns = live_now_ns();
	size_t len = 0;
	ssize_t n = 1;
	double took_us;
	(void)talk_send_bytes(talk, request, sizeof request - 1);
	while (n > 0 && (len == 0 || bytes[len - 1] != '\n')) {
		n = read(talk_fd(talk), bytes + len, sizeof bytes - len);
		len += n > 0 ? (size_t)n : 0;
	}
	took_us = (double)(live_now_ns() - start_ns) / 1e3;
	*ret_is_right = memmem(bytes, len, "\"result\"", 8) != NULL && len > PANES * 100;
	return took_us;
}

/*
 * Reads the model as it is; by default the daemon refreshes a model that is older than 50 ms
 * first.
 */
static void bench_list(struct live *live, const char *name)
{
	struct talk *talk = talk_new(live);
	double ratios[LISTS], ours_us[LISTS], theirs_us[LISTS];
	for (int i = 0; i < LISTS; i++) {
		bool is_right;
		int64_t start_ns;
		ours_us[i] = list_us(talk, &is_right);
		if (!is_right)
			live_bail("list_panes gives no list");
		start_ns = live_now_ns();
		live_tmux(live, "list-panes -a");
		theirs_us[i] = (double)(live_now_ns() - start_ns) / 1e3;
		ratios[i] = theirs_us[i] / ours_us[i];
	}
	bench_row(name, bench_median(ratios, LISTS), "x", "%.0f us against %.0f us",
	    bench_median(ours_us, LISTS), bench_median(theirs_us, LISTS));
	talk_free(talk);
}

int main(void)
{
	struct rlimit files = {1024, 1024};
	double empty_mib;
	struct live *live;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	live = live_start(bench_tmux(), "exec sleep 3600");
	live_sleep_ms(300);
	empty_mib = rss_mib(live);
	(void)live_stop_daemon(live, SIGTERM);
	add_panes(live);
	/* See tests/live/test_idle.c for both. */
	live_tmux(live, "set-option -g status-interval 0");
	live_start_daemon(live, "-o command_timeout_ms=500");
	bench_idle(live);
	(void)live_stop_daemon(live, SIGTERM);
	live_start_daemon(live, "-o fresh_ms=60000");
	bench_list(live, "list_panes");
	(void)live_stop_daemon(live, SIGTERM);
	live_start_daemon(live, NULL);
	bench_list(live, "list_panes_default");
	live_sleep_ms(300);
	bench_memory(live, empty_mib);
	bench_start(live);
	live_free(live);
	return 0;
}
