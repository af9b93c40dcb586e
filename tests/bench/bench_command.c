/* SPDX-License-Identifier: ISC */
/*
 * A tmux command through the daemon, JSON in and JSON out (G7), by its open connection against the
 * same over a raw control client, through a relay that does nothing else, and against starting tmux for
 * it; and the plain round trip of a request (G9) against an echo server.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bench.h"

enum {
	ROUNDS = 7,
	RELAY_ROUNDS = 15,
	SINGLES = 300,
	SPAWNS = 40,
	DEPTH = 64,
	BATCHES = 30,
	PINGS = 2000,
	PING_DEPTH = 32
};

static const char command_line[] = "display-message -p '#{pane_id}'\n";
static const char request[] = "{\"id\":1,\"method\":\"run_tmux\",\"params\":{\"command\":["
			      "\"display-message\",\"-p\",\"#{pane_id}\"]}}\n";
static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

static double cpu_ns_of(int who)
{
	struct rusage usage;
	(void)getrusage(who, &usage);
	return ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e9 +
	    ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e3;
}

/* Sends text count times at once and reads as many lines. */
static void exchange(int fd, const char *text, size_t count)
{
	static char bytes[262144];
	size_t len = strlen(text);
	static char out[65536];
	for (size_t i = 0; i < count; i++)
		memcpy(out + i * len, text, len);
	if (write(fd, out, len * count) != (ssize_t)(len * count))
		live_bail("write: %s", strerror(errno));
	while (count > 0) {
		ssize_t n = read(fd, bytes, sizeof bytes);
		if (n <= 0)
			live_bail("the other side has closed");
		for (char *p = bytes; (p = memchr(p, '\n', (size_t)(bytes + n - p))) != NULL; p++)
			count--;
	}
}

static double exchange_p50_us(int fd, const char *text)
{
	double took_us[SINGLES];
	for (int i = 0; i < SINGLES; i++) {
		int64_t start_ns = live_now_ns();
		exchange(fd, text, 1);
		took_us[i] = (double)(live_now_ns() - start_ns) / 1e3;
	}
	return bench_median(took_us, SINGLES);
}

static double exchange_rate(int fd, const char *text, size_t depth, int batches)
{
	int64_t start_ns = live_now_ns();
	for (int i = 0; i < batches; i++)
		exchange(fd, text, depth);
	return (double)depth * batches / ((double)(live_now_ns() - start_ns) / 1e9);
}

static double raw_p50_us(struct raw *raw)
{
	double took_us[SINGLES];
	for (int i = 0; i < SINGLES; i++) {
		int64_t start_ns = live_now_ns();
		raw_run(raw, command_line, 1);
		took_us[i] = (double)(live_now_ns() - start_ns) / 1e3;
	}
	return bench_median(took_us, SINGLES);
}

static double raw_rate(struct raw *raw)
{
	char lines[DEPTH * sizeof command_line] = "";
	int64_t start_ns = live_now_ns();
	for (int i = 0; i < DEPTH; i++)
		strcat(lines, command_line);
	for (int i = 0; i < BATCHES; i++)
		raw_run(raw, lines, DEPTH);
	return (double)DEPTH * BATCHES / ((double)(live_now_ns() - start_ns) / 1e9);
}

/* The smallest possible relay between a program and a control client: no JSON, no checks. */
static void relay(int fd, struct raw *raw)
{
	static const char reply[] = "{\"id\":1,\"result\":{\"output\":\"%0\\n\",\"blocks\":1}}\n";
	static char bytes[65536], lines[DEPTH * sizeof command_line];
	int epoll_fd = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	(void)epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
	event.data.fd = raw->from_fd;
	(void)epoll_ctl(epoll_fd, EPOLL_CTL_ADD, raw->from_fd, &event);
	while (epoll_wait(epoll_fd, &event, 1, -1) == 1) {
		bool is_request = event.data.fd == fd;
		ssize_t n = is_request ? recv(fd, bytes, sizeof bytes - 1, 0)
				       : read(raw->from_fd, bytes, sizeof bytes - 1);
		const char *text = is_request ? command_line : reply;
		size_t len = strlen(text), count = 0;
		if (n <= 0)
			break;
		bytes[n] = '\0';
		for (char *p = bytes; (p = strstr(p, is_request ? "\n" : "%end ")) != NULL; p++)
			if ((count + 1) * len <= sizeof lines)
				memcpy(lines + count++ * len, text, len);
		if (count > 0 &&
		    write(is_request ? raw->to_fd : fd, lines, count * len) !=
			(ssize_t)(count * len))
			break;
	}
	_exit(0);
}

