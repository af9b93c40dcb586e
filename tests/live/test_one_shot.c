/* SPDX-License-Identifier: ISC */
/*
 * One-shot commands on each tmux: their replies, arguments of any bytes and length, files,
 * directories and targets, a server that stops or ends, and that no client is left or seen.
 */
#include <muxbus.h>

#include <fcntl.h>
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

#include "base/buf.h"
#include "harness.h"
#include "trial.h"

enum { BUFFERS = 200, LONG_BYTES = 1024 * 1024, OUTPUT_BYTES = 5 * 1024 * 1024, ROUNDS = 200 };

/* A server, and the last reply. */
struct tried {
	struct live *live;
	struct muxbus_loop *loop;
	struct muxbus_one_shot_options options;
	struct muxbus_one_shot *one_shot;
	struct answer answer;
	struct buf body; /* of the last command that was run, whole */
	int status;
};

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct tried *tried = data;
	size_t last = count - 1;
	answer_note(&tried->answer, error, replies, count);
	while (last > 0 && replies[last].error == MUXBUS_ERR_SKIPPED)
		last--;
	buf_clear(&tried->body);
	(void)buf_append(&tried->body, replies[last].body, replies[last].body_len);
	tried->status = muxbus_one_shot_status(tried->one_shot);
}

static int start(struct tried *tried, struct muxbus_command *command)
{
	memset(&tried->answer, 0, sizeof tried->answer);
	buf_clear(&tried->body);
	tried->status = -2;
	return muxbus_one_shot_run(
	    tried->loop, &tried->options, command, on_reply, tried, &tried->one_shot);
}

static int await(struct tried *tried)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (tried->answer.calls == 0 && live_now_ms() < end_ms)
		(void)muxbus_loop_dispatch(tried->loop, 100);
	if (tried->answer.calls == 0)
		live_bail("no answer");
	return tried->answer.error;
}

/* Runs a list and waits for its answer. Returns its error. */
static int run(struct tried *tried, struct muxbus_command *command)
{
	int error = start(tried, command);
	return error != 0 ? error : await(tried);
}

static const char *text(const struct tried *tried)
{
	return tried->body.len > 0 ? (const char *)tried->body.data : "";
}

/* A started tmux writes only once to its standard output besides what it prints. */
static void test_mixed(struct tried *tried)
{
	(void)run(tried,
	    command_of("display-message", "-p", "a", ";", "list-sessions", "-F", "#{session_name}",
		";", "show-buffer", "-b", "quiet", ";", "display-message", "-p", "d", NULL));
	is_str(tried->answer.bodies[0], "a\n", "the first reply of a list");
	is_str(tried->answer.bodies[1], "main\n", "the second");
	is_str(tried->answer.bodies[2], "x", "a buffer without a newline");
	is_str(tried->answer.bodies[3], "d\n", "the last");
}

static void test_lists(struct tried *tried)
{
	is_int(run(tried, command_of("display-message", "-p", "hello", NULL)), 0, "a command");
	is_str(text(tried), "hello\n", "... prints what it prints");
	is_int(tried->status, 0, "... and its status");
	is_int(run(tried, command_of("set-buffer", "-b", "quiet", "x", NULL)), 0,
	    "a command without output");
	is_str(text(tried), "", "... has an empty reply");
	is_int(run(tried,
		   command_of("display-message", "-p", "a", ";", "has-session", "-t", "=nosuch",
		       ";", "display-message", "-p", "c", NULL)),
	    MUXBUS_ERR_COMMAND, "a list with a command that fails");
	is_str(tried->answer.bodies[0], "a\n", "... has the reply before it");
	is_str(tried->answer.bodies[1], "can't find session: nosuch\n", "... its error");
	is_int(tried->answer.errors[2], MUXBUS_ERR_SKIPPED, "... and not the command behind it");
	is_int(tried->status, 1, "... and the status of a failure");
	is_int(run(tried, command_of("nosuchcommand", NULL)), MUXBUS_ERR_COMMAND,
	    "a command that does not exist");
	ok(strstr(text(tried), "unknown command") != NULL, "... says so");
}

/* Sets a buffer and reads it back. */
static bool returns_same(struct tried *tried, const void *bytes, size_t len)
{
	struct muxbus_command *command;
	(void)muxbus_command_new(&command);
	muxbus_command_args(command, "set-buffer", "-b", "same", "--", NULL);
	muxbus_command_arg(command, bytes, len);
	if (run(tried, command) != 0) {
		diag("set-buffer: %s", text(tried));
		return false;
	}
	return run(tried, command_of("show-buffer", "-b", "same", NULL)) == 0 &&
	    tried->body.len == len && memcmp(tried->body.data, bytes, len) == 0;
}

