/* SPDX-License-Identifier: ISC */
/*
 * Compares a tmux command through the library with the same lines written and read by hand, and
 * with starting tmux for it: the best that G7 can be. The raw client finds a reply by looking for
 * "%end "; our client reads replies so that a pane cannot forge them.
 */
#include <muxbus.h>

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { ROUNDS = 7, SINGLES = 300, SPAWNS = 40, DEPTH = 64, BATCHES = 40 };

static const char command_line[] = "display-message -p '#{pane_id}'\n";

struct library {
	struct muxbus_loop *loop;
	struct muxbus_connection *connection;
	bool is_ready;
	size_t awaited;
};

static void on_ready(void *data, const struct muxbus_version *version, uint32_t session)
{
	struct library *library = data;
	(void)version;
	(void)session;
	library->is_ready = true;
}

static void on_closed(void *data, int error, const char *reason)
{
	(void)data;
	live_bail("closed: %s: %s", muxbus_strerror(error), reason);
}

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct library *library = data;
	(void)count;
	if (error != 0 || replies[0].body_len < 3)
		live_bail("reply: %s", muxbus_strerror(error));
	library->awaited--;
}

static void library_open(struct library *library, struct live *live)
{
	static const struct muxbus_connection_handlers handlers = {
	    .ready = on_ready, .closed = on_closed};
	const struct muxbus_connection_options options = {
	    .socket_path = live->tmux_socket,
	    .session = MUXBUS_NO_ID,
	    .flags = MUXBUS_CONNECTION_NO_OUTPUT,
	};
	if (muxbus_loop_new(&library->loop) != 0 ||
	    muxbus_connection_open(
		library->loop, &options, &handlers, library, &library->connection) != 0)
		live_bail("the library does not connect");
	while (!library->is_ready)
		(void)muxbus_loop_dispatch(library->loop, LIVE_TIMEOUT_MS);
}

/* Runs so many lists of one command, and waits for all replies. */
static void library_run(struct library *library, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct muxbus_command *command;
		if (muxbus_command_new(&command) != 0)
			live_bail("out of memory");
		muxbus_command_args(command, "display-message", "-p", "#{pane_id}", NULL);
		if (muxbus_connection_run(library->connection, command, on_reply, library) != 0)
			live_bail("the library does not run a command");
	}
	library->awaited = count;
	while (library->awaited > 0)
		(void)muxbus_loop_dispatch(library->loop, LIVE_TIMEOUT_MS);
}

static double library_p50_us(struct library *library)
{
	double took_us[SINGLES];
	for (int i = 0; i < SINGLES; i++) {
		int64_t start_ns = live_now_ns();
		library_run(library, 1);
		took_us[i] = (double)(live_now_ns() - start_ns) / 1e3;
	}
	return bench_median(took_us, SINGLES);
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

static double rate(int64_t start_ns)
{
	return (double)DEPTH * BATCHES / ((double)(live_now_ns() - start_ns) / 1e9);
}

static double library_rate(struct library *library)
{
	int64_t start_ns = live_now_ns();
	for (int i = 0; i < BATCHES; i++)
		library_run(library, DEPTH);
	return rate(start_ns);
}

static double raw_rate(struct raw *raw)
{
	char lines[DEPTH * sizeof command_line] = "";
	int64_t start_ns = live_now_ns();
	for (int i = 0; i < DEPTH; i++)
		strcat(lines, command_line);
	for (int i = 0; i < BATCHES; i++)
		raw_run(raw, lines, DEPTH);
	return rate(start_ns);
}

static double spawn_p50_us(struct live *live)
{
	const char *const argv[] = {
	    live->tmux, "-S", live->tmux_socket, "display-message", "-p", "#{pane_id}", NULL};
	char *const environment[] = {(char *)(uintptr_t) "TERM=xterm", NULL};
	double took_us[SPAWNS];
	for (int i = 0; i < SPAWNS; i++) {
		int64_t start_ns = live_now_ns();
		posix_spawn_file_actions_t actions;
		char bytes[256];
		int fds[2];
		pid_t pid;
		if (pipe(fds) != 0)
			live_bail("pipe");
		(void)posix_spawn_file_actions_init(&actions);
		(void)posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
		(void)posix_spawn_file_actions_addclose(&actions, fds[0]);
		(void)posix_spawn_file_actions_addclose(&actions, fds[1]);
		if (posix_spawn(&pid, live->tmux, &actions, NULL, (char *const *)(uintptr_t)argv,
			environment) != 0)
			live_bail("posix_spawn");
		(void)posix_spawn_file_actions_destroy(&actions);
		(void)close(fds[1]);
		while (read(fds[0], bytes, sizeof bytes) > 0)
			;
		(void)close(fds[0]);
		(void)waitpid(pid, NULL, 0);
		took_us[i] = (double)(live_now_ns() - start_ns) / 1e3;
	}
	return bench_median(took_us, SPAWNS);
}

int main(void)
{
	struct live *live = live_new(bench_tmux());
	struct library library = {0};
	struct raw *raw;
	double p50[ROUNDS], spawn[ROUNDS], rates[ROUNDS];
	double ours_us[ROUNDS], raw_us[ROUNDS], spawn_us[ROUNDS];
	double our_rate[ROUNDS], their_rate[ROUNDS];
	pid_t pids[2];
	live_start_tmux(live, NULL);
	library_open(&library, live);
	raw = raw_new(live, "ignore-size,no-output");
	pids[0] = live->server_pid;
	pids[1] = raw->pid;
	for (int i = 0; i < ROUNDS; i++) {
		bench_share_processor(true, pids, sizeof pids / sizeof *pids);
		ours_us[i] = library_p50_us(&library);
		raw_us[i] = raw_p50_us(raw);
		spawn_us[i] = spawn_p50_us(live);
		bench_share_processor(false, pids, sizeof pids / sizeof *pids);
		our_rate[i] = library_rate(&library);
		their_rate[i] = raw_rate(raw);
		p50[i] = ours_us[i] / raw_us[i];
		spawn[i] = spawn_us[i] / ours_us[i];
		rates[i] = 100 * our_rate[i] / their_rate[i];
	}
	bench_rounds("library_p50", p50, ROUNDS, "x", "%.0f us against %.0f us",
	    bench_median(ours_us, ROUNDS), bench_median(raw_us, ROUNDS));
	bench_rounds("library_spawn", spawn, ROUNDS, "x", "%.0f us against %.0f us",
	    bench_median(ours_us, ROUNDS), bench_median(spawn_us, ROUNDS));
	bench_rounds("library_rate", rates, ROUNDS, "%", "%.0f against %.0f a second",
	    bench_median(our_rate, ROUNDS), bench_median(their_rate, ROUNDS));
	raw_free(raw);
	muxbus_connection_free(library.connection);
	muxbus_loop_free(library.loop);
	live_free(live);
	return 0;
}
