/* SPDX-License-Identifier: ISC */
/* Medians, rows, and the raw control client. */
#include "bench.h"
#include "turns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "live/guardian.h"

enum { RAW_BYTES = 256 * 1024 };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

double bench_percentile(double *values, size_t count, double percent)
{
	size_t index;
	if (count == 0)
		return 0;
	qsort(values, count, sizeof *values, compare);
	index = (size_t)((double)count * percent / 100);
	return values[index < count ? index : count - 1];
}

double bench_median(double *values, size_t count)
{
	return bench_percentile(values, count, 50);
}

static void print_note(const char *note, va_list args)
{
	(void)vprintf(note, args);
	(void)printf("\n");
	(void)fflush(stdout);
}

void bench_row(const char *name, double value, const char *unit, const char *note, ...)
{
	va_list args;
	(void)printf("%s %.6g %s ", name, value, unit);
	va_start(args, note);
	print_note(note, args);
	va_end(args);
}

static void print_rounds(const char *name, double *values, size_t count, const char *unit)
{
	double median = bench_median(values, count);
	if (count == 0)
		live_bail("%s: no rounds", name);
	(void)printf(
	    "%s %.6g %s [%.6g %.6g %zu] ", name, median, unit, values[0], values[count - 1], count);
}

void bench_rounds(
    const char *name, double *values, size_t count, const char *unit, const char *note, ...)
{
	va_list args;
	print_rounds(name, values, count, unit);
	va_start(args, note);
	print_note(note, args);
	va_end(args);
}

void bench_pairs(const char *name, double *ours, double *theirs, size_t count, const char *unit,
    const char *note, ...)
{
	double *ratios = xcalloc(count, sizeof *ratios);
	va_list args;
	for (size_t i = 0; i < count; i++)
		ratios[i] = ours[i] / theirs[i];
	print_rounds(name, ratios, count, "x");
	mem_free(ratios);
	if (unit != NULL)
		(void)printf("%.3g against %.3g %s; ", bench_median(ours, count),
		    bench_median(theirs, count), unit);
	va_start(args, note);
	print_note(note, args);
	va_end(args);
}

void bench_absent(const char *name, const char *why, ...)
{
	va_list args;
	(void)printf("%s - - ", name);
	va_start(args, why);
	print_note(why, args);
	va_end(args);
}

static const char *turns_path(const struct live *live)
{
	static char path[PATH_MAX];
	(void)snprintf(path, sizeof path, "%s/turns", live->dir);
	return path;
}

void bench_start_recording(struct live *live, const char *arguments)
{
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	char library[PATH_MAX];
	(void)snprintf(library, sizeof library, "%s/tests/bench/.libs/turns.so", dir);
	(void)setenv("LD_PRELOAD", library, 1);
	(void)setenv("MUXBUS_TURNS", turns_path(live), 1);
	live_start_daemon(live, arguments);
	(void)unsetenv("LD_PRELOAD");
	(void)unsetenv("MUXBUS_TURNS");
}

struct bench_turns bench_stop_recording(struct live *live, double percent)
{
	static double wall[1 << 20], own[1 << 20];
	struct bench_turns turns = {0};
	struct turn turn;
	FILE *file;
	(void)live_stop_daemon(live, SIGTERM);
	file = fopen(turns_path(live), "r");
	while (file != NULL && turns.count < 1 << 20 && fread(&turn, sizeof turn, 1, file) == 1) {
		wall[turns.count] = turn.wall_us / 1e3;
		own[turns.count++] = (turn.wall_us - turn.queued_us) / 1e3;
		if (turn.cpu_us / 1e3 > turns.cpu_max_ms)
			turns.cpu_max_ms = turn.cpu_us / 1e3;
	}
	if (turns.count == 0)
		live_bail("no turns were recorded");
	(void)fclose(file);
	turns.wall_ms = bench_percentile(wall, turns.count, percent);
	turns.own_ms = bench_percentile(own, turns.count, percent);
	turns.wall_max_ms = wall[turns.count - 1];
	turns.own_max_ms = own[turns.count - 1];
	return turns;
}

const char *bench_tmux(void)
{
	const char *path = getenv("MUXBUS_BENCH_TMUX");
	return path == NULL ? live_tmux_path() : path;
}

const char *bench_self(void)
{
	static char path[4096];
	if (path[0] == '\0' && readlink("/proc/self/exe", path, sizeof path - 1) <= 0)
		live_bail("no /proc");
	return path;
}

/* The raw control client. */

struct raw *raw_new(struct live *live, const char *flags)
{
	struct raw *raw = xcalloc(1, sizeof *raw);
	int in[2];
	int out[2];
	if (pipe2(in, O_CLOEXEC) == -1 || pipe2(out, O_CLOEXEC) == -1)
		live_bail("pipe: %s", strerror(errno));
	(void)fcntl(out[0], F_SETPIPE_SZ, 1024 * 1024);
	(void)fflush(stdout);
	raw->pid = fork();
	if (raw->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)dup2(in[0], 0);
		(void)dup2(out[1], 1);
		(void)unsetenv("TMUX");
		(void)execl(live->tmux, live->tmux, "-u", "-S", live->tmux_socket, "-C",
		    "attach-session", "-E", "-f", flags, (char *)NULL);
		_exit(127);
	}
	guardian_process(raw->pid);
	(void)close(in[0]);
	(void)close(out[1]);
	raw->to_fd = in[1];
	raw->from_fd = out[0];
	raw->bytes = xalloc(RAW_BYTES + 1);
	while (raw_read(raw, LIVE_TIMEOUT_MS)) {
		if (memmem(raw->bytes, raw->len, "%session-changed", 16) != NULL)
			return raw;
	}
	live_bail("tmux -C does not attach");
}

void raw_free(struct raw *raw)
{
	int status;
	(void)close(raw->to_fd);
	while (raw_read(raw, 1000))
		;
	(void)kill(raw->pid, SIGKILL);
	(void)waitpid(raw->pid, &status, 0);
	(void)close(raw->from_fd);
	mem_free(raw->bytes);
	mem_free(raw);
}

bool raw_read(struct raw *raw, int timeout_ms)
{
	struct pollfd wait = {.fd = raw->from_fd, .events = POLLIN};
	ssize_t n;
	raw->len = 0;
	if (timeout_ms >= 0 && poll(&wait, 1, timeout_ms) <= 0)
		return false;
	n = read(raw->from_fd, raw->bytes, RAW_BYTES);
	if (n <= 0)
		return false;
	raw->len = (size_t)n;
	raw->bytes[n] = '\0';
	return true;
}

void raw_run(struct raw *raw, const char *lines, size_t replies)
{
	size_t len = strlen(lines);
	if (write(raw->to_fd, lines, len) != (ssize_t)len)
		live_bail("tmux -C takes nothing");
	while (replies > 0) {
		if (!raw_read(raw, LIVE_TIMEOUT_MS))
			live_bail("tmux -C does not answer");
		for (char *p = raw->bytes; (p = strstr(p, "%end ")) != NULL && replies > 0; p++)
			replies--;
	}
}
