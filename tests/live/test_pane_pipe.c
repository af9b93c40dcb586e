/* SPDX-License-Identifier: ISC */
/*
 * Panes that are followed by a pipe (follow=pipe), on every tmux at hand: every byte, the end of the
 * pane and of its program, the pipe of a user before and after ours, forged hand-overs, and a daemon
 * that is killed or stopped.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hand_over.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "harness.h"

enum {
	FLOOD_BYTES = 24 * 1024 * 1024, /* on the first tmux */
	SOME_BYTES = 300 * 1000,
	READ_BYTES = 4 * 1024 * 1024, /* of one answer */
	PATIENCE_MS = 60000,
	FRESH_PANES = 100,
	KILL_MS = 1000,
};

#define ARGUMENTS "-o follow=pipe -o ring_bytes=67108864"

struct piped {
	struct live *live;
	struct talk *talk;
	char pane[16];
};

/* A pane with a program that starts when go() is called. */
static void make(struct piped *piped, const char *command)
{
	const char *made;
	(void)live_run(piped->live, "rm -f go go.on; mkfifo go go.on");
	made = live_tmux(piped->live,
	    "new-window -dP -F '#{pane_id}' -t main: 'stty raw -echo; read x <%s/go; %s'",
	    piped->live->dir, command);
	(void)snprintf(piped->pane, sizeof piped->pane, "%s", made);
}

static void go(struct piped *piped)
{
	(void)live_run(piped->live, "echo go >go");
}

static const struct json *read_after(struct piped *piped, int64_t after)
{
	return talk_call(piped->talk, "read_output",
	    "{\"pane\":\"%s\",\"after\":%lld,\"max_bytes\":%d,\"encoding\":\"base64\"}",
	    piped->pane, (long long)after, READ_BYTES);
}

static int64_t piped_panes(struct piped *piped)
{
	return at_int(talk_call(piped->talk, "status", NULL), "result.streams.piped");
}

/* Begins to follow the pane, when the daemon knows it; false if its output does not flow. */
static bool follow(struct piped *piped)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(2)) {
		const struct json *answer = read_after(piped, 0);
		const struct json *gap = at(answer, "result.gap");
		if (at(answer, "result") != NULL && (gap == NULL || gap->type != JSON_OBJECT))
			return true;
	}
	diag("%s is not followed: %.300s", piped->pane, talk_text(piped->talk));
	return false;
}

static bool is_piped(struct piped *piped, const char *want)
{
	return live_tmux_until(
	    piped->live, want, "display-message -p -t %s '#{pane_pipe}'", piped->pane);
}

/* Reads the output from an offset on until it ends with text. The reason of the first gap, or "". */
static const char *read_until(
    struct piped *piped, int64_t after, const char *text, size_t least, struct buf *ret_bytes)
{
	static char reason[32];
	int64_t end_ms = live_now_ms() + PATIENCE_MS;
	reason[0] = '\0';
	buf_init(ret_bytes, 2 * (size_t)FLOOD_BYTES);
	while (live_now_ms() < end_ms) {
		const struct json *answer = read_after(piped, after);
		const char *bytes = at_str(answer, "result.base64");
		const char *gap = at_str(answer, "result.gap.reason");
		size_t len = strlen(text);
		if (gap != NULL && reason[0] == '\0')
			(void)snprintf(reason, sizeof reason, "%s", gap);
		if (bytes != NULL)
			(void)base64_decode(ret_bytes, bytes, strlen(bytes));
		if (at(answer, "result") != NULL)
			after = at_int(answer, "result.to");
		if (ret_bytes->len >= least + len &&
		    memcmp(ret_bytes->data + ret_bytes->len - len, text, len) == 0)
			return reason;
		live_sleep_ms(2);
	}
	diag("%s: %zu bytes: %.200s", piped->pane, ret_bytes->len, talk_text(piped->talk));
	return "no end";
}

