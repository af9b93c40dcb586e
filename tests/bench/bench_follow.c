/* SPDX-License-Identifier: ISC */
/*
 * A followed file (G12): CPU, latency and wake-ups of muxbusd, asked over its socket, against
 * `tail -F | grep` on the same appends in turns; and the growth of the cost with the number of
 * watches of the file.
 */
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

enum {
	ROUNDS = 3,
	BULK_BYTES = 128 * 1024 * 1024,
	BULK_WRITE = 64 * 1024,
	LATENCIES = 1000,
	QUEUED = 10000, /* as many as the queue keeps */
	BOUND_MS = 60000,
	PATH_SIZE = 100,
	GROWTH_BYTES = 32 * 1024 * 1024,
};
#define STORM_SEC 2.0
#define PATTERN "MARK [0-9]+"

static struct live *live;
static struct talk *talk;

static double now(void)
{
	return (double)live_now_ns() / 1e9;
}

static void call(const char *method, const char *params)
{
	if (at(talk_call_json(talk, method, params), "result") == NULL)
		live_bail("%s: %s", method, talk_text(talk));
}

/* A reader of the file: the daemon through a subscription, or tail and grep through a pipe. */

struct reader {
	struct talk *events; /* NULL: tail and grep */
	pid_t pids[2];
	int fd; /* one line for each match comes here */
	char path[PATH_SIZE];
	struct live_usage before;
};

static pid_t spawn(int in, int out, const char *const argv[])
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	if (in >= 0)
		(void)dup2(in, STDIN_FILENO);
	(void)dup2(out, STDOUT_FILENO);
	(void)execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static void start_tail(struct reader *reader, const char *path)
{
	int out[2], between[2];
	const char *const tail[] = {"tail", "-n", "0", "-F", path, NULL};
	const char *const grep[] = {"grep", "--line-buffered", "-E", PATTERN, NULL};
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(between, O_CLOEXEC) < 0)
		live_bail("no pipe");
	reader->pids[0] = spawn(-1, between[1], tail);
	reader->pids[1] = spawn(between[0], out[1], grep);
	close(between[0]);
	close(between[1]);
	close(out[1]);
	reader->fd = out[0];
}

static void add_watch(const char *path, const char *regex)
{
	char params[512];
	(void)snprintf(params, sizeof params,
	    "{\"file_path\":\"%s\",\"regex\":\"%s\",\"once\":false}", path, regex);
	call("watch_log", params);
}

static void cancel_watches(const char *path)
{
	char params[PATH_SIZE + 32];
	(void)snprintf(params, sizeof params, "{\"file_path\":\"%s\"}", path);
	call("cancel_watch", params);
}

static void start_ours(struct reader *reader, const char *path)
{
	add_watch(path, PATTERN);
	reader->events = talk_new(live);
	if (at(talk_call_json(reader->events, "subscribe", "{\"kinds\":[\"notification\"]}"),
		"result") == NULL)
		live_bail("subscribe: %s", talk_text(reader->events));
	reader->fd = talk_fd(reader->events);
}

static void reader_start(struct reader *reader, const char *path, bool is_ours)
{
	*reader = (struct reader){0};
	(void)snprintf(reader->path, sizeof reader->path, "%s", path);
	if (is_ours)
		start_ours(reader, path);
	else
		start_tail(reader, path);
}

/* Waits for the end of the line of a match; false if nothing comes. */
static bool reader_wait(struct reader *reader, int timeout_ms)
{
	char bytes[65536];
	struct pollfd fd = {.fd = reader->fd, .events = POLLIN};
	ssize_t n;
	do {
		if (poll(&fd, 1, timeout_ms) <= 0)
			return false;
		n = read(reader->fd, bytes, sizeof bytes);
	} while (n > 0 && bytes[n - 1] != '\n');
	return n > 0;
}

