/* SPDX-License-Identifier: ISC */
/*
 * The cost of a call of a tool of a server (G25), through the daemon, against the same message to
 * the same server over a pipe; and of read_file, beside a start of a program of Python.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { CALLS = 500, STARTS = 20 };

extern char **environ;

/* The file that the daemon reads at its start. */
static void declare(struct live *live, const char *path)
{
	const char *source = getenv("MUXBUS_SRCDIR");
	(void)live_run(live,
	    "umask 022 && cp -r %s/contrib/tools %s/tools && chmod -R u+w,go-w %s/tools && cat "
	    ">%s/tools/bench_echo.json <<'EOF'\n"
	    "{\"name\":\"bench_echo\",\"group\":\"bench\",\"description\":\"A bench.\","
	    "\"server\":{\"name\":\"bench\",\"command\":[\"%s\"]},\"tool\":\"echo\"}\nEOF",
	    source != NULL ? source : ".", live->dir, live->dir, live->dir, path);
}

/* A server of our own, over pipes. */
struct server {
	pid_t pid;
	int to, from;
};

static void server_start(struct server *server, const char *path)
{
	char *argv[] = {(char *)(uintptr_t)path, NULL};
	int in[2], out[2];
	posix_spawn_file_actions_t actions;
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		live_bail("pipe: %s", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	if (posix_spawn(&server->pid, path, &actions, NULL, argv, environ) != 0)
		live_bail("%s cannot be started", path);
	posix_spawn_file_actions_destroy(&actions);
	(void)close(in[0]);
	(void)close(out[1]);
	server->to = in[1];
	server->from = out[0];
}

static void server_call(const struct server *server)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\","
				   "\"params\":{\"name\":\"echo\",\"arguments\":{}}}\n";
	char answer[4096];
	ssize_t len;
	if (write(server->to, line, strlen(line)) < 0)
		live_bail("write: %s", strerror(errno));
	do
		len = read(server->from, answer, sizeof answer);
	while (len > 0 && answer[len - 1] != '\n');
	if (len <= 0)
		live_bail("the server has ended");
}

static void server_end(const struct server *server)
{
	(void)close(server->to);
	(void)close(server->from);
	(void)waitpid(server->pid, NULL, 0);
}

static double ms_since(int64_t start_ns)
{
	return (double)(live_now_ns() - start_ns) / 1e6;
}

static double call_ms(struct talk *talk)
{
	int64_t start_ns = live_now_ns();
	if (at(talk_call(talk, "bench_echo", "{\"pane\":\"%%0\"}"), "result") == NULL)
		live_bail("bench_echo: %s", talk_text(talk));
	return ms_since(start_ns);
}

static void bench_server(struct talk *talk, const char *path)
{
	static double over_ms[CALLS], raw_ms[CALLS];
	struct server server;
	server_start(&server, path);
	server_call(&server);
	(void)call_ms(talk);
	for (int i = 0; i < CALLS; i++) {
		int64_t start_ns = live_now_ns();
		server_call(&server);
		raw_ms[i] = ms_since(start_ns);
		over_ms[i] = call_ms(talk) - raw_ms[i];
	}
	server_end(&server);
	bench_rounds("tool_server_call", over_ms, CALLS, "ms",
	    "over the server's own %.3f ms, by the socket and back", bench_median(raw_ms, CALLS));
}

static void bench_read_file(const struct live *live, struct talk *talk)
{
	static double read_ms[CALLS], start_ms[STARTS];
	char program[PATH_MAX + 64];
	const char *argv[] = {program, NULL};
	(void)snprintf(program, sizeof program, "%s/tools/todo_read", live->dir);
	(void)setenv("MUXBUS_TOOL_STATE", live->dir, 1);
	for (int i = -1; i < CALLS; i++) {
		int64_t start_ns = live_now_ns();
		if (at(talk_call(talk, "read_file",
			   "{\"pane\":\"%%0\",\"path\":\"/etc/passwd\",\"end\":3}"),
			"result.text") == NULL)
			live_bail("read_file: %s", talk_text(talk));
		if (i >= 0) /* the first one starts the server */
			read_ms[i] = ms_since(start_ns);
	}
	for (int i = 0; i < STARTS; i++)
		start_ms[i] = bench_spawn_ms(argv);
	bench_rounds("tool_read_file", read_ms, CALLS, "ms",
	    "a start of a program, todo_read, %.3f ms", bench_median(start_ms, STARTS));
}

int main(void)
{
	const char *build = getenv("MUXBUS_BUILDDIR");
	char path[PATH_MAX], tools[PATH_MAX];
	struct live *live = live_new(bench_tmux());
	struct talk *talk;
	(void)snprintf(path, sizeof path, "%s/tests/fake_tool_server", build != NULL ? build : ".");
	live_start_tmux(live, "exec sleep 3600");
	declare(live, path);
	(void)snprintf(tools, sizeof tools, "%s/tools", live->dir);
	(void)setenv("MUXBUS_TOOLS", tools, 1);
	live_start_daemon(live, NULL);
	talk = talk_new(live);
	bench_server(talk, path);
	bench_read_file(live, talk);
	talk_free(talk);
	live_free(live);
	return 0;
}