/* The same with a message for the output alone, which is short. */
static void check_text(
    struct piped *piped, int64_t after, const char *want, const char *gap, const char *what)
{
	struct buf bytes;
	is_str(read_until(piped, after, want, 0, &bytes), gap, "tmux %s: %s: %s",
	    piped->live->version, what, gap[0] ? "with a gap" : "without a gap");
	buf_finish(&bytes);
}

static int64_t end_of(struct piped *piped)
{
	return at_int(read_after(piped, 0), "result.end");
}

/* Text that a terminal shows as it is; no part is like another. */
static char *make_text(struct live *live, size_t len)
{
	char *text = xalloc(len + 1), path[96];
	FILE *file;
	uint32_t state = 12345;
	for (size_t i = 0; i < len; i++) {
		state = state * 1664525 + 1013904223;
		text[i] = i % 79 == 78 ? '\n' : (char)(' ' + (state >> 24) % 95);
	}
	text[len] = '\0';
	(void)snprintf(path, sizeof path, "%s/text", live->dir);
	file = fopen(path, "we");
	if (file == NULL || fwrite(text, 1, len, file) != len || fclose(file) != 0)
		live_bail("%s", path);
	return text;
}

static void test_bytes(struct piped *piped, size_t len)
{
	struct live *live = piped->live;
	char *text = make_text(live, len);
	struct buf bytes;
	int64_t began_ms;
	make(piped, "cat text; printf THE-END; exec sleep 3600");
	ok(follow(piped) && is_piped(piped, "1"), "tmux %s: a pane is piped", live->version);
	is_int(piped_panes(piped), 1, "tmux %s: status counts it", live->version);
	is_int(at_int(talk_call(piped->talk, "status", NULL), "result.tmux.output_connections"), 0,
	    "tmux %s: no connection has its output", live->version);
	began_ms = live_now_ms();
	go(piped);
	is_str(read_until(piped, 0, "THE-END", len, &bytes), "", "tmux %s: its output has no gap",
	    live->version);
	diag("tmux %s: %zu bytes in %d ms", live->version, len, (int)(live_now_ms() - began_ms));
	ok(bytes.len == len + 7 && memcmp(bytes.data, text, len) == 0,
	    "tmux %s: %zu bytes are those of the writer", live->version, len);
	buf_finish(&bytes);
	mem_free(text);
}

static void test_respawn(struct piped *piped)
{
	struct live *live = piped->live;
	int64_t end = end_of(piped);
	(void)live_tmux(live, "respawn-pane -k -t %s 'printf again; exec sleep 3600'", piped->pane);
	check_text(piped, end, "again", "", "the pipe outlives respawn-pane");
	is_int(piped_panes(piped), 1, "tmux %s: it is the same pipe", live->version);
}

/* Waits until a program has written all, and a file. */
static bool await_written(const struct live *live)
{
	char path[96];
	struct stat st = {0};
	(void)snprintf(path, sizeof path, "%s/written", live->dir);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	     live_now_ms() < end_ms && stat(path, &st) < 0;)
		live_sleep_ms(5);
	(void)unlink(path);
	return st.st_size > 0;
}

/*
 * All output comes before the end of the pane. If the daemon is stopped meanwhile, or a gap. The
 * program does not end at once: tmux closes a pane whose last bytes the kernel still holds back.
 */
