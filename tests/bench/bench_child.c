/* SPDX-License-Identifier: ISC */
/*
 * Measures the time from the end of a job to the programs that wait for it (G13): from the job's
 * last instant, over its supervisor, the daemon and the socket, to the line of JSON. A blocking
 * waitpid() for a child of our own, in turns, is the comparison. The measurement is repeated
 * beside 200 running jobs.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { ROUNDS = 60, OTHERS = 200, RUN_US = 20000 };

/* "PROGRAM end FILE": reports its end as its last act. */
static int end_main(const char *path)
{
	FILE *file = fopen(path, "w");
	if (file == NULL)
		return 1;
	(void)usleep(RUN_US);
	(void)fprintf(file, "%lld\n", (long long)live_now_ns());
	(void)fflush(file);
	_exit(0);
}

/* The floor: the child stamps shared memory and ends. */
static double waited_us(void)
{
	static volatile int64_t *stamp;
	pid_t pid;
	if (stamp == NULL)
		stamp = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = fork();
	if (pid == 0) {
		(void)usleep(RUN_US);
		*stamp = live_now_ns();
		_exit(0);
	}
	(void)waitpid(pid, NULL, 0);
	return (double)(live_now_ns() - *stamp) / 1e3;
}

static double told_us(struct live *live, struct talk *talk)
{
	const struct json *started = talk_call(talk, "run_long_command",
	    "{\"command\":\"exec %s end %s/stamp\"}", bench_self(), live->dir);
	const struct json *id = at(started, "result.id");
	char *job;
	const struct json *ended;
	int64_t now_ns;
	if (id == NULL)
		live_bail("run_long_command: %s", talk_text(talk));
	job = strdup(id->text);
	ended = talk_call(talk, "wait_for", "{\"any\":[{\"job\":\"%s\"}],\"timeout_sec\":60}", job);
	now_ns = live_now_ns();
	if (at(ended, "result.matched") == NULL)
		live_bail("wait_for: %s", talk_text(talk));
	free(job);
	return (double)(now_ns - strtoll(live_run(live, "cat stamp"), NULL, 10)) / 1e3;
}

static double bench_round(struct live *live, struct talk *talk, const char *row)
{
	double ours[ROUNDS], theirs[ROUNDS], our_p50, their_p50;
	for (int i = 0; i < ROUNDS; i++) {
		theirs[i] = waited_us();
		ours[i] = told_us(live, talk);
	}
	our_p50 = bench_median(ours, ROUNDS);
	their_p50 = bench_median(theirs, ROUNDS);
	bench_row(row, our_p50 / their_p50, "x",
	    "%.0f us to the JSON line, supervisor and journal included, against %.0f", our_p50,
	    their_p50);
	return our_p50;
}

int main(int argc, char **argv)
{
	const struct json *jobs;
	double among_us, alone_us;
	struct live *live;
	struct talk *talk;
	if (argc == 3 && strcmp(argv[1], "end") == 0)
		return end_main(argv[2]);
	live = live_start(bench_tmux(), "exec sleep 3600");
	talk = talk_new(live);
	alone_us = bench_round(live, talk, "child_p50");
	for (int i = 0; i < OTHERS; i++) {
		if (at(talk_call(talk, "run_long_command", "{\"command\":\"exec sleep 3600\"}"),
			"result") == NULL)
			live_bail("run_long_command: %s", talk_text(talk));
	}
	among_us = bench_round(live, talk, "child_p50_many");
	bench_row("child_many", among_us / alone_us, "x", "beside %d jobs that run", OTHERS);
	/* The supervisors would outlive us. */
	jobs = talk_call(talk, "list_jobs", "{\"running\":true}");
	for (size_t i = 0; i < OTHERS; i++) {
		int64_t pid;
		char path[48];
		(void)snprintf(path, sizeof path, "result.jobs.%zu.pid", i);
		if (json_int(at(jobs, path), &pid))
			(void)kill(-(pid_t)pid, SIGKILL);
	}
	talk_free(talk);
	live_free(live);
	return 0;
}