static pid_t start_relay(struct raw *raw, int *ret_fd)
{
	int fds[2];
	pid_t pid;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == -1)
		live_bail("socketpair");
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)close(fds[0]);
		relay(fds[1], raw);
	}
	(void)close(fds[1]);
	*ret_fd = fds[0];
	return pid;
}

static void stop(pid_t pid, int fd)
{
	(void)close(fd);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* Pairs of short rounds, because the machine changes its speed. */
static void bench_relay(struct live *live, int fd)
{
	struct raw *raw = raw_new(live, "ignore-size,no-output");
	double ratios[RELAY_ROUNDS], ours_us[RELAY_ROUNDS], relay_us[RELAY_ROUNDS];
	int relay_fd;
	pid_t pid = start_relay(raw, &relay_fd);
	const pid_t pids[] = {live->daemon_pid, live->server_pid, raw->pid, pid};
	bench_share_processor(true, pids, sizeof pids / sizeof *pids);
	for (int i = 0; i < RELAY_ROUNDS; i++) {
		ours_us[i] = exchange_p50_us(fd, request);
		relay_us[i] = exchange_p50_us(relay_fd, request);
		ratios[i] = ours_us[i] / relay_us[i];
	}
	bench_share_processor(false, pids, sizeof pids / sizeof *pids);
	bench_rounds("command_relay", ratios, RELAY_ROUNDS, "x", "%.0f us against %.0f us",
	    bench_median(ours_us, RELAY_ROUNDS), bench_median(relay_us, RELAY_ROUNDS));
	stop(pid, relay_fd);
	raw_free(raw);
}

/* Starts tmux for one command and reads what it prints. */
static void spawn_command(struct live *live)
{
	char *argv[] = {(char *)(uintptr_t)live->tmux, (char *)(uintptr_t) "-S", live->tmux_socket,
	    (char *)(uintptr_t) "display-message", (char *)(uintptr_t) "-p",
	    (char *)(uintptr_t) "#{pane_id}", NULL};
	char *environment[] = {(char *)(uintptr_t) "TERM=xterm", NULL};
	posix_spawn_file_actions_t actions;
	char bytes[256];
	int fds[2];
	pid_t pid;
	if (pipe(fds) == -1)
		live_bail("pipe");
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	(void)posix_spawn_file_actions_addclose(&actions, fds[0]);
	(void)posix_spawn_file_actions_addclose(&actions, fds[1]);
	if (posix_spawn(&pid, live->tmux, &actions, NULL, argv, environment) != 0)
		live_bail("spawn");
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(fds[1]);
	while (read(fds[0], bytes, sizeof bytes) > 0)
		;
	(void)close(fds[0]);
	(void)waitpid(pid, NULL, 0);
}

static double spawn_p50_us(struct live *live, double *ret_cpu_ns)
{
	double took_us[SPAWNS];
	double start_cpu_ns = cpu_ns_of(RUSAGE_CHILDREN) + cpu_ns_of(RUSAGE_SELF) +
	    (double)live_usage(live->server_pid).cpu_ns;
	for (int i = 0; i < SPAWNS; i++) {
		int64_t start_ns = live_now_ns();
		spawn_command(live);
		took_us[i] = (double)(live_now_ns() - start_ns) / 1e3;
	}
	*ret_cpu_ns = (cpu_ns_of(RUSAGE_CHILDREN) + cpu_ns_of(RUSAGE_SELF) +
			  (double)live_usage(live->server_pid).cpu_ns - start_cpu_ns) /
	    SPAWNS;
	return bench_median(took_us, SPAWNS);
}

/* CPU time of every process that takes part in one command through the daemon, in batches. */
static double daemon_cpu_ns(struct live *live, int fd)
{
	double start_ns = (double)live_usage(live->daemon_pid).cpu_ns +
	    (double)live_usage(live->server_pid).cpu_ns + cpu_ns_of(RUSAGE_SELF);
	(void)exchange_rate(fd, request, DEPTH, BATCHES);
	return ((double)live_usage(live->daemon_pid).cpu_ns +
		   (double)live_usage(live->server_pid).cpu_ns + cpu_ns_of(RUSAGE_SELF) -
		   start_ns) /
	    (DEPTH * BATCHES);
}

static void bench_commands(struct live *live, int fd)
{
	struct raw *raw = raw_new(live, "ignore-size,no-output");
	double to_raw[ROUNDS], to_spawn[ROUNDS], rate_raw[ROUNDS], rate_spawn[ROUNDS], cpu[ROUNDS];
	double ours_us[ROUNDS], raw_us[ROUNDS], spawn_us[ROUNDS], our_rate[ROUNDS],
	    their_rate[ROUNDS];
	const pid_t pids[] = {live->daemon_pid, live->server_pid, raw->pid};
	double ours;
	for (int i = 0; i < ROUNDS; i++) {
		double spawn_cpu_ns;
		bench_share_processor(true, pids, sizeof pids / sizeof *pids);
		ours_us[i] = exchange_p50_us(fd, request);
		raw_us[i] = raw_p50_us(raw);
		spawn_us[i] = spawn_p50_us(live, &spawn_cpu_ns);
		bench_share_processor(false, pids, sizeof pids / sizeof *pids);
		our_rate[i] = exchange_rate(fd, request, DEPTH, BATCHES);
		their_rate[i] = raw_rate(raw);
		to_raw[i] = ours_us[i] / raw_us[i];
		to_spawn[i] = spawn_us[i] / ours_us[i];
		rate_raw[i] = 100 * our_rate[i] / their_rate[i];
		rate_spawn[i] = our_rate[i] * spawn_us[i] / 1e6;
		cpu[i] = spawn_cpu_ns / daemon_cpu_ns(live, fd);
	}
	ours = bench_median(ours_us, ROUNDS);
	bench_rounds("command_p50", to_raw, ROUNDS, "x", "%.0f us against %.0f us", ours,
	    bench_median(raw_us, ROUNDS));
	bench_rounds("command_spawn", to_spawn, ROUNDS, "x", "%.0f us against %.0f us", ours,
	    bench_median(spawn_us, ROUNDS));
	bench_rounds("command_rate", rate_raw, ROUNDS, "%", "%.0f against %.0f a second",
	    bench_median(our_rate, ROUNDS), bench_median(their_rate, ROUNDS));
	bench_rounds("command_rate_spawn", rate_spawn, ROUNDS, "x", "one tmux after the other");
	bench_rounds("command_cpu_spawn", cpu, ROUNDS, "x", "x64, tmux's own CPU in both");
	raw_free(raw);
}

/* A request alone. */

/* The smallest possible server: epoll, read, write back. */
static pid_t start_echo(int *ret_fd)
{
	int fds[2];
	pid_t pid;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == -1)
		live_bail("socketpair");
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		static char bytes[65536];
		int epoll_fd = epoll_create1(0);
		struct epoll_event event = {.events = EPOLLIN};
		ssize_t n = 1;
		(void)close(fds[0]);
		(void)epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fds[1], &event);
		while (n > 0 && epoll_wait(epoll_fd, &event, 1, -1) == 1) {
			n = read(fds[1], bytes, sizeof bytes);
			if (n > 0 && write(fds[1], bytes, (size_t)n) != n)
				break;
		}
		_exit(0);
	}
	(void)close(fds[1]);
	*ret_fd = fds[0];
	return pid;
}

