/* SPDX-License-Identifier: ISC */
/* Medians, rows, and the raw control client. */
#include "bench.h"
#include "turns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "live/guardian.h"

enum { RAW_BYTES = 256 * 1024, LINE_PANES = 50 };

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

/* Servers with many panes. */

void bench_fill(struct live *live, unsigned count, unsigned per_session)
{
	unsigned made = (unsigned)strtoul(live_tmux(live, "list-panes -a | wc -l"), NULL, 10);
	char want[16];
	while (made < count) {
		struct buf line;
		buf_init(&line, 65536);
		for (int i = 0; i < LINE_PANES && made < count; i++, made++) {
			if (i > 0)
				(void)buf_printf(&line, " \\; ");
			if (made % per_session == 0)
				(void)buf_printf(&line, "new-session -d -s s%u -x 80 -y 24", made);
			else if (made < per_session)
				(void)buf_printf(&line, "new-window -d -t main:");
			else
				(void)buf_printf(&line,
				    "new-window -d -t s%u:", made / per_session * per_session);
			(void)buf_printf(&line, " 'exec sleep 3600'");
		}
		live_tmux(live, "%s", (char *)line.data);
		buf_finish(&line);
	}
	(void)snprintf(want, sizeof want, "%u", count);
	if (!live_tmux_until(live, want, "list-panes -a | wc -l"))
		live_bail("no %u panes", count);
}

/* A file of /proc about a process, cut at 511 bytes; lent until the next call. */
static const char *read_proc(pid_t pid, const char *name)
{
	static char text[512];
	char path[48];
	ssize_t len = -1;
	int fd;
	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, text, sizeof text - 1);
		(void)close(fd);
	}
	if (len <= 0)
		live_bail("%s: %s", path, strerror(errno));
	text[len] = '\0';
	return text;
}

double bench_cpu_ns(pid_t pid)
{
	return strtod(read_proc(pid, "schedstat"), NULL);
}

/* A process that waits for a processor uses no CPU time, but is not at rest. */
static bool is_asleep(pid_t pid)
{
	const char *state = strrchr(read_proc(pid, "stat"), ')');
	return state != NULL && strncmp(state, ") R", 3) != 0;
}

bool bench_settle(const pid_t *pids, size_t count, int quiet_ms)
{
	int64_t now_ms = live_now_ms();
	int64_t end_ms = now_ms + LIVE_TIMEOUT_MS;
	int64_t changed_ms = now_ms;
	double before = -1;
	while (now_ms - changed_ms < quiet_ms && now_ms < end_ms) {
		double total = 0;
		bool is_quiet = true;
		for (size_t i = 0; i < count; i++) {
			total += bench_cpu_ns(pids[i]);
			is_quiet &= is_asleep(pids[i]);
		}
		now_ms = live_now_ms();
		if (!is_quiet || total != before)
			changed_ms = now_ms;
		before = total;
		live_sleep_ms(2);
	}
	return now_ms < end_ms;
}

/* Reads whatever comes until the process is killed. */
static _Noreturn void read_all(struct talk *const *talks, unsigned peers)
{
	static char bytes[65536];
	struct pollfd *waits = xcalloc(peers, sizeof *waits);
	for (unsigned i = 0; i < peers; i++)
		waits[i] = (struct pollfd){.fd = talk_fd(talks[i]), .events = POLLIN};
	while (poll(waits, peers, -1) > 0) {
		for (unsigned i = 0; i < peers; i++) {
			if (waits[i].revents != 0 && read(waits[i].fd, bytes, sizeof bytes) <= 0)
				_exit(0);
		}
	}
	_exit(0);
}

void bench_share_processor(bool is_shared, const pid_t *pids, size_t count)
{
	static cpu_set_t all;
	cpu_set_t one;
	int first = 0;
	if (CPU_COUNT(&all) == 0)
		(void)sched_getaffinity(0, sizeof all, &all);
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	if (sched_setaffinity(0, sizeof one, is_shared ? &one : &all) != 0)
		live_bail("sched_setaffinity: %s", strerror(errno));
	for (size_t i = 0; i < count; i++) {
		if (sched_setaffinity(pids[i], sizeof one, is_shared ? &one : &all) != 0)
			live_bail("sched_setaffinity of %d: %s", (int)pids[i], strerror(errno));
	}
}

pid_t bench_subscribers(struct live *live, unsigned peers, const char *const *params)
{
	int fds[2];
	char byte;
	pid_t pid;
	if (pipe2(fds, O_CLOEXEC) == -1)
		live_bail("pipe: %s", strerror(errno));
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct talk **talks = xcalloc(peers, sizeof *talks);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (unsigned i = 0; i < peers; i++) {
			talks[i] = talk_new(live);
			for (const char *const *p = params; *p != NULL; p++) {
				if (at(talk_call_json(talks[i], "subscribe", *p), "result") == NULL)
					_exit(1);
			}
		}
		if (write(fds[1], "r", 1) != 1)
			_exit(1);
		read_all(talks, peers);
	}
	(void)close(fds[1]);
	if (read(fds[0], &byte, 1) != 1)
		live_bail("subscribers do not start");
	(void)close(fds[0]);
	return pid;
}

static void relay(int fd, int wait_ms)
{
	struct itimerspec spec = {.it_value.tv_nsec = wait_ms * INT64_C(1000000)};
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t expirations;
	char byte;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fd, &byte, 1) == 1) {
		if (wait_ms > 0 &&
		    (timerfd_settime(timer, 0, &spec, NULL) < 0 ||
			read(timer, &expirations, 8) != 8))
			break;
		if (write(fd, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

int bench_hop(int wait_ms)
{
	int fds[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		live_bail("socketpair: %s", strerror(errno));
	(void)fflush(stdout);
	if (fork() == 0) {
		(void)close(fds[0]);
		relay(fds[1], wait_ms);
	}
	(void)close(fds[1]);
	return fds[0];
}

double bench_hop_us(int fd)
{
	int64_t start_ns = live_now_ns();
	char byte = 'r';
	if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1)
		live_bail("the relay has ended");
	return (double)(live_now_ns() - start_ns) / 1e3;
}

void bench_end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

double bench_spawn_ms(const char *const *argv)
{
	static char bytes[65536];
	int64_t start_ns = live_now_ns();
	posix_spawn_file_actions_t actions;
	int fds[2], status;
	pid_t pid;
	if (pipe2(fds, O_CLOEXEC) == -1)
		live_bail("pipe: %s", strerror(errno));
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ) != 0)
		live_bail("%s cannot be started", argv[0]);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(fds[1]);
	while (read(fds[0], bytes, sizeof bytes) > 0)
		;
	(void)close(fds[0]);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		live_bail("%s fails", argv[0]);
	return (double)(live_now_ns() - start_ns) / 1e6;
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
