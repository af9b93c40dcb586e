/* SPDX-License-Identifier: ISC */
/*
 * Following a file: its CPU, its latency and its wake-ups, against `tail -F | grep` on the
 * same appends in turns. Both write what matches into a pipe that the writer reads.
 */
#include <event2/event.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "daemon/core/line_match.h"
#include "daemon/file/tail_loop.h"

#define ROUNDS 3
#define BULK_BYTES (256 * 1024 * 1024)
#define BULK_WRITE (64 * 1024)
#define LATENCY_COUNT 1500
#define STORM_SEC 2.0
#define BOUND_MS 60000
#define PATTERN "MARK [0-9]+"

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The reader. */

struct reader {
	pid_t pids[2];
	int fd; /* what matched */
};

static bool on_block(void *data, const struct tail_block *block)
{
	struct line_matcher *matcher = data;
	struct matched_line line;
	size_t from = 0;
	while (from < block->len &&
	    line_match(matcher, block->text, block->len, from, &line) == PATTERN_MATCH) {
		if (write(STDOUT_FILENO, block->text + line.start, line.after - line.start) < 0)
			exit(1);
		from = line.after;
	}
	return true;
}

static void on_change(void *data, enum tail_change change)
{
	(void)data;
	(void)change;
}

static void on_partial(void *data, const struct tail_block *block)
{
	(void)data;
	(void)block;
}

static void on_looked(void *data)
{
	(void)data;
}

/* Follows as the daemon does, until it is killed. */
static void follow(const char *path)
{
	static const struct tail_loop_handlers handlers = {
	    .block = on_block, .changed = on_change, .partial = on_partial, .looked = on_looked};
	struct event_config *config = event_config_new();
	char reason[100];
	struct line_matcher matcher;
	struct tail_loop_set *set;
	struct event_base *base;
	event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER | EVENT_BASE_FLAG_NOLOCK);
	base = event_base_new_with_config(config);
	line_matcher_init(&matcher, pattern_new(PATTERN, strlen(PATTERN), reason, sizeof reason));
	set = tail_loop_set_new(base, NULL);
	(void)tail_loop_new(set, path, NULL, 0, &handlers, &matcher);
	event_base_dispatch(base);
	_exit(0);
}

static pid_t spawn(int in, int out, const char *path, const char *const argv[])
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	if (in >= 0)
		dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (argv)
		execvp(argv[0], (char *const *)argv);
	else
		follow(path);
	_exit(127);
}

static void reader_start(struct reader *reader, const char *path, bool is_ours)
{
	int out[2], between[2];
	const char *const tail[] = {"tail", "-n", "0", "-F", path, NULL};
	const char *const grep[] = {"grep", "--line-buffered", "-E", PATTERN, NULL};
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(between, O_CLOEXEC) < 0)
		exit(1);
	reader->pids[0] = spawn(-1, is_ours ? out[1] : between[1], path, is_ours ? NULL : tail);
	reader->pids[1] = is_ours ? 0 : spawn(between[0], out[1], path, grep);
	close(between[0]);
	close(between[1]);
	close(out[1]);
	reader->fd = out[0];
}

/* Ends it; returns its CPU seconds and how often it slept. */
static double reader_stop(struct reader *reader, long *ret_sleeps)
{
	double cpu = 0;
	*ret_sleeps = 0;
	for (int i = 0; i < 2 && reader->pids[i] > 0; i++) {
		struct rusage usage;
		kill(reader->pids[i], SIGTERM);
		if (wait4(reader->pids[i], NULL, 0, &usage) < 0)
			continue;
		cpu += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
		*ret_sleeps += usage.ru_nvcsw;
	}
	close(reader->fd);
	return cpu;
}

/* Waits for something that matched; false if nothing comes. */
static bool reader_wait(struct reader *reader, int timeout_ms)
{
	char bytes[65536];
	struct pollfd fd = {.fd = reader->fd, .events = POLLIN};
	return poll(&fd, 1, timeout_ms) > 0 && read(reader->fd, bytes, sizeof bytes) > 0;
}

/* The writer. */

