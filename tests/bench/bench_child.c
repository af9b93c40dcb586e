/* SPDX-License-Identifier: ISC */
/*
 * Measures the time from the end of a job to the programs that wait for it (G13): from the job's
 * last instant, over its supervisor, the daemon and the socket, to the line of JSON. The same
 * program as a child of our own, with a blocking waitpid(), in turns, is the comparison; so is
 * task-spooler, if it is installed. The measurement is repeated beside 500 running jobs. The
 * time to start a job is measured with a daemon of 1 GiB, too.
 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { ROUNDS = 60, OTHERS = 500, RUN_US = 20000, BALLAST_MIB = 1024 };

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

/* From the stamp of a program that has ended until now. */
static double since_stamp_us(struct live *live, int64_t now_ns)
{
	return (double)(now_ns - strtoll(live_run(live, "cat stamp"), NULL, 10)) / 1e3;
}

/*
 * The program as our own child, behind words of a command that waits for it. relay >= 0: its end goes
 * on to another process and comes back, as from a supervisor to the daemon and to a peer.
 */
static double waited_us(struct live *live, char *const *words, int relay)
{
	char path[4200];
	char *argv[8];
	size_t count = 0;
	int64_t now_ns;
	pid_t pid;
	(void)snprintf(path, sizeof path, "%s/stamp", live->dir);
	for (; words[count] != NULL; count++)
		argv[count] = words[count];
	argv[count++] = (char *)(uintptr_t)bench_self();
	argv[count++] = (char *)"end";
	argv[count++] = path;
	argv[count] = NULL;
	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0)
		return 0;
	(void)waitpid(pid, NULL, 0);
	if (relay >= 0)
		(void)bench_hop_us(relay);
	now_ns = live_now_ns();
	return since_stamp_us(live, now_ns);
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
	return since_stamp_us(live, now_ns);
}

static double bench_round(struct live *live, struct talk *talk, const char *row)
{
	double ours[ROUNDS], theirs[ROUNDS], relayed[ROUNDS], our_p50, their_p50, relayed_p50;
	int relay = bench_hop(0);
	for (int i = 0; i < ROUNDS; i++) {
		theirs[i] = waited_us(live, (char *const[]){NULL}, -1);
		ours[i] = told_us(live, talk);
		relayed[i] = waited_us(live, (char *const[]){NULL}, relay);
	}
	(void)close(relay); /* all was answered */
	our_p50 = bench_median(ours, ROUNDS);
	their_p50 = bench_median(theirs, ROUNDS);
	relayed_p50 = bench_median(relayed, ROUNDS);
	bench_row(row, our_p50 / their_p50, "x",
	    "%.0f us to the JSON line, supervisor and journal included, against %.0f, and %.0f by "
	    "two "
	    "processes more",
	    our_p50, their_p50, relayed_p50);
	return our_p50;
}

/* task-spooler, whose client waits for the program ("tsp -f"). */
static void bench_spooler(struct live *live, struct talk *talk)
{
	double ours[ROUNDS], theirs[ROUNDS];
	char path[4200];
	(void)snprintf(path, sizeof path, "%s/spooler", live->dir);
	(void)setenv("TS_SOCKET", path, 1);
	(void)setenv("TMPDIR", live->dir, 1);
	(void)live_run(live, "command -v tsp");
	if (live->status != 0) {
		(void)printf("# tsp: not installed\n");
		return;
	}
	for (int i = 0; i < ROUNDS; i++) {
		theirs[i] =
		    waited_us(live, (char *const[]){(char *)"tsp", (char *)"-nf", NULL}, -1);
		ours[i] = told_us(live, talk);
	}
	(void)live_run(live, "tsp -K");
	bench_row("child_tsp", bench_median(theirs, ROUNDS) / bench_median(ours, ROUNDS), "x",
	    "%.0f us to the end of tsp -nf, against %.0f", bench_median(theirs, ROUNDS),
	    bench_median(ours, ROUNDS));
}

/* The time to accept and start a job. */
static double start_us(struct talk *talk)
{
	double took[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		int64_t start_ns = live_now_ns();
		if (at(talk_call(talk, "run_long_command", "{\"command\":\"exec true\"}"),
			"result.id") == NULL)
			live_bail("run_long_command: %s", talk_text(talk));
		took[i] = (double)(live_now_ns() - start_ns) / 1e3;
		live_sleep_ms(5);
	}
	return bench_median(took, ROUNDS);
}

static void bench_size(struct live *live)
{
	double small, large;
	struct talk *talk = talk_new(live);
	small = start_us(talk);
	talk_free(talk);
	(void)live_stop_daemon(live, SIGTERM);
	(void)setenv("MUXBUS_BALLAST_MIB", "1024", 1);
	bench_start_recording(live, NULL);
	(void)unsetenv("MUXBUS_BALLAST_MIB");
	if (live_usage(live->daemon_pid).rss_bytes < (uint64_t)BALLAST_MIB << 20)
		live_bail("the daemon has no ballast");
	talk = talk_new(live);
	large = start_us(talk);
	talk_free(talk);
	bench_row("child_spawn", large / small, "x",
	    "%.0f us to start a job with a daemon of 1 GiB, against %.0f", large, small);
}

/* Supervisors outlive the daemon. */
static void end_jobs(struct talk *talk)
{
	const struct json *jobs = talk_call(talk, "list_jobs", "{\"running\":true}");
	for (size_t i = 0; i < OTHERS; i++) {
		int64_t pid;
		char path[48];
		(void)snprintf(path, sizeof path, "result.jobs.%zu.pid", i);
		if (json_int(at(jobs, path), &pid))
			(void)kill(-(pid_t)pid, SIGKILL);
	}
}

int main(int argc, char **argv)
{
	double among_us, alone_us;
	struct live *live;
	struct talk *talk;
	if (argc == 3 && strcmp(argv[1], "end") == 0)
		return end_main(argv[2]);
	live = live_start(bench_tmux(), "exec sleep 3600");
	talk = talk_new(live);
	alone_us = bench_round(live, talk, "child_p50");
	bench_spooler(live, talk);
	for (int i = 0; i < OTHERS; i++) {
		if (at(talk_call(talk, "run_long_command", "{\"command\":\"exec sleep 3600\"}"),
			"result") == NULL)
			live_bail("run_long_command: %s", talk_text(talk));
	}
	among_us = bench_round(live, talk, "child_p50_many");
	bench_row("child_many", among_us / alone_us, "x", "beside %d jobs that run", OTHERS);
	end_jobs(talk);
	talk_free(talk);
	bench_size(live);
	live_free(live);
	return 0;
}