static void bench_requests(struct live *live, int fd)
{
	double ratios[ROUNDS], ours_us[ROUNDS], echo_us[ROUNDS], apart_us[ROUNDS], rates[ROUNDS];
	int echo_fd;
	pid_t pid = start_echo(&echo_fd);
	const pid_t pids[] = {live->daemon_pid, pid};
	for (int i = 0; i < ROUNDS; i++) {
		bench_share_processor(true, pids, sizeof pids / sizeof *pids);
		ours_us[i] = exchange_p50_us(fd, ping);
		echo_us[i] = exchange_p50_us(echo_fd, ping);
		bench_share_processor(false, pids, sizeof pids / sizeof *pids);
		apart_us[i] = exchange_p50_us(fd, ping);
		ratios[i] = ours_us[i] / echo_us[i];
		rates[i] = exchange_rate(fd, ping, PING_DEPTH, PINGS) / 1000;
	}
	bench_rounds("request_p50", ratios, ROUNDS, "x", "%.1f us against %.1f us",
	    bench_median(ours_us, ROUNDS), bench_median(echo_us, ROUNDS));
	bench_rounds("request_p50_apart", apart_us, ROUNDS, "us", "on any processor");
	bench_rounds("request_rate", rates, ROUNDS, "k/s", "%d at once", PING_DEPTH);
	stop(pid, echo_fd);
}

