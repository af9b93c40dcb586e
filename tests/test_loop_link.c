/* SPDX-License-Identifier: ISC */
/* A link on the event loop, with a daemon that hangs, closes, floods and answers wrongly. */
#include "client/loop_link.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tap.h"

enum { WAIT_MS = 20000 };

static char top[64] = "/tmp/muxbus-test-XXXXXX";
static char path[100];
static struct event_base *base;
static int listener, daemon_fd = -1;
static unsigned ups, downs, events, answers, losses, lines;
static int last_error;
static int64_t last_seq;
static char last_line[64];
static char mebibyte[1024 * 1024]; /* a line */
static bool pauses; /* the handler pauses the link at each event */
static struct loop_link *loop_link_now;

static void on_up(void *data)
{
	(void)data;
	ups++;
}

static void on_down(void *data, int error)
{
	(void)data;
	downs++;
	last_error = error;
}

static void on_event(void *data, const struct json *params)
{
	(void)data;
	events += json_int(json_member(params, "seq"), &last_seq);
	if (pauses)
		loop_link_pause(loop_link_now, true);
}

static void on_answer(void *data, const struct json *response)
{
	(void)data;
	if (response == NULL)
		losses++;
	else
		answers += json_member(response, "result") != NULL;
}

static void on_line(void *data, const char *line, size_t len)
{
	(void)data;
	lines++;
	(void)snprintf(last_line, sizeof last_line, "%.*s", (int)len, line);
	if (strcmp(line, "call") == 0)
		loop_link_write_all(loop_link_now, mebibyte, sizeof mebibyte);
	if (strcmp(line, "end") == 0)
		loop_link_end(loop_link_now);
}

/* Frees the link, as the last handler may. */
static void on_over(void *data, int error)
{
	on_down(data, error);
	loop_link_free(loop_link_now);
	loop_link_now = NULL;
}

static const struct loop_link_handlers handlers = {.up = on_up, .down = on_down, .event = on_event};
static const struct loop_link_handlers raw_handlers = {
    .up = on_up, .down = on_over, .line = on_line};

static void turn(void)
{
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
}

static bool run_to(const unsigned *count, unsigned want)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	struct timeval tick = {.tv_usec = 5000};
	while (*count < want && clock_mono_ms() < end_ms) {
		(void)event_base_loopexit(base, &tick);
		(void)event_base_loop(base, EVLOOP_ONCE);
	}
	return *count >= want;
}

static void say(const char *bytes, size_t len)
{
	if (write(daemon_fd, bytes, len) != (ssize_t)len)
		diag("not written");
	turn();
}

/* Reads all requests. */
static void drain(void)
{
	char bytes[4096];
	while (recv(daemon_fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
		;
}

static void say_text(const char *text)
{
	say(text, strlen(text));
}

static int listen_at(const char *at, int backlog)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", at);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, backlog) < 0) {
		perror(at);
		exit(99);
	}
	return fd;
}

static void begin(const char *at, const struct loop_link_handlers *with)
{
	const struct loop_link_options options = {
	    .path = at, .line_max = 1000, .is_once = with == &raw_handlers};
	ups = downs = events = answers = losses = lines = 0;
	loop_link_now = loop_link_new(base, &options, with);
	loop_link_start(loop_link_now);
	is_int(ups + downs, 0, "nothing comes before loop_link_start() returns");
}

/* Runs until the link is connected. */
static void accept_it(unsigned want)
{
	if (!run_to(&ups, want))
		diag("not up");
	daemon_fd = accept(listener, NULL, NULL);
}

static void test_split(void)
{
	static const char script[] =
	    "{\"id\":%u,\"result\":{}}\r\n"
	    "{\"method\":\"event\",\"params\":{\"seq\":41,\"text\":\"\xc3\xa9\\n\"}}\n"
	    "no JSON\n{\"method\":\"progress\",\"params\":{\"seq\":1}}\n{\"id\":\"x\"}\n[]\n\n"
	    "{\"id\":%u,\"result\":{}}\n{\"id\":999999,\"result\":{}}\n{\"id\":null}\n"
	    "{\"method\":\"event\",\"params\":{\"seq\":42}}\n";
	char text[512];
	unsigned failed = 0, id = 0;
	size_t len = (size_t)snprintf(text, sizeof text, script, 1, 1);
	begin(path, &handlers);
	accept_it(1);
	for (size_t at = 1; at < len; at++) {
		events = answers = 0;
		failed += !loop_link_ask(loop_link_now, "ping", NULL, on_answer, NULL);
		id++;
		len = (size_t)snprintf(text, sizeof text, script, id, id);
		say(text, at);
		say(text + at, len - at);
		failed += events != 2 || answers != 1 || last_seq != 42;
	}
	ok(id > 200, "a script in two pieces, %u times", id);
	is_int(failed, 0, "wherever it is cut, each answer comes once and each event");
}