static void test_end(struct piped *piped, bool is_stopped)
{
	struct live *live = piped->live;
	struct talk *events = talk_new(live);
	const struct json *params;
	struct buf text;
	bool is_closed = false, has_gap = false;
	size_t want = (size_t)SOME_BYTES * (is_stopped ? 3 : 1) + 7;
	buf_init(&text, (size_t)FLOOD_BYTES);
	make(piped,
	    is_stopped ? "cat text text text; printf THE-END; echo x >written; exec sleep 3600"
		       : "cat text; printf THE-END; sleep 0.3");
	(void)follow(piped);
	(void)talk_call(events, "subscribe",
	    "{\"kinds\":[\"pane_closed\"],\"panes\":[\"%s\"],\"output\":true}", piped->pane);
	if (is_stopped)
		(void)kill(live->daemon_pid, SIGSTOP);
	go(piped);
	if (is_stopped) {
		(void)await_written(live);
		(void)live_tmux(live, "kill-pane -t %s", piped->pane);
		(void)kill(live->daemon_pid, SIGCONT);
	}
	while (!is_closed &&
	    (params = talk_event(events, LIVE_TIMEOUT_MS, NULL, NULL, NULL)) != NULL) {
		const char *output = at_str(params, "text");
		is_closed = strcmp(at_str(params, "kind"), "pane_closed") == 0;
		has_gap |= strcmp(at_str(params, "kind"), "gap") == 0;
		if (output != NULL)
			(void)buf_append(&text, output, strlen(output));
	}
	ok(is_closed &&
		(has_gap || (text.len == want && memcmp(text.data + want - 7, "THE-END", 7) == 0)),
	    "tmux %s: all output comes before the end of the pane, or a gap%s", live->version,
	    is_stopped ? ": it was killed while the daemon was stopped" : "");
	if (text.len != want)
		diag("%zu of %zu bytes, %s gap", text.len, want, has_gap ? "a" : "no");
	buf_finish(&text);
	talk_free(events);
}

static void test_wait(struct piped *piped)
{
	const struct json *answer;
	struct talk *events = talk_new(piped->live);
	make(piped, "echo; echo a line to find; printf \"\\\\007\"; exec sleep 3600");
	(void)follow(piped);
	(void)talk_call(
	    events, "subscribe", "{\"kinds\":[\"bell\"],\"panes\":[\"%s\"]}", piped->pane);
	(void)talk_send(piped->talk,
	    "{\"id\":\"w\",\"method\":\"wait_for\",\"params\":{\"any\":[{\"output\":\"to find\","
	    "\"pane\":\"%s\"}],\"timeout_sec\":10}}",
	    piped->pane);
	/* Requests of a connection that need tmux are handled in their order. */
	(void)talk_call(piped->talk, "get_pane", "{\"pane\":\"%s\"}", piped->pane);
	go(piped);
	answer = talk_response(piped->talk, "w", LIVE_TIMEOUT_MS);
	is_str(at_str(answer, "result.conditions.0.state"), "matched",
	    "tmux %s: a wait finds its line", piped->live->version);
	ok(talk_event(events, LIVE_TIMEOUT_MS, "bell", "pane", piped->pane) != NULL,
	    "tmux %s: and the bell is seen", piped->live->version);
	talk_free(events);
}

/* The pipe of the user was there first: control mode carries the output. */
static void test_user_first(struct piped *piped)
{
	struct live *live = piped->live;
	make(piped, "echo both; exec sleep 3600");
	(void)live_tmux(live, "pipe-pane -t %s 'exec cat >%s/user'", piped->pane, live->dir);
	ok(follow(piped), "tmux %s: a pane with a pipe of the user is followed", live->version);
	go(piped);
	check_text(piped, 0, "both\n", "", "its output comes");
	ok(strncmp(live_run(live, "until grep -q both user; do :; done; cat user"), "both", 4) == 0,
	    "tmux %s: to the user too", live->version);
	is_int(piped_panes(piped), 0, "tmux %s: it is not piped to the daemon", live->version);
	(void)live_tmux(live, "kill-pane -t %s", piped->pane);
}

/* The user pipes a pane that is piped to the daemon, or ends its pipe. */
static void test_user_later(struct piped *piped, const char *command, const char *what)
{
	struct live *live = piped->live;
	int64_t end;
	make(piped, "echo first; read x <go.on; echo second; exec sleep 3600");
	(void)follow(piped);
	go(piped);
	check_text(piped, 0, "first\n", "", what);
	end = end_of(piped);
	(void)live_tmux(live, "pipe-pane -t %s %s", piped->pane, command);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		const struct json *status = talk_call(piped->talk, "status", NULL);
		if (at_int(status, "result.streams.piped") == 0 &&
		    at_int(status, "result.tmux.output_connections") == 1)
			break;
		live_sleep_ms(2);
	}
	/* The answer comes when the output flows. */
	(void)read_after(piped, end);
	(void)live_run(live, "echo go >go.on");
	check_text(piped, end, "second\n", "source_changed", what);
	if (command[0] != '\0')
		ok(strncmp(live_run(live, "until grep -q second taken; do :; done; cat taken"),
		       "second", 6) == 0,
		    "tmux %s: %s: the user's pipe works", live->version, what);
	(void)live_tmux(live, "kill-pane -t %s", piped->pane);
}