/* The same command at rest, where no connection to tmux is open: a one-shot command for each. */
static void bench_rest(struct live *rest, int rest_fd, struct live *live, int fd)
{
	const pid_t pids[] = {
	    rest->daemon_pid, rest->server_pid, live->daemon_pid, live->server_pid};
	double rest_us[ROUNDS], live_us[ROUNDS], rest_rate[ROUNDS];
	for (int is_shared = 1; is_shared >= 0; is_shared--) {
		bench_share_processor(is_shared, pids, sizeof pids / sizeof *pids);
		for (int i = 0; i < ROUNDS; i++) {
			rest_us[i] = exchange_p50_us(rest_fd, request);
			live_us[i] = exchange_p50_us(fd, request);
			rest_rate[i] = exchange_rate(rest_fd, request, DEPTH, BATCHES);
		}
		bench_pairs(is_shared ? "command_rest_shared" : "command_rest", rest_us, live_us,
		    ROUNDS, "us", "at rest");
	}
	bench_rounds("command_rest_rate", rest_rate, ROUNDS, "1/s", "x%d", DEPTH);
}

/* The cost of the record of each command: the same commands without an audit. */
static void bench_audit(int fd, int unaudited_fd)
{
	double audited[ROUNDS], unaudited[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		audited[i] = exchange_rate(fd, request, DEPTH, BATCHES);
		unaudited[i] = exchange_rate(unaudited_fd, request, DEPTH, BATCHES);
	}
	bench_pairs("command_audit", unaudited, audited, ROUNDS, "1/s", "x64, -o audit=off");
}

static struct talk *begin(struct live *live, const char *arguments)
{
	struct talk *talk;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, arguments);
	talk = talk_new(live);
	if (at(talk_call_json(talk, "run_tmux", "{\"command\":[\"display-message\",\"-p\",\"x\"]}"),
		"result") == NULL)
		live_bail("run_tmux: %s", talk_text(talk));
	return talk;
}

int main(void)
{
	struct live *live = live_new(bench_tmux()), *rest = live_new(bench_tmux()),
		    *unaudited = live_new(bench_tmux());
	struct talk *talk = begin(live, "-o attach=always"),
		    *rest_talk = begin(rest, "-o attach=never"),
		    *unaudited_talk = begin(unaudited, "-o attach=always -o audit=off");
	bench_requests(live, talk_fd(talk));
	bench_relay(live, talk_fd(talk));
	bench_commands(live, talk_fd(talk));
	bench_rest(rest, talk_fd(rest_talk), live, talk_fd(talk));
	bench_audit(talk_fd(talk), talk_fd(unaudited_talk));
	talk_free(unaudited_talk);
	live_free(unaudited);
	talk_free(rest_talk);
	talk_free(talk);
	live_free(rest);
	live_free(live);
	return 0;
}
