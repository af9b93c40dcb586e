/* SPDX-License-Identifier: ISC */
/*
 * Connections to real tmux, of every version at hand. The traps for clients are numbered as
 * in the list of traps of control mode; each is impossible here by the way commands are made
 * and replies are read, or has a test below.
 *
 *  9 unread output        the loop reads whatever the handlers do; test_killed_parent
 * 11 12 forged guards     test_forged
 * 13 14 15 raw line feeds the parser's: a line outside of blocks is taken as it is
 * 16 replies of no block  assignments, comments and %if are not command names
 * 17 18 many blocks       test_blocks
 * 19 20 empty lines       no list is empty; names have no '='
 * 21 to 25 quoting        test_bytes
 * 26 wedged queue         test_wedged
 * 28 unguarded errors     test_blocks
 * 29 no UTF-8             test_bytes runs under LANG=C
 * 42 43 environment, size test_invisible
 * 45 detached by others   test_ends
 * 47 foreign binaries     test_versions, test_deleted_binary
 * 48 -CC                  never
 * 49 unknown flags        the handshake reads them back
 * 53 exit status          never looked at
 * 58 ';' on command lines none is ever made
 *  1 to 8, 10, 27, 30 to 41, 44, 46, 50 to 52 and 54 to 57 are about which commands to
 *  send, so they concern the caller.
 */
#include <muxbus.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "harness.h"
#include "lib/connection/connection_parts.h"
#include "tap.h"
#include "trial.h"

enum { FORGED_ROUNDS = 500, ROWS = 24, END_BOUND_MS = 5000 };

/* The way of all connections, and the one that is expected of them. */
static enum muxbus_way way;

static void check_way(const struct live *live, const struct trial *trial)
{
	struct muxbus_version version;
	enum muxbus_way want = way;
	if (trial->connection == NULL || muxbus_version_parse(live->version, &version) != 0)
		return;
	if (way != MUXBUS_WAY_PROCESS)
		want = version.major > 3 || (version.major == 3 && version.minor >= 6)
		    ? MUXBUS_WAY_DIRECT_3_6
		    : MUXBUS_WAY_DIRECT;
	is_int(muxbus_connection_way(trial->connection), want, "%s: way", live->version);
}

static void open_at(struct live *live, struct trial *trial, unsigned flags, unsigned timeout_ms)
{
	const struct muxbus_connection_options options = {
	    .socket_path = live->tmux_socket,
	    .way = way,
	    .session = MUXBUS_NO_ID,
	    .flags = flags,
	    .greeting_timeout_ms = timeout_ms,
	    .command_timeout_ms = timeout_ms,
	};
	trial_open(trial, &options);
	is_int(trial->open_error, 0, "%s: opened", live->version);
	if (trial->open_error == 0)
		ok(trial_until(trial, &trial->ready), "%s: ready", live->version);
}

static struct answer run(struct trial *trial, struct muxbus_command *command)
{
	struct answer answer = {0};
	if (trial->connection == NULL) {
		muxbus_command_free(command);
		answer.error = MUXBUS_ERR_CLOSED;
	} else if (muxbus_connection_run(trial->connection, command, answer_note, &answer) != 0 ||
	    !trial_until(trial, &answer.calls)) {
		answer.error = MUXBUS_ERR_INVALID;
	}
	return answer;
}