static void test_arguments(struct tried *tried)
{
	static const char *const special[] = {";", "a;", "a\\;", "\\;", "\\", ";;", "a;b", " ",
	    "$HOME", "~", "{", "}", "#{pane_id}", "%if", "'", "\"", "a\nb", "\n", "\xff\xfe", "é;"};
	char *longest = malloc(LONG_BYTES);
	unsigned seed = 7;
	unsigned wrong = 0;
	for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
		ok(returns_same(tried, special[i], strlen(special[i])), "the argument %zu", i);
	for (int i = 0; i < BUFFERS; i++) {
		char bytes[64];
		size_t len = 1 + seed % (sizeof bytes - 1);
		for (size_t at = 0; at < len; at++) {
			seed = seed * 1103515245u + 12345u;
			bytes[at] = (char)(1 + (seed >> 16) % 255);
		}
		wrong += !returns_same(tried, bytes, len);
	}
	is_int(wrong, 0, "%d arguments of random bytes", BUFFERS);
	for (size_t at = 0; at < LONG_BYTES; at++)
		longest[at] = (char)(at % 251 == 0 ? ';' : 'a' + at % 26);
	for (size_t len = 16200; len < 16400; len += 10)
		wrong += !returns_same(tried, longest, len);
	is_int(wrong, 0, "arguments around the length of a message");
	ok(returns_same(tried, longest, 128 * 1024), "an argument of 128 KiB");
	ok(returns_same(tried, longest, LONG_BYTES), "an argument of 1 MiB");
	free(longest);
}

static void test_long_lists(struct tried *tried)
{
	struct muxbus_command *command;
	(void)muxbus_command_new(&command);
	for (int i = 0; i < 2000; i++) {
		muxbus_command_args(command, "display-message", "-p", NULL);
		muxbus_command_argf(command, "number %d", i);
		muxbus_command_next(command);
	}
	muxbus_command_args(command, "kill-session", "-t", "=nosuch", NULL);
	is_int(run(tried, command), MUXBUS_ERR_COMMAND, "2,001 commands, the last of which fails");
	is_int((long long)tried->answer.count, 2001, "... have a reply each");
	is_str(tried->answer.bodies[7], "number 7\n", "... the eighth");
	is_str(text(tried), "can't find session: nosuch\n", "... the last");
}

static void test_output(struct tried *tried)
{
	unsigned wrong = 0;
	(void)live_run(
	    tried->live, "yes 0123456789 | head -c %d >%s/big", OUTPUT_BYTES, tried->live->dir);
	(void)live_tmux(tried->live, "load-buffer -b big %s/big", tried->live->dir);
	is_int(run(tried, command_of("show-buffer", "-b", "big", NULL)), 0, "much output");
	for (size_t at = 0; at < tried->body.len; at++)
		wrong += tried->body.data[at] != "0123456789\n"[at % 11];
	ok(tried->body.len == OUTPUT_BYTES && wrong == 0, "... is whole (%zu bytes, %u wrong)",
	    tried->body.len, wrong);
}

static void test_files(struct tried *tried)
{
	char path[128];
	(void)snprintf(path, sizeof path, "%s/file", tried->live->dir);
	(void)live_run(tried->live, "printf 'from a file' >%s; mkfifo %s.fifo", path, path);
	is_int(run(tried, command_of("load-buffer", "-b", "f", path, NULL)), MUXBUS_ERR_COMMAND,
	    "no file is read without the flag");
	ok(strstr(text(tried), "Permission denied") != NULL, "... the error says why");
	tried->options.flags = MUXBUS_ONE_SHOT_FILES;
	is_int(run(tried,
		   command_of("load-buffer", "-b", "f", path, ";", "show-buffer", "-b", "f", NULL)),
	    0, "a file is read with the flag");
	is_str(text(tried), "from a file", "... with its bytes");
	tried->options.directory = tried->live->dir;
	is_int(run(tried,
		   command_of("save-buffer", "-b", "f", "saved", ";", "save-buffer", "-a", "-b",
		       "f", "saved", NULL)),
	    0, "a file is written, from the directory of the command");
	is_str(live_run(tried->live, "cat %s/saved", tried->live->dir), "from a filefrom a file",
	    "... and appended to");
	tried->options.directory = NULL;
	(void)live_run(tried->live, "echo 'display-message -p sourced' >%s", path);
	is_int(run(tried, command_of("source-file", path, NULL)), 0, "source-file");
	is_str(text(tried), "sourced\n", "... runs the commands of the file");
	(void)live_run(tried->live, "echo 'no-command' >%s", path);
	is_int(run(tried, command_of("source-file", path, NULL)), MUXBUS_ERR_COMMAND,
	    "... and fails if it cannot be parsed");
	ok(strstr(text(tried), ":1: unknown command") != NULL, "... with the line and the reason");
	(void)strcat(path, ".fifo");
	is_int(run(tried, command_of("load-buffer", path, NULL)), MUXBUS_ERR_COMMAND,
	    "a named pipe is refused, and does not block");
	is_int(run(tried, command_of("save-buffer", "-b", "f", path, NULL)), MUXBUS_ERR_COMMAND,
	    "... nor when it is written");
	is_int(run(tried, command_of("load-buffer", tried->live->dir, NULL)), MUXBUS_ERR_COMMAND,
	    "a directory is refused");
	is_int(run(tried, command_of("load-buffer", "-", NULL)), MUXBUS_ERR_COMMAND,
	    "there is no standard input");
	tried->options.flags = 0;
}