/* A pane that is not wanted any more, and then again: ours is no pipe of a stranger. */
static void test_again(struct piped *piped)
{
	struct live *live = piped->live;
	unsigned piped_again = 0;
	make(piped, "exec sleep 3600");
	for (unsigned i = 0; i < 10; i++) {
		struct talk *events = talk_new(live);
		(void)talk_call(events, "subscribe",
		    "{\"kinds\":[\"bell\"],\"panes\":[\"%s\"],\"output\":true}", piped->pane);
		for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
		     i % 2 == 0 && live_now_ms() < end_ms && piped_panes(piped) != 1;)
			live_sleep_ms(1);
		talk_free(events);
	}
	(void)read_after(piped, 0);
	ok(is_piped(piped, "1"), "tmux %s: a pane is piped again and again", live->version);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		piped_again = (unsigned)piped_panes(piped);
		if (piped_again == 1)
			break;
		live_sleep_ms(1);
	}
	is_int(piped_again, 1, "tmux %s: and that is ours", live->version);
	(void)live_tmux(live, "kill-pane -t %s", piped->pane);
}

/* How often tmux took longer to pipe a pane than the daemon waits, as on a machine with much load. */
static unsigned count_late(struct live *live)
{
	static const char late[] = "was not handed over in time";
	unsigned count = 0;
	for (const char *at = live_daemon_log(live); (at = strstr(at, late)) != NULL; at++)
		count++;
	return count;
}

/* Output after the first answer about a fresh pane is read, by the pipe. */
static void test_fresh(struct piped *piped)
{
	struct live *live = piped->live;
	unsigned found = 0, late = count_late(live);
	for (unsigned i = 0; i < FRESH_PANES; i++) {
		char tty[64];
		struct buf bytes;
		int fd;
		if (sscanf(live_tmux(live,
			       "new-window -dP -F '#{pane_id} #{pane_tty}' -t main: 'exec cat'"),
			"%15s %63s", piped->pane, tty) != 2)
			continue;
		(void)follow(piped);
		fd = open(tty, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0 && write(fd, "hello", 5) == 5)
			found += read_until(piped, 0, "hello", 0, &bytes)[0] == '\0';
		if (fd >= 0)
			(void)close(fd);
		buf_finish(&bytes);
		(void)live_tmux(live, "kill-pane -t %s", piped->pane);
	}
	/* A late pane is followed in control mode, and its beginning is a gap. */
	late = count_late(live) - late;
	if (late > 0)
		diag("%u hand-overs took too long", late);
	ok(late < 3 && found + late == FRESH_PANES,
	    "tmux %s: the first output of %u of %d fresh panes", live->version, found, FRESH_PANES);
}

/* A hand-over that was not asked for. */
static void test_wrong_nonce(struct piped *piped)
{
	struct live *live = piped->live;
	char path[160], byte;
	int ends[2];
	(void)snprintf(path, sizeof path, "%s.pipe", live->socket);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		live_bail("socketpair");
	is_int(hand_over_send(path, "0123456789abcdef0123456789abcdef", ends[0]), 0,
	    "tmux %s: a forged hand-over", live->version);
	(void)close(ends[0]);
	is_int(read(ends[1], &byte, 1), 0, "tmux %s: is closed", live->version);
	(void)close(ends[1]);
}