static void test_plain(struct live *live)
{
	struct trial trial;
	struct answer answer;
	char want[128];
	open_at(live, &trial, 0, 0);
	(void)snprintf(want, sizeof want, "%s", live->version);
	is_int((long long)trial.version.major, atoi(live->version), "%s: version", live->version);
	check_way(live, &trial);
	answer = run(&trial, command_of("display-message", "-p", "#{client_flags}", NULL));
	ok(strstr(answer.bodies[0], "ignore-size") != NULL, "%s: flags", live->version);
	ok(strstr(answer.bodies[0], "UTF-8") != NULL, "%s: UTF-8", live->version);
	answer = run(&trial,
	    command_of("list-windows", ";", "list-panes", "-t", "%99", ";", "list-keys", NULL));
	is_int(answer.errors[0], 0, "%s: the first of a list", live->version);
	is_int(answer.errors[1], MUXBUS_ERR_COMMAND, "%s: the second fails", live->version);
	is_str(
	    answer.bodies[1], "can't find pane: %99\n", "%s: and gives the reason", live->version);
	is_int(answer.errors[2], MUXBUS_ERR_SKIPPED, "%s: the third is skipped", live->version);
	answer = run(&trial, command_of("no-such-command", NULL));
	is_int(answer.error, MUXBUS_ERR_COMMAND, "%s: an unknown command", live->version);
	ok(strstr(live_tmux(live, "show-messages"), "unknown command") == NULL,
	    "%s: no sentinel is in tmux's log", live->version);
	muxbus_connection_close(trial.connection);
	ok(trial_until(&trial, &trial.closed), "%s: closed", live->version);
	is_int(trial.error, 0, "%s: in good order", live->version);
	ok(is_gone(trial.pid), "%s: the process is gone", live->version);
	is_str(live_tmux(live, "list-clients"), "", "%s: no client is left", live->version);
	trial_finish(&trial);
}

/* Blocks of hooks, conditions and failing files never shift replies. */
static void test_blocks(struct live *live)
{
	struct trial trial;
	struct answer answer;
	live_tmux(live, "set-hook -g after-list-panes 'display-message -p hooked'");
	open_at(live, &trial, MUXBUS_CONNECTION_NO_OUTPUT, 0);
	answer =
	    run(&trial, command_of("list-panes", "-F", "a", ";", "list-panes", "-F", "b", NULL));
	is_str(answer.bodies[0], "a\n", "%s: a hook's block is not in the reply", live->version);
	is_str(answer.bodies[1], "b\n", "%s: nor in the next", live->version);
	answer = run(&trial,
	    command_of("if-shell", "-F", "1", "display-message -p x ; display-message -p y", NULL));
	is_str(answer.bodies[0], "x\ny\n", "%s: if-shell's commands are its reply", live->version);
	ok(answer.blocks[0] >= 2, "%s: of several blocks", live->version);
	answer = run(&trial,
	    command_of(
		"load-buffer", "/nonexistent/x", ";", "display-message", "-p", "after", NULL));
	is_int(answer.calls, 1, "%s: an unguarded error", live->version);
	answer = run(&trial, command_of("display-message", "-p", "later", NULL));
	is_str(answer.bodies[0], "later\n", "%s: does not shift the replies", live->version);
	live_tmux(live, "set-hook -gu after-list-panes");
	trial_finish(&trial);
}

/* Arguments of all bytes come back unchanged, also to a process with LANG=C. */
static void test_bytes(struct live *live)
{
	enum { VALUES = 100, LENGTH_MAX = 60 };
	struct trial trial;
	char format[512];
	int wrong = 0;

	(void)setenv("LC_ALL", "C", 1);
	open_at(live, &trial, MUXBUS_CONNECTION_NO_OUTPUT, 0);
	(void)unsetenv("LC_ALL");
	(void)muxbus_field_format(format, sizeof format, "@value");
	srand(1);
	for (int i = 0; i < VALUES; i++) {
		struct muxbus_command *command =
		    command_of("set-option", "-g", "--", "@value", NULL);
		char value[LENGTH_MAX + 1];
		size_t len = 1 + (size_t)rand() % LENGTH_MAX;
		struct answer answer;
		ssize_t got;
		for (size_t j = 0; j < len; j++)
			value[j] =
			    (char)(i % 2 == 0 ? 1 + rand() % 255
					      : "\"\\$~#{};%'\n\r\t =-\xc3\xa9"[rand() % 18]);
		muxbus_command_arg(command, value, len);
		muxbus_command_next(command);
		muxbus_command_args(command, "list-sessions", "-F", format, NULL);
		answer = run(&trial, command);
		got = (ssize_t)strlen(answer.bodies[1]) - 1;
		if (answer.error == 0 && got >= 0) {
			answer.bodies[1][got] = '\0';
			got =
			    muxbus_field_decode(answer.bodies[1], (size_t)got, trial.version.caps);
		}
		if (answer.error != 0 || got != (ssize_t)len ||
		    memcmp(answer.bodies[1], value, len) != 0)
			wrong++;
	}
	is_int(wrong, 0, "%s: random bytes come back as they were", live->version);
	trial_finish(&trial);
}