static void test_place(struct tried *tried)
{
	char pane[16];
	(void)snprintf(pane, sizeof pane, "%s",
	    live_tmux(tried->live, "new-session -d -s other -P -F '#{pane_id}'"));
	(void)live_tmux(tried->live, "new-session -d -s third");
	tried->options.pane = (uint32_t)strtoul(pane + 1, NULL, 10);
	(void)run(tried, command_of("display-message", "-p", "#{session_name}", NULL));
	is_str(text(tried), "other\n", "the default target is the session of the pane");
	tried->options.pane = MUXBUS_NO_ID;
	tried->options.directory = "/usr";
	(void)run(tried, command_of("split-window", "-d", "-P", "-F", "#{pane_start_path}", NULL));
	is_str(text(tried), "/usr\n", "a pane starts in the directory");
	tried->options.directory = NULL;
	(void)run(tried, command_of("split-window", "-d", "-P", "-F", "#{pane_start_path}", NULL));
	ok(strncmp(text(tried), tried->live->dir, strlen(tried->live->dir)) == 0,
	    "... or in that of the session");
	(void)setenv("DISPLAY", ":77", 1);
	(void)run(tried,
	    command_of("new-session", "-d", "-s", "env", ";", "show-environment", "-t", "env",
		"DISPLAY", NULL));
	is_str(text(tried), "DISPLAY=:77\n", "a new session has the variables of this process");
	(void)live_tmux(tried->live, "kill-session -t env");
}

static void test_unseen(struct tried *tried)
{
	int64_t began = live_now_ns();
	is_int(run(tried,
		   command_of(
		       "list-clients", ";", "display-message", "-p", "#{session_attached}", NULL)),
	    0, "list-clients");
	is_str(tried->answer.bodies[0], "", "... shows no client");
	is_str(tried->answer.bodies[1], "0\n", "... and the session is not attached");
	is_int(run(tried, command_of("attach-session", NULL)), MUXBUS_ERR_COMMAND,
	    "attach-session fails");
	for (int i = 0; i < ROUNDS; i++)
		(void)run(tried, command_of("display-message", "-p", "hello", NULL));
	diag("tmux %s: %.0f us a command", tried->live->version,
	    (double)(live_now_ns() - began) / 1000 / (ROUNDS + 2));
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	return connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? fd : -1;
}

/* In a child: hands one connection on to the server. Exits with the number of writes to it. */
static void relay(const struct tried *tried, int listener)
{
	static uint8_t bytes[65536];
	struct pollfd fds[] = {{.events = POLLIN}, {.events = POLLIN}};
	int writes = 0;
	fds[0].fd = accept(listener, NULL, NULL);
	fds[1].fd = connect_to(tried->live->tmux_socket);
	while (poll(fds, 2, LIVE_TIMEOUT_MS) > 0) {
		int from = fds[0].revents != 0 ? 0 : 1;
		ssize_t got = read(fds[from].fd, bytes, sizeof bytes);
		if (got <= 0 || write(fds[1 - from].fd, bytes, (size_t)got) != got)
			break;
		writes += from == 0;
	}
	_exit(writes);
}