/* The daemon is killed: the pane has no pipe, without any output of it. */
static void test_killed(struct piped *piped)
{
	struct live *live = piped->live;
	make(piped, "exec sleep 3600");
	(void)follow(piped);
	ok(is_piped(piped, "1"), "tmux %s: a silent pane is piped", live->version);
	(void)live_stop_daemon(live, SIGKILL);
	ok(is_piped(piped, "0"), "tmux %s: and is not when the daemon was killed", live->version);
	talk_free(piped->talk);
	live_start_daemon(live, ARGUMENTS);
	piped->talk = talk_new(live);
	ok(follow(piped) && is_piped(piped, "1"), "tmux %s: the next daemon pipes it",
	    live->version);
}

/* Whether a process runs: one that has ended and was not reaped does not. */
static bool runs(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *file;
	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	(void)fclose(file);
	return state != 'Z';
}

/* A pane writes while the daemon is stopped: it does not wait, and its output comes later. */
static void test_stopped(struct piped *piped)
{
	struct live *live = piped->live;
	struct buf bytes;
	make(piped, "cat text text text; printf THE-END; echo x >written; exec sleep 3600");
	(void)follow(piped);
	(void)kill(live->daemon_pid, SIGSTOP);
	go(piped);
	ok(await_written(live), "tmux %s: a program writes while the daemon is stopped",
	    live->version);
	(void)kill(live->daemon_pid, SIGCONT);
	is_str(read_until(piped, 0, "THE-END", 3 * (size_t)SOME_BYTES, &bytes), "",
	    "tmux %s: and nothing is lost", live->version);
	buf_finish(&bytes);
}

/* The reader of a pipe has stopped, and the pane writes on: kill-server ends at once. */
static void test_kill_server(const char *tmux)
{
	struct live *live = live_new(tmux);
	char path[96], job[600], nonce[HAND_OVER_NONCE_LEN + 1] = "";
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS, began_ms;
	int queue, fd = -1;
	live_start_tmux(live, "yes | head -c 8000000; echo x >written; exec sleep 3600");
	(void)snprintf(path, sizeof path, "%s/queue", live->dir);
	(void)snprintf(job, sizeof job, "%s", live_daemon_path());
	(void)snprintf(
	    strrchr(job, '/'), 64, "%s/muxbus-job", strstr(job, "/.libs/") != NULL ? "/.." : "");
	queue = hand_over_open(path);
	(void)hand_over_nonce(nonce);
	(void)live_tmux(
	    live, "pipe-pane -IO -t main: 'exec %s --hand-over %s %s'", job, path, nonce);
	while (hand_over_receive(queue, nonce, &fd) == HAND_OVER_NONE && live_now_ms() < end_ms)
		live_sleep_ms(2);
	is_int(hand_over_maker(fd), live->server_pid, "tmux %s: its own pair is handed over",
	    live->version);
	ok(strcmp(live_run(live, "until [ -s written ]; do sleep 0.01; done; echo done"), "done") ==
		0,
	    "tmux %s: a program fills a pipe without a reader", live->version);
	began_ms = live_now_ms();
	(void)live_tmux(live, "kill-server");
	while (runs(live->server_pid) && live_now_ms() < began_ms + LIVE_TIMEOUT_MS)
		live_sleep_ms(5);
	ok(live_now_ms() - began_ms < KILL_MS, "tmux %s: kill-server ends, after %d ms",
	    live->version, (int)(live_now_ms() - began_ms));
	live->server_pid = 0;
	(void)close(fd);
	(void)close(queue);
	live_free(live);
}

static void test_version(const char *tmux, size_t flood)
{
	struct piped piped = {.live = live_new(tmux)};
	live_start_tmux(piped.live, "exec sleep 3600");
	live_start_daemon(piped.live, ARGUMENTS);
	piped.talk = talk_new(piped.live);
	if (flood > 0)
		test_bytes(&piped, flood);
	if (flood > 0)
		(void)live_tmux(piped.live, "kill-pane -t %s", piped.pane);
	test_bytes(&piped, SOME_BYTES);
	test_respawn(&piped);
	(void)live_tmux(piped.live, "kill-pane -t %s", piped.pane);
	test_end(&piped, false);
	test_end(&piped, true);
	test_wait(&piped);
	(void)live_tmux(piped.live, "kill-pane -t %s", piped.pane);
	test_user_first(&piped);
	test_user_later(&piped, "'exec cat >taken'", "a pipe of the user replaces ours");
	test_user_later(&piped, "", "pipe-pane without a command ends ours");
	test_again(&piped);
	test_fresh(&piped);
	test_wrong_nonce(&piped);
	test_killed(&piped);
	test_stopped(&piped);
	talk_free(piped.talk);
	live_free(piped.live);
}