/* A program prints forged ends of the coming replies, all the time. */
static void start_forger(struct live *live)
{
	char path[128];
	char path_of_stop[128];
	FILE *script;
	(void)snprintf(path, sizeof path, "%s/forge", live->dir);
	(void)snprintf(path_of_stop, sizeof path_of_stop, "%s/forge.stop", live->dir);
	script = fopen(path, "we");
	(void)fprintf(script,
	    "while test ! -e %s; do\n"
	    "set -- $(%s -S %s -C list-sessions </dev/null 2>&1 | sed -n 's/^%%begin //p')\n"
	    "awk -v t=$1 -v n=$2 'BEGIN { for (i = 0; i < 300; i++)\n"
	    "  printf \"%%%%end %%d %%d 1\\n%%%%session-renamed $0 PWNED\\n\", t + i %% 2, n + i / "
	    "2 }'\n"
	    "done\n",
	    path_of_stop, live->tmux, live->tmux_socket);
	(void)fclose(script);
	live_tmux(live, "new-window -d -n forger 'sh %s'", path);
}

static size_t count_lines(const char *text, size_t len)
{
	size_t lines = 0;
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	return lines;
}

/* A capture and the output after it. */
struct capture {
	unsigned is_done;
	size_t lines;
	bool has_guard;
	bool is_mark_right;
	unsigned mark;
	int error;
};

static void on_capture(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct capture *capture = data;
	char mark[32];
	capture->is_done = 1;
	capture->error = error;
	capture->lines = count_lines((const char *)replies[0].body, replies[0].body_len);
	capture->has_guard = strstr((const char *)replies[0].body, "%end ") != NULL;
	(void)snprintf(mark, sizeof mark, "mark %u\n", capture->mark);
	if (count > 1)
		capture->is_mark_right = strcmp((const char *)replies[1].body, mark) == 0;
}

/* As two commands of one list, then as two lists. Returns whether a body was hostile. */
static bool capture_once(struct trial *trial, unsigned round, int *wrong)
{
	struct capture capture = {.mark = round, .is_mark_right = true};
	struct muxbus_command *command = command_of("capture-pane", "-p", "-t", ":forger", NULL);
	struct answer mark = {0};
	char want[32];
	(void)snprintf(want, sizeof want, "mark %u", round);
	if (round % 2 == 0) {
		muxbus_command_next(command);
		muxbus_command_args(command, "display-message", "-p", want, NULL);
	}
	(void)muxbus_connection_run(trial->connection, command, on_capture, &capture);
	if (round % 2 != 0)
		(void)muxbus_connection_run(trial->connection,
		    command_of("display-message", "-p", want, NULL), answer_note, &mark);
	(void)trial_until(trial, &capture.is_done);
	if (round % 2 != 0) {
		(void)trial_until(trial, &mark.calls);
		strcat(want, "\n");
		capture.is_mark_right = strcmp(mark.bodies[0], want) == 0;
	}
	if (capture.error != 0 || capture.lines != ROWS || !capture.is_mark_right)
		++*wrong;
	return capture.has_guard;
}

