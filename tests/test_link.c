/* SPDX-License-Identifier: ISC */
/* The link: errors of a socket, and lines in pieces of any size. */
#include "client/link.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/ask.h"
#include "cli/locate.h"
#include "tap.h"

static char top[64] = "/tmp/muxbus-test-XXXXXX";
static char path[100];
static char reason[4096 + 512];
static int listener;
static int daemon_fd; /* the other side of the link */
static struct link *link_now;

static int listen_at(const char *at)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", at);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 5) < 0) {
		perror(at);
		exit(99);
	}
	return fd;
}

static void connect_both(void)
{
	if (link_open(&link_now, path, reason, sizeof reason) != LINK_OK) {
		fprintf(stderr, "%s\n", reason);
		exit(99);
	}
	daemon_fd = accept(listener, NULL, NULL);
}

static void end_both(void)
{
	link_close(link_now);
	close(daemon_fd);
}

static void say_bytes(const char *text, size_t len)
{
	if (write(daemon_fd, text, len) != (ssize_t)len)
		diag("not written");
}

static void say(const char *text)
{
	say_bytes(text, strlen(text));
}

static void test_states(void)
{
	char other[120];
	struct link *link;
	(void)snprintf(other, sizeof other, "%s/none", top);
	is_int(link_open(&link, other, reason, sizeof reason), LINK_NO_SOCKET, "%s", other);
	ok(strstr(reason, "there is no socket at"), "%s", reason);
	(void)snprintf(other, sizeof other, "%s/dead", top);
	close(listen_at(other));
	is_int(link_open(&link, other, reason, sizeof reason), LINK_DEAD, "%s", other);
	ok(strstr(reason, "no daemon listens at"), "%s", reason);
	is_int(link_open(&link, top, reason, sizeof reason), LINK_FAILED, "a directory");
	ok(strstr(reason, "not a socket"), "%s", reason);
	memset(other, 'x', sizeof other - 1);
	other[0] = '/';
	other[sizeof other - 1] = '\0';
	is_int(link_open(&link, other, reason, sizeof reason), LINK_FAILED, "too long a path");
	ok(link == NULL, "then there is no link");
}

/* The client does not speak to a listener that another user made. */
static void test_others(void)
{
	char other[120];
	struct link *link;
	int fd;
	if (geteuid() != 0) {
		skip("only root can be another user");
		return;
	}
	(void)snprintf(other, sizeof other, "%s/theirs", top);
	fd = listen_at(other);
	if (seteuid(12345) != 0 || listen(fd, 5) < 0 || seteuid(0) != 0)
		diag("cannot listen as somebody else");
	is_int(
	    link_open(&link, other, reason, sizeof reason), LINK_NOT_OURS, "another user's socket");
	ok(strstr(reason, "another user"), "%s", reason);
	close(fd);
}

static void test_pieces(void)
{
	static const char text[] = "{\"a\":1}\n\r\n{\"b\":\"\303\251\"}\r\nrest\n";
	static const char *const want[] = {"{\"a\":1}", "", "{\"b\":\"\303\251\"}", "rest"};
	for (size_t piece = 1; piece <= strlen(text); piece++) {
		size_t seen = 0;
		bool is_good = true;
		const char *line;
		size_t len;
		connect_both();
		for (size_t at = 0; at < strlen(text); at += piece) {
			size_t size = strlen(text) - at < piece ? strlen(text) - at : piece;
			say_bytes(text + at, size);
			link_receive(link_now);
			is_good &= link_has_input(link_now) == true;
			while (link_read_line(link_now, 0, &line, &len) == LINK_LINE) {
				is_good &= seen < 4 && strcmp(line, want[seen]) == 0 &&
				    len == strlen(line);
				seen++;
			}
		}
		close(daemon_fd);
		is_good &= link_read_line(link_now, 1000, &line, &len) == LINK_END;
		if (!is_good || seen != 4)
			ok(false, "pieces of %zu bytes: %zu lines", piece, seen);
		link_close(link_now);
	}
	ok(true, "lines in pieces of every size");
}

static void test_deadlines(void)
{
	const char *line;
	size_t len;
	connect_both();
	is_int(link_read_line(link_now, 20, &line, &len), LINK_LATE, "nothing came in time");
	say("half");
	is_int(link_read_line(link_now, 20, &line, &len), LINK_LATE, "nor has half a line");
	say("\n");
	is_int(link_read_line(link_now, 5000, &line, &len), LINK_LINE, "the rest");
	is_str(line, "half", "is kept");
	say("cut");
	close(daemon_fd);
	is_int(link_read_line(link_now, 5000, &line, &len), LINK_END,
	    "half a line at the end is none");
	is_int(link_read_line(link_now, 0, &line, &len), LINK_END, "and it stays at the end");
	ok(link_request(link_now, "x", NULL) == 0, "a closed daemon: an error, and no signal");
	link_close(link_now);
}