static void test_bytes(void)
{
	static const char line[] = "{\"id\":%u,\"result\":{}}\n";
	char text[64], sent[4096];
	size_t len;
	drain();
	answers = 0;
	ok(loop_link_ask(loop_link_now, "ping", "{\"a\":1}", on_answer, NULL), "a request");
	len = (size_t)read(daemon_fd, sent, sizeof sent - 1);
	sent[len] = '\0';
	ok(strstr(sent, ",\"method\":\"ping\",\"params\":{\"a\":1}}\n") != NULL, "is sent: %s",
	    sent);
	len = (size_t)snprintf(
	    text, sizeof text, line, (unsigned)strtoul(strstr(sent, "\"id\":") + 5, NULL, 10));
	for (size_t at = 0; at < len; at++) {
		is_int(answers, 0, "byte %zu", at);
		say(text + at, 1);
	}
	is_int(answers, 1, "its answer came byte by byte");
}

static void test_pause(void)
{
	static const char line[] = "{\"method\":\"event\",\"params\":{\"seq\":1}}\n";
	char many[sizeof line * 3];
	loop_link_pause(loop_link_now, true);
	events = 0;
	say_text(line);
	is_int(events, 0, "a paused link reads nothing");
	loop_link_pause(loop_link_now, false);
	turn();
	is_int(events, 1, "then it reads on");
	(void)snprintf(many, sizeof many, "%s%s%s", line, line, line);
	pauses = true;
	events = 0;
	say_text(many);
	is_int(events, 1, "a handler pauses it");
	loop_link_pause(loop_link_now, false);
	is_int(events, 2, "the next line was there");
	pauses = false;
	loop_link_pause(loop_link_now, false);
	is_int(events, 3, "and the last");
}

static void test_loss(void)
{
	static const char ending[] = "{\"id\":null,\"error\":{\"data\":{\"daemon_ends\":true}}}\n";
	answers = losses = 0;
	ok(loop_link_ask(loop_link_now, "ping", NULL, on_answer, NULL),
	    "a request without an answer");
	say_text(ending);
	is_int(losses + answers, 0, "a daemon that ends says so");
	drain(); /* else the kernel says that the connection was reset */
	say_text("{\"method\":\"event\",\"params\":{\"seq\":7}}\nhalf");
	(void)close(daemon_fd);
	ok(run_to(&downs, 1), "and closes");
	is_int(last_seq, 7, "behind its last line");
	is_int(last_error, 0, "in order");
	is_int(losses, 1, "which ends the request");
	ok(!loop_link_is_up(loop_link_now), "the link is down");
	ok(!loop_link_ask(loop_link_now, "ping", NULL, on_answer, NULL), "and takes no request");
	accept_it(2);
	ok(loop_link_is_up(loop_link_now), "it connects again");
	loop_link_pause(loop_link_now, true);
	(void)close(daemon_fd);
	turn();
	is_int(downs, 1, "a paused link sees no end");
	loop_link_pause(loop_link_now, false);
	ok(run_to(&downs, 2), "until it goes on");
	accept_it(3);
}

static void test_long_line(void)
{
	char text[1100];
	memset(text, 'x', sizeof text);
	(void)loop_link_ask(loop_link_now, "ping", NULL, on_answer, NULL);
	losses = 0;
	say(text, sizeof text);
	is_int(downs, 3, "a line that is too long");
	is_int(last_error, EMSGSIZE, "ends the link");
	is_int(losses, 1, "and its requests");
	(void)close(daemon_fd);
	accept_it(4);
}

static void test_unread(void)
{
	unsigned before = answers + losses;
	int count = 0;
	memset(mebibyte, ' ', sizeof mebibyte);
	mebibyte[sizeof mebibyte - 1] = '\n';
	while (count < 100 && loop_link_write(loop_link_now, mebibyte, sizeof mebibyte))
		count++;
	ok(count >= 15 && count <= 17, "a daemon that hangs has %d MiB waiting", count);
	ok(loop_link_is_up(loop_link_now), "the link is not lost by that");
	ok(!loop_link_ask(loop_link_now, "ping", NULL, on_answer, NULL), "a request is refused");
	is_int((int)(answers + losses - before), 0, "and gets no answer");
	for (size_t left = sizeof mebibyte * (size_t)count; left > 0;) {
		static char bytes[64 * 1024];
		ssize_t n = recv(daemon_fd, bytes, sizeof bytes, MSG_DONTWAIT);
		left -= n > 0 ? (size_t)n : 0;
		turn();
	}
	ok(loop_link_ask(loop_link_now, "ping", NULL, on_answer, NULL),
	    "after reading, it is taken");
	loop_link_free(loop_link_now);
	(void)close(daemon_fd);
}