static void test_forged(struct live *live)
{
	struct trial trial;
	int hostile = 0;
	int wrong = 0;
	start_forger(live);
	ok(live_tmux_until(
	       live, "1", "display-message -p -t :forger '#{?#{C:session-renamed},1,0}'"),
	    "%s: the forger prints", live->version);
	open_at(live, &trial, MUXBUS_CONNECTION_NO_OUTPUT, 0);
	live_tmux(live, "resize-window -t :forger -x 80 -y %d", ROWS);
	for (unsigned i = 0; i < 2 * FORGED_ROUNDS && trial.connection != NULL; i++)
		hostile += capture_once(&trial, i, &wrong);
	ok(hostile > FORGED_ROUNDS, "%s: %d of %d captures were hostile", live->version, hostile,
	    2 * FORGED_ROUNDS);
	is_int(wrong, 0, "%s: none of them was misread", live->version);
	is_str(live_tmux(live, "display-message -p '#{session_name}'"), "main",
	    "%s: and no session was renamed", live->version);
	/* The forger's `tmux -C` must not start while our client leaves: tmux would crash. */
	live_run(live, "touch forge.stop");
	ok(live_tmux_until(live, "1", "display-message -p '#{session_windows}'"),
	    "%s: the forger ends", live->version);
	live_run(live, "rm forge.stop");
	trial_finish(&trial);
}

static void test_invisible(struct live *live)
{
	struct trial trial;
	live_tmux(live, "set-environment SSH_AUTH_SOCK mine");
	(void)setenv("SSH_AUTH_SOCK", "theirs", 1);
	(void)setenv("TMUX", "/nowhere,1,2", 1);
	open_at(live, &trial, MUXBUS_CONNECTION_NO_OUTPUT, 0);
	(void)unsetenv("SSH_AUTH_SOCK");
	(void)unsetenv("TMUX");
	is_str(live_tmux(live, "show-environment SSH_AUTH_SOCK"), "SSH_AUTH_SOCK=mine",
	    "%s: the session's environment is as it was", live->version);
	is_str(live_tmux(live, "display-message -p '#{window_width}x#{window_height}'"), "80x24",
	    "%s: and its size", live->version);
	trial_finish(&trial);
}

/* A command that waits for a person: the deadline ends the connection, not the server. */
static void test_wedged(struct live *live)
{
	struct trial trial;
	struct answer first = {0};
	struct answer second = {0};
	int64_t since;
	open_at(live, &trial, MUXBUS_CONNECTION_NO_OUTPUT, 500);
	since = clock_mono_ms();
	(void)muxbus_connection_run(
	    trial.connection, command_of("wait-for", "never", NULL), answer_note, &first);
	(void)muxbus_connection_run(
	    trial.connection, command_of("list-panes", NULL), answer_note, &second);
	ok(trial_until(&trial, &trial.closed), "%s: a wedged queue is noticed", live->version);
	is_int(trial.error, MUXBUS_ERR_TIMEOUT, "%s: as a deadline", live->version);
	ok(clock_mono_ms() - since < 3000, "%s: in time", live->version);
	is_int(
	    second.error, MUXBUS_ERR_TIMEOUT, "%s: the waiting command is answered", live->version);
	trial_finish(&trial);
	open_at(live, &trial, MUXBUS_CONNECTION_NO_OUTPUT, 0);
	first = run(&trial, command_of("display-message", "-p", "again", NULL));
	is_str(first.bodies[0], "again\n", "%s: the next connection works", live->version);
	trial_finish(&trial);
	ok(live_tmux_until(live, "", "list-clients"), "%s: no client is left", live->version);
}

/* A list whose reply was not read before our program took the connection for ended. */
struct unread {
	struct trial trial;
	struct answer answer;
	bool counts_as_unrun;
};

static void on_unread(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct unread *unread = data;
	answer_note(&unread->answer, error, replies, count);
	unread->counts_as_unrun = connection_ran_none(unread->trial.connection, error, replies);
}