/* A daemon that does not answer: a signal ends the wait, unless the answer comes soon. */
static void test_heeded(void)
{
	struct link_answer answer;
	const char *line;
	size_t len;
	int signals[2];
	int64_t begun;
	connect_both();
	if (pipe(signals) < 0 || write(signals[1], "2", 1) != 1)
		exit(99);
	link_heed(signals[0]);
	begun = clock_mono_ms();
	is_int(link_ask(link_now, "ping", NULL, 30000, &answer), LINK_SIGNAL, "a signal has come");
	ok(clock_mono_ms() - begun < 20000, "the wait ends before its time");
	say("{\"id\":2,\"result\":{}}\n");
	is_int(link_ask(link_now, "ping", NULL, 30000, &answer), LINK_LINE,
	    "what is answered is read all the same");
	is_int(
	    link_read_line(link_now, 0, &line, &len), LINK_LATE, "and who does not wait is late");
	link_heed(-1);
	close(signals[0]);
	close(signals[1]);
	end_both();
}

static void count_other(void *data, const struct json *message, const char *line, size_t len)
{
	(void)line;
	(void)len;
	*(int *)data += json_member(message, "method") != NULL;
}

static void test_answers(void)
{
	char sent[256] = "";
	int others = 0;
	struct link_answer answer;
	static const char said[] =
	    "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":5,\"s\":\"x\"}}\n";
	uint64_t id;
	connect_both();
	link_set_other(link_now, count_other, &others);
	id = link_request(link_now, "ping", "{\"a\":1}");
	is_int((long long)id, 1, "the first request");
	ok(read(daemon_fd, sent, sizeof sent - 1) > 0, "is sent");
	is_str(sent, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":1}}\n",
	    "as one line");
	say(said);
	is_int(link_await(link_now, id, 5000, &answer), LINK_LINE, "its answer is found");
	is_int(json_get_int(answer.result, "n", 0), 5, "with its result");
	is_str(json_get_str(answer.result, "s", ""), "x", "and all of it");
	is_str(json_get_str(answer.result, "n", "other"), "other", "a number is no string");
	is_int(json_get_int(answer.result, "none", -7), -7, "a missing member");
	is_int(others, 1, "an event before the answer is reported");
	say("{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"m\"}}\n");
	is_int(link_await(link_now, id, 5000, &answer), LINK_LINE, "an error without an id");
	ok(answer.error != NULL && answer.result == NULL, "is ours");
	say("{\"id\":\"1\",\"result\":{}}\n{\"id\":1,\"method\":\"x\"}\n{\"id\":1}\n");
	is_int(link_await(link_now, id, 5000, &answer), LINK_BROKEN,
	    "an answer with neither result nor error");
	is_int(errno, EPROTO, "is one, and wrong");
	say("no json\n");
	is_int(link_await(link_now, id, 5000, &answer), LINK_BROKEN, "invalid JSON");
	is_int(errno, EPROTO, "is reported");
	is_int(link_await(link_now, id, 10, &answer), LINK_LATE, "nothing more");
	end_both();
}

/* A daemon that has no room for a program says so, and closes before it reads. */
static void test_refused(void)
{
	struct link_answer answer;
	connect_both();
	say("{\"id\":null,\"error\":{\"code\":17,\"message\":\"busy\"}}\n");
	close(daemon_fd);
	is_int(link_ask(link_now, "ping", NULL, 5000, &answer), LINK_LINE,
	    "why a connection is refused is read");
	is_str(json_get_str(answer.error, "message", ""), "busy", "as the daemon wrote it");
	link_close(link_now);
	connect_both();
	close(daemon_fd);
	is_int(link_ask(link_now, "ping", NULL, 5000, &answer), LINK_BROKEN, "without a word");
	is_int(errno, EPIPE, "the error is that of writing");
	link_close(link_now);
}