/* Returns how often the library writes to the server for a command; -1: unknown. */
static int count_writes(struct tried *tried, struct muxbus_command *command)
{
	const char *socket_path = tried->options.socket_path;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int status = -1;
	pid_t child;
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s/relay", tried->live->dir);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
	    listen(listener, 1) != 0)
		live_bail("no relay");
	child = fork();
	if (child == 0)
		relay(tried, listener);
	tried->options.socket_path = address.sun_path;
	is_int(run(tried, command), 0, "a command through a relay");
	tried->options.socket_path = socket_path;
	(void)waitpid(child, &status, 0);
	close(listener);
	(void)unlink(address.sun_path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* tmux does not wait for a message, so a command costs no turn more than on an open connection. */
static void test_turns(struct tried *tried)
{
	is_int(count_writes(tried, command_of("display-message", "-p", "one", NULL)), 1,
	    "a command with a line of output takes one turn");
	is_str(text(tried), "one\n", "... and has its output");
	is_int(count_writes(tried, command_of("list-commands", NULL)), 1, "one with many lines");
	is_int(count_writes(tried, command_of("set-buffer", "x", NULL)), 1, "one without output");
}

/* Ends the server. */
static void test_bad_server(struct tried *tried)
{
	int status;
	tried->options.timeout_ms = 300;
	is_int(run(tried, command_of("wait-for", "never", NULL)), MUXBUS_ERR_TIMEOUT,
	    "a command that does not end");
	(void)kill(tried->live->server_pid, SIGSTOP);
	is_int(run(tried, command_of("list-sessions", NULL)), MUXBUS_ERR_TIMEOUT,
	    "a server that is stopped");
	(void)kill(tried->live->server_pid, SIGCONT);
	tried->options.timeout_ms = 0;
	is_int(run(tried, command_of("display-message", "-p", "back", NULL)), 0,
	    "... answers afterwards");
	is_int(muxbus_one_shot_run(tried->loop, &tried->options,
		   command_of("wait-for", "never", NULL), on_reply, tried, &tried->one_shot),
	    0, "a command that is cancelled");
	muxbus_one_shot_cancel(tried->one_shot);
	(void)muxbus_loop_dispatch(tried->loop, 0);
	(void)kill(tried->live->server_pid, SIGSTOP);
	is_int(muxbus_one_shot_run(tried->loop, &tried->options, command_of("list-sessions", NULL),
		   on_reply, tried, &tried->one_shot),
	    0, "a command under way");
	memset(&tried->answer, 0, sizeof tried->answer);
	(void)kill(tried->live->server_pid, SIGKILL);
	for (int i = 0; i < 100 && tried->answer.calls == 0; i++)
		(void)muxbus_loop_dispatch(tried->loop, 100);
	is_int(tried->answer.error, MUXBUS_ERR_CLOSED, "... when the server is killed");
	status = run(tried, command_of("list-sessions", NULL));
	is_int(status, MUXBUS_ERR_NO_SERVER, "no server");
}

/*
 * A program that ignores SIGCHLD cannot ask how its children have ended. The server is stopped, so
 * that the child lasts until it can be watched.
 */
static void test_reaped(struct tried *tried)
{
	tried->options.way = MUXBUS_WAY_PROCESS;
	(void)signal(SIGCHLD, SIG_IGN);
	(void)kill(tried->live->server_pid, SIGSTOP);
	is_int(start(tried, command_of("display-message", "-p", "hello", NULL)), 0,
	    "a process that the kernel reaps");
	(void)kill(tried->live->server_pid, SIGCONT);
	is_int(await(tried), 0, "... succeeds");
	(void)signal(SIGCHLD, SIG_DFL);
	is_str(text(tried), "hello\n", "... has its reply");
	is_int(tried->status, -1, "... and its status is unknown");
	tried->options.way = MUXBUS_WAY_DIRECT;
}

static void test_version(const char *tmux)
{
	struct tried tried = {0};
	tried.live = live_new(tmux);
	live_start_tmux(tried.live, NULL);
	diag("tmux %s", tried.live->version);
	tried.options.socket_path = tried.live->tmux_socket;
	tried.options.tmux_path = tried.live->tmux;
	tried.options.pane = MUXBUS_NO_ID;
	buf_init(&tried.body, 2 * OUTPUT_BYTES);
	if (muxbus_loop_new(&tried.loop) != 0)
		live_bail("no loop");
	/* A user's alias has the name of the command that ends the output of another. */
	(void)live_tmux(tried.live, "set-option -s command-alias[101] list-commands=kill-server");
	for (int way = MUXBUS_WAY_DIRECT; way <= MUXBUS_WAY_PROCESS; way++) {
		tried.options.way = (enum muxbus_way)way;
		diag("way %d", way);
		test_lists(&tried);
		test_long_lists(&tried);
	}
	(void)live_tmux(tried.live, "set-option -su command-alias[101]");
	tried.options.way = MUXBUS_WAY_DIRECT;
	test_reaped(&tried);
	test_mixed(&tried);
	test_arguments(&tried);
	test_output(&tried);
	test_files(&tried);
	test_place(&tried);
	test_unseen(&tried);
	test_turns(&tried);
	test_bad_server(&tried);
	buf_finish(&tried.body);
	muxbus_loop_free(tried.loop);
	live_free(tried.live);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	for (size_t i = 0; paths[i] != NULL; i++)
		test_version(paths[i]);
	return done_testing();
}