/* This program in the place of muxbus-job hands over as a file beside the socket says. */
static int forge(const char *path, const char *nonce)
{
	char name[200], word[16] = "";
	FILE *file;
	int ends[2];
	(void)snprintf(name, sizeof name, "%.*s/forge", (int)(strrchr(path, '/') - path), path);
	file = fopen(name, "re");
	if (file == NULL || fscanf(file, "%15s", word) != 1)
		return 1;
	if (strcmp(word, "foreign") == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
		(void)hand_over_send(path, nonce, ends[0]);
	if (strcmp(word, "never") == 0)
		return 0;
	(void)hand_over_send(path, nonce, STDIN_FILENO);
	if (strcmp(word, "twice") == 0)
		(void)hand_over_send(path, nonce, STDIN_FILENO);
	return 0;
}

/* A build folder in which this program stands for muxbus-job. */
static void make_build(const struct live *live)
{
	char self[4096] = "", dir[64];
	const char *muxbusd = live_daemon_path();
	if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
		live_bail("no /proc");
	(void)snprintf(dir, sizeof dir, "%s/build", live->dir);
	(void)live_run((struct live *)(uintptr_t)live,
	    "mkdir -p %s/.libs && cp '%s' %s/.libs/muxbusd && "
	    "ln -s \"$(dirname '%s')\"/*.so* %s/.libs/; ln -s '%s' %s/muxbus-job",
	    dir, muxbusd, dir, muxbusd, dir, self, dir);
	(void)setenv("MUXBUS_BUILDDIR", dir, 1);
}

static void test_forged(const char *word, int64_t piped_want)
{
	char *before = xstrdup(getenv("MUXBUS_BUILDDIR") != NULL ? getenv("MUXBUS_BUILDDIR") : ".");
	struct piped piped = {.live = live_new(NULL)};
	make_build(piped.live);
	(void)live_run(piped.live, "echo %s >forge", word);
	live_start_tmux(piped.live, "exec sleep 3600");
	live_start_daemon(piped.live, ARGUMENTS);
	piped.talk = talk_new(piped.live);
	make(&piped, "echo line; exec sleep 3600");
	/* An answer before the output flows says so, and the beginning is a gap then. */
	if (strcmp(word, "never") == 0)
		(void)read_after(&piped, 0);
	else
		ok(follow(&piped), "%s: the pane is followed", word);
	is_int(piped_panes(&piped), piped_want, "%s: %s", word,
	    piped_want > 0 ? "by its pipe" : "in control mode");
	if (strcmp(word, "never") == 0)
		(void)read_after(&piped, 0);
	go(&piped);
	check_text(&piped, 0, "line\n", strcmp(word, "never") == 0 ? "not_watched" : "", word);
	ok(is_piped(&piped, piped_want > 0 ? "1" : "0"), "%s: no other pipe stays", word);
	talk_free(piped.talk);
	live_free(piped.live);
	(void)setenv("MUXBUS_BUILDDIR", before, 1);
	mem_free(before);
}

int main(int argc, char **argv)
{
	const char *const *paths;
	if (argc == 4 && strcmp(argv[1], "--hand-over") == 0)
		return forge(argv[2], argv[3]);
	paths = live_tmux_paths();
	(void)live_daemon_path();
	(void)unsetenv("MUXBUS_TEST_ATTACH"); /* a daemon that is always attached opens no pipe */
	test_forged("foreign", 0);
	test_forged("twice", 1);
	test_forged("never", 0);
	for (size_t flood = FLOOD_BYTES; *paths != NULL; paths++, flood = 0) {
		test_version(*paths, flood);
		test_kill_server(*paths);
	}
	return done_testing();
}