/* An answer that comes in two pieces, and then once more. */
static void test_split_answers(void)
{
	static const char form[] = "{\"id\":%d,\"result\":{\"s\":\"\303\251\"}}\r\n";
	char text[64];
	int failed = 0;
	struct link_answer answer;
	connect_both();
	for (size_t at = 1; at < sizeof form - 2; at++) {
		uint64_t id = link_request(link_now, "ping", NULL);
		int len = snprintf(text, sizeof text, form, (int)id);
		say_bytes(text, at);
		failed += link_await(link_now, id, 0, &answer) != LINK_LATE;
		say_bytes(text + at, (size_t)len - at);
		say(text);
		failed += link_await(link_now, id, 5000, &answer) != LINK_LINE ||
		    strcmp(json_get_str(answer.result, "s", ""), "\303\251") != 0;
	}
	is_int(failed, 0, "answers in two pieces, wherever they are cut, and twice");
	end_both();
}

/* A daemon that reads slowly gets a request that is larger than all buffers. */
static void test_large(void)
{
	enum { SIZE = 8 * 1024 * 1024 };
	static char params[SIZE], bytes[64 * 1024];
	size_t total = 0;
	ssize_t n;
	int status = -1;
	pid_t pid;
	memset(params, ' ', SIZE - 1);
	params[0] = '{';
	params[SIZE - 2] = '}';
	connect_both();
	pid = fork();
	if (pid == 0) {
		link_close(link_now); /* the parent's */
		while ((n = read(daemon_fd, bytes, sizeof bytes)) > 0 && bytes[n - 1] != '\n') {
			total += (size_t)n;
			(void)poll(NULL, 0, total < SIZE / 8 ? 5 : 0);
		}
		_exit(n > 0 && total + (size_t)n > SIZE ? 0 : 1);
	}
	ok(link_request(link_now, "ping", params) != 0, "a large request is sent");
	ok(waitpid(pid, &status, 0) == pid && status == 0, "whole, to a slow daemon");
	end_both();
}

/* A daemon that writes without end and does not read: what a sender receives meanwhile is bounded. */
static void test_flooded(void)
{
	enum { QUEUED = 4 * 1024 * 1024, FLOOD = LINK_LINE_MAX + QUEUED };
	static char lines[64 * 1024];
	int status = -1;
	pid_t pid;
	link_now = link_try(path, sizeof lines, QUEUED);
	daemon_fd = accept(listener, NULL, NULL);
	memset(lines, '\n', sizeof lines);
	pid = fork();
	if (pid == 0) {
		struct pollfd fd = {.fd = daemon_fd, .events = POLLOUT};
		size_t total = 0;
		link_close(link_now); /* the parent's */
		while (total < FLOOD && poll(&fd, 1, 500) > 0)
			total += (size_t)send(daemon_fd, lines, sizeof lines, MSG_DONTWAIT);
		_exit(total < FLOOD ? 0 : 1);
	}
	close(daemon_fd);
	for (int i = 0; i < QUEUED / (int)sizeof lines; i++)
		(void)link_queue(link_now, lines, sizeof lines);
	ok(!link_send_all(link_now), "a daemon that only writes gets no request");
	ok(waitpid(pid, &status, 0) == pid && status == 0, "and cannot fill the memory meanwhile");
	link_close(link_now);
}

/* One line may be longer than the queue, and does not make room for all later ones. */
static void test_queue(void)
{
	static char line[1000];
	link_now = link_try(path, 1024, 100);
	daemon_fd = accept(listener, NULL, NULL);
	ok(link_queue(link_now, line, sizeof line), "an empty queue takes a long line");
	ok(link_send_all(link_now), "which is sent");
	ok(link_queue(link_now, line, 100) && !link_queue(link_now, line, 1),
	    "then it is as short as before");
	end_both();
}

/* A carrier that takes no SIGTERM does not hold the program. */
static void test_carrier(void)
{
	int fds[2], ready[2];
	char byte;
	int64_t begun;
	pid_t pid;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0 || pipe(ready) < 0)
		exit(99);
	pid = fork();
	if (pid == 0) {
		(void)signal(SIGTERM, SIG_IGN);
		(void)!write(ready[1], "r", 1);
		(void)poll(NULL, 0, 20000);
		_exit(0);
	}
	(void)!read(ready[0], &byte, 1);
	begun = clock_mono_ms();
	link_close(link_new(fds[0], pid));
	ok(clock_mono_ms() - begun < 15000, "a carrier that ignores SIGTERM is killed");
	close(fds[1]);
	close(ready[0]);
	close(ready[1]);
}

/* The choice of the daemon: options, $MUXBUS, $TMUX. */
static const char *meant(const char *name, const char *tmux_path, const char *socket)
{
	static struct cli cli;
	cli = (struct cli){.tmux_name = name, .tmux_path = tmux_path};
	is_int(locate_daemon(&cli, socket), 0, "a daemon is meant");
	return strcmp(cli.tmux_socket, "/t/a") == 0 || strcmp(cli.tmux_socket, "/t/b") == 0
	    ? cli.tmux_socket + 3
	    : cli.socket;
}

