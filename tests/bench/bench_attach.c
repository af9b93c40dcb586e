/* SPDX-License-Identifier: ISC */
/*
 * Attaching to tmux (G23): from muxbus_connection_open() to the ready connection, in turns with a
 * `tmux -C` process; the processes that this needs; and the time from the end of the only session,
 * when another one takes its place, to a command that tmux runs in the new session.
 */
#include <muxbus.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "trial.h"

enum { ROUNDS = 21, PANES = 10, CONNECTIONS_MAX = 64, AHEAD_MS = 100 };

static double attach_ms(struct live *live)
{
	const struct muxbus_connection_options options = {
	    .socket_path = live->tmux_socket,
	    .session = MUXBUS_NO_ID,
	    .flags = MUXBUS_CONNECTION_NO_OUTPUT,
	};
	int64_t start_ns = live_now_ns();
	struct trial trial;
	double took_ms;
	trial_open(&trial, &options);
	if (trial.open_error != 0 || !trial_until(&trial, &trial.ready))
		live_bail("the library does not attach: %s", trial.reason);
	took_ms = (double)(live_now_ns() - start_ns) / 1e6;
	muxbus_connection_close(trial.connection);
	(void)trial_until(&trial, &trial.closed);
	trial_finish(&trial);
	return took_ms;
}

static double attach_raw_ms(struct live *live)
{
	int64_t start_ns = live_now_ns();
	struct raw *raw = raw_new(live, "ignore-size,no-output");
	double took_ms = (double)(live_now_ns() - start_ns) / 1e6;
	raw_free(raw);
	return took_ms;
}

static void bench_attaching(struct live *live)
{
	double ours[ROUNDS], theirs[ROUNDS];
	(void)attach_ms(live);
	for (int i = 0; i < ROUNDS; i++) {
		theirs[i] = attach_raw_ms(live);
		live_sleep_ms(20);
		ours[i] = attach_ms(live);
		live_sleep_ms(20);
	}
	bench_pairs("attach_process", ours, theirs, ROUNDS, "ms", "tmux %s", live->version);
	bench_rounds("attach", ours, ROUNDS, "ms", "%d panes", PANES);
}

/* Waits for the end of the program in the only session. Returns the time of that. */
static int64_t wait_for_end(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	int64_t now_ns;
	if (fd < 0 || poll(&wait, 1, LIVE_TIMEOUT_MS) != 1)
		live_bail("the session does not end");
	now_ns = live_now_ns();
	(void)close(fd);
	return now_ns;
}

static double reconnect_ms(struct live *live, struct talk *talk, int round)
{
	pid_t pid = (pid_t)atoi(live_tmux(live, "display-message -p -t r%d: '#{pane_pid}'", round));
	char name[16];
	int64_t end_ns, now_ns;
	(void)snprintf(name, sizeof name, "r%d", round + 1);
	(void)live_spawn(live,
	    "'%s' -S '%s' new-session -d -s %s 'exec sleep 3600' \\; kill-session -t r%d",
	    live->tmux, live->tmux_socket, name, round);
	end_ns = wait_for_end(pid);
	do {
		const char *output =
		    at_str(talk_call_json(talk, "run_tmux",
			       "{\"command\":[\"display-message\",\"-p\",\"#{session_name}\"]}"),
			"result.output");
		now_ns = live_now_ns();
		if (output != NULL && strncmp(output, name, strlen(name)) == 0)
			return (double)(now_ns - end_ns) / 1e6;
	} while (now_ns - end_ns < LIVE_TIMEOUT_MS * INT64_C(1000000));
	live_bail("the daemon does not connect again: %s", talk_text(talk));
}

static void bench_reconnecting(struct live *live)
{
	struct talk *talk;
	double took_ms[ROUNDS];
	pid_t pids[CONNECTIONS_MAX];
	live_tmux(live, "new-session -d -s r0 'exec sleep 3600' \\; kill-session -t main");
	live_start_daemon(live, NULL);
	talk = talk_new(live);
	for (int i = 0; i < ROUNDS; i++) {
		took_ms[i] = reconnect_ms(live, talk, i);
		live_sleep_ms(AHEAD_MS);
	}
	bench_rounds("reconnect", took_ms, ROUNDS, "ms", "its only session has ended");
	bench_row("attach_processes", (double)live_connections(live, pids, CONNECTIONS_MAX), "-",
	    "of the daemon, with a session attached");
	talk_free(talk);
}

int main(void)
{
	struct live *live = live_new(bench_tmux());
	live_start_tmux(live, "exec sleep 3600");
	bench_fill(live, PANES, PANES);
	bench_attaching(live);
	bench_reconnecting(live);
	live_free(live);
	return 0;
}