/* A daemon that reads only what comes after its own output, and a handler that waits for room. */
static void test_both_full(void)
{
	enum { LINES = 100000 };
	pid_t pid;
	begin(path, &raw_handlers);
	accept_it(1);
	while (loop_link_write(loop_link_now, mebibyte, sizeof mebibyte))
		;
	pid = fork();
	if (pid == 0) {
		for (int count = 0; count < LINES; count++)
			if (write(daemon_fd, count == 0 ? "call\n" : "line of more bytes\n",
				count == 0 ? 5 : 19) <= 0)
				_exit(1);
		while (read(daemon_fd, mebibyte, sizeof mebibyte) > 0)
			;
		_exit(0);
	}
	ok(run_to(&lines, LINES), "a handler that waits for room: %u lines come", lines);
	is_int(downs, 0, "and the link is not lost");
	loop_link_free(loop_link_now);
	(void)close(daemon_fd);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* A daemon that is gone: what it wrote before is still read. */
static void test_cut(void)
{
	static const char line[] = "{\"method\":\"event\",\"params\":{\"seq\":9}}\n";
	begin(path, &handlers);
	accept_it(1);
	if (write(daemon_fd, line, sizeof line - 1) != sizeof line - 1)
		diag("not written");
	(void)close(daemon_fd);
	losses = 0;
	ok(loop_link_ask(loop_link_now, "ping", NULL, on_answer, NULL),
	    "a request that is not read");
	ok(!loop_link_is_up(loop_link_now), "no more is taken");
	ok(run_to(&downs, 1) && last_seq == 9 && losses == 1, "the last line is read");
	loop_link_free(loop_link_now);
}

static void test_once(void)
{
	begin(path, &raw_handlers);
	accept_it(1);
	say_text("one\r\ntwo\n");
	is_int(lines, 2, "lines as they are");
	is_str(last_line, "two", "without their ends");
	say_text("end\nlater\n");
	is_int(lines, 3, "none comes behind loop_link_end()");
	ok(run_to(&downs, 1), "but the end");
	is_int(last_error, 0, "of no error");
	(void)close(daemon_fd);
	begin("/tmp/muxbus-test/none", &raw_handlers);
	ok(run_to(&downs, 1) && last_error == ENOENT, "a path without a socket");
	ok(loop_link_now == NULL, "each is freed by its last handler");
}

static void test_refusals(void)
{
	char other[120];
	int fds[8], fd, count = 0;
	(void)snprintf(other, sizeof other, "%s/full", top);
	fd = listen_at(other, 0);
	while (count < 8 && (fds[count] = link_connect(other, 10)) >= 0)
		count++;
	ok(count < 8 && errno == EAGAIN, "a listener that accepts nothing is waited for 10 ms");
	begin(other, &raw_handlers);
	ok(run_to(&downs, 1) && last_error == EAGAIN, "and not at all on the loop");
	while (count > 0)
		(void)close(fds[--count]);
	(void)close(fd);
	if (geteuid() != 0) {
		skip("only root can be another user");
		return;
	}
	(void)snprintf(other, sizeof other, "%s/theirs", top);
	fd = listen_at(other, 5);
	if (seteuid(12345) != 0 || listen(fd, 5) < 0 || seteuid(0) != 0)
		diag("cannot listen as another user");
	begin(other, &raw_handlers);
	ok(run_to(&downs, 1) && last_error == EPERM, "another user's socket is refused");
	is_int(ups, 0, "before it was up");
	(void)close(fd);
}

int main(void)
{
	char command[96];
	if (mkdtemp(top) == NULL)
		skip_all("no directory to work in");
	(void)snprintf(path, sizeof path, "%s/socket", top);
	base = event_base_new();
	listener = listen_at(path, 5);
	test_split();
	test_bytes();
	test_pause();
	test_loss();
	test_long_line();
	test_unread();
	test_both_full();
	test_cut();
	test_once();
	test_refusals();
	event_base_free(base);
	(void)close(listener);
	(void)snprintf(command, sizeof command, "rm -r %s", top);
	if (system(command) != 0)
		diag("%s is left", top);
	return done_testing();
}