/* Our program reads too slowly to find the reply behind much output. tmux has run the list. */
static void test_unread(struct live *live)
{
	struct unread unread = {0};
	int64_t end = clock_mono_ms() + LIVE_TIMEOUT_MS;
	char flooded[128];
	(void)snprintf(flooded, sizeof flooded, "%s/flooded", live->dir);
	(void)unlink(flooded);
	open_at(live, &unread.trial, 0, 0);
	(void)fcntl(unread.trial.connection->client.output, F_SETPIPE_SZ, 1024 * 1024);
	live_tmux(live,
	    "new-window -d \"head -c 500000 /dev/zero | tr '\\\\0' x; touch %s; sleep 100\"",
	    flooded);
	while (access(flooded, F_OK) != 0 && clock_mono_ms() < end)
		live_sleep_ms(20);
	(void)muxbus_connection_run(unread.trial.connection,
	    command_of("set-option", "-g", "@unread", "run", NULL), on_unread, &unread);
	ok(live_tmux_until(live, "run", "show-options -gv @unread"), "%s: a list is run",
	    live->version);
	live_tmux(live, "detach-client -s main");
	for (int i = 0; i < 10 && unread.answer.calls == 0; i++) {
		(void)muxbus_loop_dispatch(unread.trial.loop, 0);
		live_sleep_ms(600);
	}
	is_int(unread.answer.calls, 1, "%s: it ends with the client", live->version);
	ok(!unread.counts_as_unrun, "%s: and is not run again", live->version);
	trial_finish(&unread.trial);
}

static void test_ends(struct live *live)
{
	struct trial trial;
	struct answer answer = {0};
	struct muxbus_connection_options options = {
	    .socket_path = live->tmux_socket, .way = way, .session = 4711};
	int64_t end = clock_mono_ms() + END_BOUND_MS;
	pid_t pid;
	open_at(live, &trial, 0, 0);
	live_tmux(live, "detach-client -s main");
	ok(trial_until(&trial, &trial.closed), "%s: detached by a user", live->version);
	is_int(trial.error, MUXBUS_ERR_CLOSED, "%s: closed", live->version);
	trial_finish(&trial);

	trial_open(&trial, &options);
	ok(trial_until(&trial, &trial.closed), "%s: a session that does not exist", live->version);
	is_int(trial.error, MUXBUS_ERR_NO_SESSION, "%s: is reported", live->version);
	is_str(trial.reason, "can't find session: $4711", "%s: in tmux's words", live->version);
	trial_finish(&trial);

	if (way == MUXBUS_WAY_PROCESS) {
		open_at(live, &trial, 0, 0);
		(void)kill(trial.pid, SIGKILL);
		ok(trial_until(&trial, &trial.closed), "%s: the process is killed", live->version);
		is_int(trial.error, MUXBUS_ERR_CLOSED, "%s: closed", live->version);
		trial_finish(&trial);
		ok(live_tmux_until(live, "", "list-clients"), "%s: tmux lets its client go",
		    live->version);
	}

	open_at(live, &trial, 0, 0);
	(void)kill(live->server_pid, SIGKILL);
	(void)muxbus_connection_run(
	    trial.connection, command_of("list-panes", NULL), answer_note, &answer);
	ok(trial_until(&trial, &trial.closed), "%s: the server is killed", live->version);
	is_int(trial.error, MUXBUS_ERR_CLOSED, "%s: closed", live->version);
	is_int(answer.error, MUXBUS_ERR_CLOSED, "%s: the accepted list is answered", live->version);
	trial_finish(&trial);
	while (muxbus_server_pid(live->tmux_socket, &pid) == 0 && clock_mono_ms() < end)
		live_sleep_ms(1);
	trial_open(&trial, &options);
	is_int(trial.open_error, MUXBUS_ERR_NO_SERVER, "%s: no server listens now", live->version);
	trial_finish(&trial);
}

/*
 * Our program is killed in the middle of output: the kernel ends the control client, so the
 * program in the pane runs to its end, no client is left, and tmux can be ended.
 */