static int make_file(char *path)
{
	int fd;
	strcpy(path, "/tmp/muxbus-bench-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		exit(1);
	(void)fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

static void put(int fd, const char *bytes, size_t len)
{
	if (write(fd, bytes, len) != (ssize_t)len)
		exit(1);
}

/* Writes marks until the reader runs. */
static void reader_sync(struct reader *reader, int fd)
{
	for (int i = 0; i < 1000; i++) {
		put(fd, "MARK 0\n", 7);
		if (reader_wait(reader, 20))
			break;
	}
	while (reader_wait(reader, 100))
		;
}

static double run_bulk(bool is_ours)
{
	static char chunk[BULK_WRITE];
	char path[64];
	struct reader reader;
	long sleeps;
	int fd = make_file(path);
	double cpu;
	for (size_t at = 0; at < sizeof chunk; at++)
		chunk[at] = at % 81 == 80 ? '\n' : (char)('a' + at % 23);
	chunk[sizeof chunk - 1] = '\n';
	reader_start(&reader, path, is_ours);
	reader_sync(&reader, fd);
	for (size_t done = 0; done < BULK_BYTES; done += sizeof chunk)
		put(fd, chunk, sizeof chunk);
	put(fd, "MARK 1\n", 7);
	if (!reader_wait(&reader, BOUND_MS))
		fprintf(stderr, "nothing matched\n");
	cpu = reader_stop(&reader, &sleeps);
	close(fd);
	unlink(path);
	return cpu;
}

static void run_latency(bool is_ours, double *ret_p50, double *ret_p99)
{
	static double times[LATENCY_COUNT];
	char path[64], line[32];
	struct reader reader;
	size_t count = 0;
	long sleeps;
	int fd = make_file(path);
	reader_start(&reader, path, is_ours);
	reader_sync(&reader, fd);
	for (int i = 0; i < LATENCY_COUNT; i++) {
		int len = snprintf(line, sizeof line, "MARK %d\n", i);
		double start = now();
		double left;
		put(fd, line, (size_t)len);
		if (!reader_wait(&reader, 1000))
			continue;
		times[count++] = (now() - start) * 1e6;
		left = start + 0.001 - now();
		if (left > 0)
			nanosleep(&(struct timespec){.tv_nsec = (long)(left * 1e9)}, NULL);
	}
	(void)reader_stop(&reader, &sleeps);
	*ret_p50 = bench_percentile(times, count, 50);
	*ret_p99 = bench_percentile(times, count, 99);
	close(fd);
	unlink(path);
}

/* How often it wakes up in a second of appends of 100 bytes. */
static double run_storm(double *ret_cpu_ns)
{
	char path[64], line[100];
	struct reader reader;
	long sleeps;
	size_t bytes = 0;
	int fd = make_file(path);
	double sec, cpu, start;
	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\n';
	reader_start(&reader, path, true);
	reader_sync(&reader, fd);
	start = now();
	while (now() - start < STORM_SEC) {
		put(fd, line, sizeof line);
		bytes += sizeof line;
	}
	sec = now() - start;
	cpu = reader_stop(&reader, &sleeps);
	*ret_cpu_ns = cpu * 1e9 / (double)bytes;
	close(fd);
	unlink(path);
	return (double)sleeps / sec;
}

int main(void)
{
	double cpu[ROUNDS], p50[ROUNDS], p99[ROUNDS], ours[ROUNDS], our_p50[ROUNDS],
	    our_p99[ROUNDS];
	double storm[ROUNDS], ns;
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < ROUNDS; i++) {
		double their_p50, their_p99;
		ours[i] = run_bulk(true);
		cpu[i] = ours[i] / run_bulk(false);
		ours[i] *= 1024.0 * 1024 * 1024 / BULK_BYTES;
		run_latency(true, &our_p50[i], &our_p99[i]);
		run_latency(false, &their_p50, &their_p99);
		p50[i] = our_p50[i] / their_p50;
		p99[i] = our_p99[i] / their_p99;
		storm[i] = run_storm(&ns);
	}
	bench_row("follow_cpu", bench_median(cpu, ROUNDS), "x", "%.2f s per GiB",
	    bench_median(ours, ROUNDS));
	bench_row(
	    "follow_p50", bench_median(p50, ROUNDS), "x", "%.0f us", bench_median(our_p50, ROUNDS));
	bench_row(
	    "follow_p99", bench_median(p99, ROUNDS), "x", "%.0f us", bench_median(our_p99, ROUNDS));
	bench_row("follow_wakeups", bench_median(storm, ROUNDS), "/s", "%.1f ns/B", ns);
	return 0;
}
