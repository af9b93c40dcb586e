/* SPDX-License-Identifier: ISC */
/* The memory of the daemon (G16): with one pane, and for each of many things of a kind. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench.h"

enum { PANES = 100, MANY = 200, JOBS = 100, QUIET_MS = 200 };

static struct live *live;
static struct talk *talk;

static double rss_kib(void)
{
	pid_t pid = live->daemon_pid;
	(void)bench_settle(&pid, 1, QUIET_MS);
	return (double)live_usage(pid).rss_bytes / 1024;
}

static void call(const char *method, const char *params)
{
	if (at(talk_call_json(talk, method, params), "result") == NULL)
		live_bail("%s: %s", method, talk_text(talk));
}

static void print_each(const char *name, double before_kib, int count, const char *what)
{
	bench_row(name, (rss_kib() - before_kib) / count, "KiB", "each of %d %s", count, what);
}

static void bench_subscriber_memory(void)
{
	static struct talk *talks[MANY];
	double before_kib = rss_kib();
	for (int i = 0; i < MANY; i++) {
		talks[i] = talk_new(live);
		if (at(talk_call(talks[i], "subscribe", "{}"), "result") == NULL)
			live_bail("subscribe: %s", talk_text(talks[i]));
	}
	print_each("memory_subscriber", before_kib, MANY, "subscribers");
	for (int i = 0; i < MANY; i++)
		talk_free(talks[i]);
}

/* Watches of different files, and of one file with different patterns. */
static void bench_file_watches(void)
{
	char params[256];
	double before_kib;
	live_run(live, "for i in $(seq 0 %d); do echo a line >log.$i; done", MANY);
	before_kib = rss_kib();
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(params, sizeof params,
		    "{\"file_path\":\"%s/log.%d\",\"regex\":\"some text|other\",\"pane\":\"%%0\"}",
		    live->dir, i);
		call("watch_log", params);
	}
	print_each("memory_watch", before_kib, MANY, "watches, a file each");
	before_kib = rss_kib();
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(params, sizeof params,
		    "{\"file_path\":\"%s/log.%d\",\"regex\":\"pattern %d\",\"pane\":\"%%0\"}",
		    live->dir, MANY, i);
		call("watch_log", params);
	}
	print_each("memory_watch_shared", before_kib, MANY, "watches of one file");
}

/* The first watch makes the ring of its pane, which memory_rings counts. */
static void bench_pane_watches(void)
{
	char params[256];
	double before_kib = 0;
	for (int i = 0; i <= MANY; i++) {
		if (i == 1)
			before_kib = rss_kib();
		(void)snprintf(params, sizeof params,
		    "{\"pane\":\"%%0\",\"regex\":\"pattern %d\",\"timeout_sec\":3600}", i);
		call("watch_pane", params);
	}
	print_each("memory_pane_watch", before_kib, MANY, "watches of a pane");
}

static void bench_jobs(void)
{
	double before_kib = rss_kib();
	const struct json *jobs;
	for (int i = 0; i < JOBS; i++)
		call("run_long_command", "{\"command\":\"exec sleep 3600\"}");
	print_each("memory_job", before_kib, JOBS, "jobs that run; their supervisors not counted");
	/* The supervisors would outlive us. */
	jobs = at(talk_call(talk, "list_jobs", "{\"running\":true}"), "result.jobs");
	for (const struct json *job = jobs == NULL ? NULL : jobs->child; job != NULL;
	     job = job->next) {
		int64_t pid = at_int(job, "pid");
		if (pid > 1)
			(void)kill(-(pid_t)pid, SIGKILL);
	}
}

/* Every pane prints more than its ring holds. */
static void bench_rings(void)
{
	call("subscribe", "{\"output\":true}");
	live_run(live,
	    "for p in $('%s' -S '%s' list-panes -a -F '#{pane_id}'); do '%s' -S '%s' respawn-pane "
	    "-k -t \"$p\" 'seq 1 20000; exec sleep 3600'; done",
	    live->tmux, live->tmux_socket, live->tmux, live->tmux_socket);
	while (talk_event(talk, 1000, NULL, NULL, NULL) != NULL)
		;
	bench_row("memory_rings", rss_kib() / 1024, "MiB", "RSS, %d panes with full rings", PANES);
}

int main(void)
{
	struct rlimit files = {2048, 2048};
	double empty_kib;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	live = live_start(bench_tmux(), "exec sleep 3600");
	empty_kib = rss_kib();
	bench_row("memory_empty", empty_kib / 1024, "MiB", "RSS, one pane");
	(void)live_stop_daemon(live, SIGTERM);
	bench_fill(live, PANES, PANES);
	live_start_daemon(live, NULL);
	print_each("memory_pane", empty_kib, PANES - 1, "quiet panes");
	talk = talk_new(live);
	bench_subscriber_memory();
	bench_file_watches();
	bench_pane_watches();
	bench_jobs();
	talk_free(talk);
	(void)live_stop_daemon(live, SIGTERM);
	live_start_daemon(live, NULL);
	talk = talk_new(live);
	bench_rings();
	talk_free(talk);
	live_free(live);
	return 0;
}