/* Ends the reader. Returns the CPU time since reader_sync(), in seconds; and its wake-ups. */
static double reader_stop(struct reader *reader, double *ret_wakeups)
{
	double cpu = 0;
	struct live_usage after = live_usage(live->daemon_pid);
	if (reader->events != NULL) {
		cpu = (double)(after.cpu_ns - reader->before.cpu_ns) / 1e9;
		*ret_wakeups = (double)(after.wakeups - reader->before.wakeups);
		talk_free(reader->events);
		cancel_watches(reader->path);
		return cpu;
	}
	*ret_wakeups = 0;
	for (int i = 0; i < 2; i++) {
		struct rusage usage;
		kill(reader->pids[i], SIGTERM);
		if (wait4(reader->pids[i], NULL, 0, &usage) < 0)
			continue;
		cpu += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
		*ret_wakeups += (double)usage.ru_nvcsw;
	}
	close(reader->fd);
	return cpu;
}

/* The writer. */

static int make_file(char path[PATH_SIZE])
{
	int fd;
	(void)snprintf(path, PATH_SIZE, "%s/log-XXXXXX", live->dir);
	fd = mkstemp(path);
	if (fd < 0)
		live_bail("no file");
	(void)fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

static void put(int fd, const char *bytes, size_t len)
{
	if (write(fd, bytes, len) != (ssize_t)len)
		live_bail("the disk does not take it");
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
	reader->before = live_usage(live->daemon_pid);
}

/*
 * A chunk of a log of 1,000 workers. One line in fifty names a worker, as most patterns of
 * watches do; none of them matches.
 */
static void make_chunk(char chunk[BULK_WRITE])
{
	size_t len = 0;
	unsigned state = 1;
	for (unsigned i = 0; len < BULK_WRITE - 200; i++) {
		state = state * 1103515245 + 12345;
		len += (size_t)snprintf(chunk + len, BULK_WRITE - len,
		    "2026-11-21T02:15:%02u.%03u INFO request %u of host-%u done in %u ms\n", i % 60,
		    state >> 22, state >> 8, state >> 28, state >> 20 & 1023);
		if (i % 50 == 0)
			len += (size_t)snprintf(chunk + len, BULK_WRITE - len,
			    "2026-11-21T02:15:%02u.%03u WARN worker-%03u is idle\n", i % 60,
			    state >> 22, (state >> 8) % 1000);
	}
	memset(chunk + len, ' ', BULK_WRITE - len);
	chunk[BULK_WRITE - 1] = '\n';
}

static void append_bulk(struct reader *reader, int fd, size_t bytes)
{
	static char chunk[BULK_WRITE];
	if (chunk[0] == '\0')
		make_chunk(chunk);
	for (size_t done = 0; done < bytes; done += sizeof chunk)
		put(fd, chunk, sizeof chunk);
	put(fd, "MARK 1\n", 7);
	if (!reader_wait(reader, BOUND_MS))
		live_bail("no match");
}

static double run_bulk(bool is_ours)
{
	char path[PATH_SIZE];
	struct reader reader;
	double cpu, wakeups;
	int fd = make_file(path);
	reader_start(&reader, path, is_ours);
	reader_sync(&reader, fd);
	append_bulk(&reader, fd, BULK_BYTES);
	cpu = reader_stop(&reader, &wakeups);
	close(fd);
	unlink(path);
	return cpu;
}

/* From the append to the line of the match, in microseconds. */
static void run_latency(bool is_ours, double *ret_p50, double *ret_p99)
{
	static double times[LATENCIES];
	char path[PATH_SIZE], line[32];
	struct reader reader;
	size_t count = 0;
	double wakeups;
	int fd = make_file(path);
	reader_start(&reader, path, is_ours);
	reader_sync(&reader, fd);
	for (int i = 0; i < LATENCIES; i++) {
		int len = snprintf(line, sizeof line, "MARK %d\n", i);
		double start = now();
		double left;
		put(fd, line, (size_t)len);
		if (!reader_wait(&reader, BOUND_MS))
			live_bail("no match");
		times[count++] = (now() - start) * 1e6;
		left = start + 0.002 - now();
		if (left > 0)
			nanosleep(&(struct timespec){.tv_nsec = (long)(left * 1e9)}, NULL);
	}
	(void)reader_stop(&reader, &wakeups);
	*ret_p50 = bench_percentile(times, count, 50);
	*ret_p99 = bench_percentile(times, count, 99);
	close(fd);
	unlink(path);
}

static void bench_latency(const char *p50_name, const char *p99_name, const char *note)
{
	double p50[ROUNDS], p99[ROUNDS], our_p50[ROUNDS], our_p99[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		double their_p50, their_p99;
		run_latency(true, &our_p50[i], &our_p99[i]);
		run_latency(false, &their_p50, &their_p99);
		p50[i] = our_p50[i] / their_p50;
		p99[i] = our_p99[i] / their_p99;
	}
	bench_rounds(
	    p50_name, p50, ROUNDS, "x", "%.0f us, %s", bench_median(our_p50, ROUNDS), note);
	bench_rounds(
	    p99_name, p99, ROUNDS, "x", "%.0f us, %s", bench_median(our_p99, ROUNDS), note);
}

static void bench_cpu(void)
{
	double ratios[ROUNDS], ours[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		ours[i] = run_bulk(true);
		ratios[i] = ours[i] / run_bulk(false);
	}
	bench_rounds("follow_cpu", ratios, ROUNDS, "x", "%.2f s per GiB",
	    bench_median(ours, ROUNDS) * (1024.0 * 1024 * 1024 / BULK_BYTES));
}

/* How often the daemon wakes up in a second of appends of 100 bytes. */
static void bench_storm(void)
{
	char path[PATH_SIZE], line[100];
	struct reader reader;
	size_t bytes = 0;
	int fd = make_file(path);
	double sec, cpu, start, wakeups;
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
	cpu = reader_stop(&reader, &wakeups);
	bench_row("follow_wakeups", wakeups / sec, "/s", "%.1f ns/B, %.0f appends/s",
	    cpu * 1e9 / (double)bytes, (double)bytes / sizeof line / sec);
	close(fd);
	unlink(path);
}

/* The CPU time for a byte with so many watches of the file, in ns. */
static double byte_ns(int watches)
{
	char path[PATH_SIZE], regex[64];
	struct reader reader;
	int fd = make_file(path);
	double cpu, wakeups;
	reader_start(&reader, path, true);
	for (int i = 1; i < watches; i++) {
		(void)snprintf(regex, sizeof regex, "worker-%03d .*timeout ([0-9]+)", i);
		add_watch(path, regex);
	}
	reader_sync(&reader, fd);
	append_bulk(&reader, fd, GROWTH_BYTES);
	cpu = reader_stop(&reader, &wakeups);
	close(fd);
	unlink(path);
	return cpu * 1e9 / GROWTH_BYTES;
}

static void bench_growth(void)
{
	static const struct {
		const char *name;
		int watches;
	} rows[] = {
	    {"follow_watches_10", 10}, {"follow_watches_100", 100}, {"follow_watches_1000", 1000}};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		double ratios[ROUNDS], ours[ROUNDS];
		for (int i = 0; i < ROUNDS; i++) {
			double one = byte_ns(1);
			ours[i] = byte_ns(rows[row].watches);
			ratios[i] = ours[i] / one;
		}
		bench_row(rows[row].name, bench_median(ratios, ROUNDS), "x", "%.2f ns/B",
		    bench_median(ours, ROUNDS));
	}
}

static void fill_queue(void)
{
	for (int i = 0; i < QUEUED; i++)
		call("post_notification", "{\"text\":\"one of many\"}");
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	live = live_start(bench_tmux(), "exec sleep 3600");
	talk = talk_new(live);
	bench_latency("follow_p50_first", "follow_p99_first", "nothing queued at first");
	bench_cpu();
	bench_storm();
	bench_growth();
	fill_queue();
	bench_latency("follow_p50", "follow_p99", "10,000 notifications queued");
	talk_free(talk);
	live_free(live);
	return 0;
}
