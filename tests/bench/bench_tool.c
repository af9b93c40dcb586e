/* SPDX-License-Identifier: ISC */
/*
 * Measures declared tools (G25): the time that a call of a program takes beyond the program itself,
 * and the memory of the daemon for 40 declarations.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "bench.h"

enum { ROUNDS = 200, DECLARATIONS = 40, QUIET_MS = 200 };

static double rss_kib(const struct live *live)
{
	pid_t pid = live->daemon_pid;
	(void)bench_settle(&pid, 1, QUIET_MS);
	return (double)live_usage(pid).rss_bytes / 1024;
}

/* A declaration of some size: eight parameters with descriptions. */
static void declare(const char *dir, int number)
{
	char path[4200];
	FILE *file;
	(void)snprintf(path, sizeof path, "%s/t%d.json", dir, number);
	file = fopen(path, "w");
	if (file == NULL)
		live_bail("%s cannot be written", path);
	(void)fprintf(file,
	    "{\"name\":\"t%d\",\"group\":\"g\",\"run\":[\"true\"],\"description\":\"A tool with a "
	    "description of usual length, which says what it does and when to use it.\","
	    "\"parameters\":{\"type\":\"object\",\"properties\":{",
	    number);
	for (int i = 0; i < 8; i++)
		(void)fprintf(file,
		    "%s\"parameter_%d\":{\"type\":\"string\",\"maxLength\":4096,\"description\":"
		    "\"A parameter with a description of usual length, too.\"}",
		    i > 0 ? "," : "", i);
	(void)fprintf(file, "}}}\n");
	(void)fclose(file);
	(void)chmod(path, 0644);
}

static void bench_call(struct live *live)
{
	static const char *const program[] = {"true", NULL};
	double ours[ROUNDS], theirs[ROUNDS], beyond[ROUNDS];
	struct talk *talk = talk_new(live);
	for (int i = 0; i < ROUNDS; i++) {
		int64_t start_ns;
		theirs[i] = bench_spawn_ms(program);
		start_ns = live_now_ns();
		if (at(talk_call(talk, "t0", "{\"pane\":\"%%0\"}"), "result.text") == NULL)
			live_bail("t0: %s", talk_text(talk));
		ours[i] = (double)(live_now_ns() - start_ns) / 1e6;
		beyond[i] = ours[i] - theirs[i];
	}
	(void)bench_median(ours, ROUNDS); /* sorts */
	(void)bench_median(theirs, ROUNDS);
	bench_rounds("tool_call", beyond, ROUNDS, "ms",
	    "least, median, most: a call %.2f %.2f %.2f ms, the bare program %.2f %.2f %.2f ms",
	    ours[0], ours[ROUNDS / 2], ours[ROUNDS - 1], theirs[0], theirs[ROUNDS / 2],
	    theirs[ROUNDS - 1]);
	talk_free(talk);
}

int main(void)
{
	double empty_kib, full_kib;
	char dir[4096];
	struct live *live;
	(void)setenv("MUXBUS_TOOLS", "/nonexistent", 1);
	live = live_start(bench_tmux(), "exec sleep 3600");
	empty_kib = rss_kib(live);
	(void)live_stop_daemon(live, SIGTERM);
	(void)snprintf(dir, sizeof dir, "%s/tools", live->dir);
	if (mkdir(dir, 0755) < 0)
		live_bail("%s cannot be made", dir);
	for (int i = 0; i < DECLARATIONS; i++)
		declare(dir, i);
	(void)setenv("MUXBUS_TOOLS", dir, 1);
	live_start_daemon(live, NULL);
	full_kib = rss_kib(live);
	bench_row("tool_memory", (full_kib - empty_kib) / 1024, "MiB",
	    "RSS with %d declarations, beyond %.2f MiB without", DECLARATIONS, empty_kib / 1024);
	bench_call(live);
	live_free(live);
	return 0;
}