static void test_killed_parent(struct live *live)
{
	struct trial trial;
	char want[128];
	pid_t parent;
	int64_t since;
	(void)snprintf(want, sizeof want, "%s/flood", live->dir);
	(void)unlink(want);
	parent = fork();
	if (parent == 0) {
		const struct muxbus_connection_options options = {
		    .socket_path = live->tmux_socket, .way = way, .session = MUXBUS_NO_ID};
		trial_open(&trial, &options);
		(void)trial_until(&trial, &trial.ready);
		while (trial.output.len < 200000)
			(void)muxbus_loop_dispatch(trial.loop, 100);
		(void)kill(getpid(), SIGSTOP); /* reads no more */
		_exit(0);
	}
	live_tmux(live, "new-window -d 'seq 2000000; touch %s; sleep 100'", want);
	(void)waitpid(parent, NULL, WUNTRACED);
	(void)kill(parent, SIGKILL);
	(void)waitpid(parent, NULL, 0);
	since = clock_mono_ms();
	ok(live_tmux_until(live, "", "list-clients"), "%s: killed in a flood: no client is left",
	    live->version);
	while (access(want, F_OK) != 0 && clock_mono_ms() - since < 60000)
		live_sleep_ms(20);
	ok(access(want, F_OK) == 0, "%s: killed in a flood: the pane's program continues (%lld ms)",
	    live->version, (long long)(clock_mono_ms() - since));
}

/* The server's own binary is used, also when its file is deleted. */
static void test_deleted_binary(const char *tmux)
{
	struct live *live = live_new(tmux);
	struct trial trial;
	char copy[128];
	char command[512];
	(void)snprintf(copy, sizeof copy, "%s/tmux-copy", live->dir);
	(void)snprintf(command, sizeof command, "cp -L %s %s", tmux, copy);
	is_int(system(command), 0, "a copy of tmux");
	live->tmux = copy;
	live_start_tmux(live, NULL);
	(void)unlink(copy);
	live->tmux = tmux;
	open_at(live, &trial, 0, 0);
	is_int(trial.ready, 1, "%s: a server whose binary was deleted", live->version);
	trial_finish(&trial);
	live_free(live);
}

/* The client of the other protocol version hangs: the library gives up in time. */
static void test_versions(void)
{
	char *old = (char *)live_cached("tmux-3.5a");
	char *new = (char *)live_cached("tmux-3.8");
	char *ancient = (char *)live_cached("3.1c/bin/tmux");
	struct live *live;
	struct trial trial;
	if (old != NULL && new != NULL) {
		struct muxbus_connection_options options = {
		    .tmux_path = new, .session = MUXBUS_NO_ID, .greeting_timeout_ms = 500};
		live = live_new(old);
		live_start_tmux(live, NULL);
		options.socket_path = live->tmux_socket;
		trial_open(&trial, &options);
		ok(trial_until(&trial, &trial.closed), "a newer client of an older server");
		is_int(trial.error, MUXBUS_ERR_TIMEOUT, "is abandoned: %s", trial.reason);
		ok(is_gone(trial.pid), "and gone");
		trial_finish(&trial);
		live_free(live);
	}
	if (ancient != NULL) {
		struct muxbus_connection_options options = {.session = MUXBUS_NO_ID};
		live = live_new(ancient);
		live_start_tmux(live, NULL);
		options.socket_path = live->tmux_socket;
		trial_open(&trial, &options);
		ok(trial_until(&trial, &trial.closed), "a server before 3.3");
		is_int(trial.error, MUXBUS_ERR_VERSION, "is refused: %s", trial.reason);
		trial_finish(&trial);
		live_free(live);
	}
	mem_free(old);
	mem_free(new);
	mem_free(ancient);
}

static void test_all(const char *tmux)
{
	struct live *live = live_new(tmux);
	live_start_tmux(live, NULL);
	diag("%s is tmux %s%s", tmux, live->version,
	    way == MUXBUS_WAY_PROCESS ? ", by a process" : "");
	test_plain(live);
	test_blocks(live);
	test_bytes(live);
	test_forged(live);
	test_invisible(live);
	test_wedged(live);
	test_killed_parent(live);
	test_unread(live);
	test_ends(live);
	live_free(live);
	test_deleted_binary(tmux);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	(void)unsetenv("MUXBUS_ATTACH"); /* both ways are tested here */
	for (size_t i = 0; paths[i] != NULL; i++) {
		way = MUXBUS_WAY_DIRECT;
		test_all(paths[i]);
		way = MUXBUS_WAY_PROCESS;
		test_all(paths[i]);
	}
	test_versions();
	return done_testing();
}