static void test_locate(void)
{
	char inner[120];
	char tmux[140];
	struct cli cli = {.tmux_path = "/t/x"};
	int fd;
	unsetenv("TMUX");
	unsetenv("TMUX_TMPDIR");
	setenv("MUXBUS", "/t/a.muxbus", 1);
	is_str(meant(NULL, NULL, NULL), "a", "MUXBUS says which tmux too");
	is_str(meant(NULL, "/t/b", NULL), "b", "but -S goes first");
	is_int(locate_daemon(&cli, "/t/own.sock"), 0, "-s");
	is_str(cli.socket, "/t/own.sock", "names the socket itself");
	is_str(cli.tmux_socket, "/t/x", "and not the tmux");
	setenv("MUXBUS", "relative.muxbus", 1);
	ok(strstr(meant(NULL, NULL, NULL), "/default.muxbus"), "a relative one is no address");
	setenv("MUXBUS", "/t/a.muxbus", 1);
	setenv("TMUX", "/t/b,1,2", 1);
	is_str(meant(NULL, NULL, NULL), "a", "in a pane of a tmux without a daemon it counts");
	(void)snprintf(inner, sizeof inner, "%s/inner.muxbus", top);
	(void)snprintf(tmux, sizeof tmux, "%s/inner,1,2", top);
	fd = listen_at(inner);
	setenv("TMUX", tmux, 1);
	is_str(meant(NULL, NULL, NULL), inner,
	    "in a pane of a tmux with its own daemon it was inherited");
	setenv("MUXBUS", "/t/own.sock", 1);
	is_str(meant(NULL, NULL, NULL), "/t/own.sock", "unless it was set by hand");
	close(fd);
	unsetenv("TMUX");
	unsetenv("MUXBUS");
}

static void be_ssh(const char *text)
{
	char script[120];
	FILE *file;
	(void)snprintf(script, sizeof script, "%s/ssh", top);
	file = fopen(script, "w");
	(void)fputs(text, file);
	(void)fclose(file);
	(void)chmod(script, 0700);
	(void)setenv("MUXBUS_SSH", script, 1);
}

/* A signal ends the wait for a host that does not answer. */
static void test_signal_in_ssh(void)
{
	struct link *link;
	int signals[2];
	int64_t begun = clock_mono_ms();
	be_ssh("#!/bin/sh\nexec sleep 40\n");
	if (pipe(signals) < 0 || write(signals[1], "2", 1) != 1)
		exit(99);
	link_heed(signals[0]);
	is_int(ask_open(&link, REMOTE_PREFIX "far relay", reason, sizeof reason), LINK_FAILED,
	    "a signal while ssh connects");
	ok(clock_mono_ms() - begun < 20000, "ends the wait: %s", reason);
	link_heed(-1);
	close(signals[0]);
	close(signals[1]);
}

/* A reason is cut to its size, also that of an ssh that did not reach a host with a long name. */
static void test_long_host(void)
{
	enum { HOST_BYTES = 900, SIZE = 512 };
	char address[HOST_BYTES + 64] = REMOTE_PREFIX, area[2048];
	size_t beyond = 0;
	struct link *link;
	be_ssh("#!/bin/sh\nexit 255\n");
	memset(address + strlen(REMOTE_PREFIX), 'h', HOST_BYTES);
	strcat(address, " relay");
	memset(area, 'z', sizeof area);
	is_int(ask_open(&link, address, area, SIZE), LINK_FAILED, "ssh fails");
	ok(memchr(area, '\0', SIZE) != NULL, "the reason is ended");
	for (size_t at = SIZE; at < sizeof area; at++)
		beyond += area[at] != 'z';
	is_int((int)beyond, 0, "and nothing is written beyond");
}

int main(void)
{
	char command[100];
	if (!mkdtemp(top))
		skip_all("no directory to work in");
	(void)snprintf(path, sizeof path, "%s/sock", top);
	listener = listen_at(path);
	test_states();
	test_others();
	test_pieces();
	test_deadlines();
	test_heeded();
	test_answers();
	test_refused();
	test_split_answers();
	test_large();
	test_flooded();
	test_queue();
	test_carrier();
	test_locate();
	test_signal_in_ssh();
	test_long_host();
	close(listener);
	(void)snprintf(command, sizeof command, "rm -rf %s", top);
	return system(command) == 0 ? done_testing() : 99;
}
