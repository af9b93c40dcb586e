/* SPDX-License-Identifier: ISC */
/*
 * No attach kills a tmux server: not while sessions come and go, not when the session that the
 * daemon sits in is killed, and not on a server that was stopped and goes on. `tmux -C` killed
 * tmux up to 3.6b in each of the three. $MUXBUS_TEST_LONG asks for 1,000 rounds, and for 20 s.
 */
#include <muxbus.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "harness.h"
#include "trial.h"

enum { CHURNERS = 3, SHORT_ROUNDS = 60, LONG_ROUNDS = 1000, STOPS = 5 };

static bool is_long(void)
{
	return getenv("MUXBUS_TEST_LONG") != NULL;
}

static bool is_alive(const struct live *live)
{
	return kill(live->server_pid, 0) == 0;
}

/* Attaches and leaves by turns politely and at once. Returns whether tmux answered. */
static bool attach_once(const struct live *live, int round)
{
	const struct muxbus_connection_options options = {
	    .socket_path = live->tmux_socket,
	    .session = MUXBUS_NO_ID,
	    .flags = round % 2 == 0 ? MUXBUS_CONNECTION_NO_OUTPUT : 0,
	};
	struct trial trial;
	bool is_ready;
	trial_open(&trial, &options);
	is_ready = trial.open_error == 0 && trial_until(&trial, &trial.ready);
	if (is_ready && round % 3 == 0) {
		muxbus_connection_close(trial.connection);
		(void)trial_until(&trial, &trial.closed);
	}
	trial_finish(&trial);
	return is_ready;
}

/* Attaches while other clients create, rename and kill sessions. */
static void check_churn(const char *tmux)
{
	struct live *live = live_new(tmux);
	int rounds = is_long() ? LONG_ROUNDS : SHORT_ROUNDS;
	pid_t churners[CHURNERS];
	int answered = 0;
	int round;
	live_start_tmux(live, "exec sleep 3600");
	for (int i = 0; i < CHURNERS; i++)
		churners[i] = live_spawn(live,
		    "while :; do %s -S %s new-session -d -s s%d 'sleep 100' \\; kill-session -t "
		    "s%d \\; rename-session -t main main; done >/dev/null 2>&1",
		    live->tmux, live->tmux_socket, i, i);
	for (round = 0; round < rounds && is_alive(live); round++)
		answered += attach_once(live, round);
	for (int i = 0; i < CHURNERS; i++) {
		(void)kill(churners[i], SIGKILL);
		(void)waitpid(churners[i], NULL, 0);
	}
	ok(is_alive(live), "tmux %s: alive after %d attaches among changes", live->version, round);
	is_int(answered, rounds, "tmux %s: each was answered", live->version);
	live_free(live);
}

/* Kills a session as soon as the daemon sits in it. */
static void check_killed_sessions(const char *tmux)
{
	struct live *live = live_start(tmux, "exec sleep 3600");
	int rounds = is_long() ? LONG_ROUNDS : SHORT_ROUNDS;
	int round;
	bool is_in = true;
	for (round = 0; round < rounds && is_in && is_alive(live); round++) {
		live_tmux(live, "new-session -d -s victim 'exec sleep 3600'");
		is_in = live_tmux_until(
		    live, "1", "list-clients -t victim -F '#{client_control_mode}'");
		live_tmux(live, "kill-session -t victim");
	}
	ok(is_alive(live) && is_in, "tmux %s: alive after %d sessions killed under the daemon",
	    live->version, round);
	live_free(live);
}

/* Asks for a picture until there is one. */
static bool is_back(struct talk *talk)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		if (at(talk_call(talk, "capture_pane", "{\"pane\":\"%%0\"}"), "result") != NULL)
			return true;
		live_sleep_ms(20);
	}
	return false;
}

/* Asks all the time, while the server is stopped for longer than several deadlines. */
static void check_stopped(const char *tmux)
{
	struct live *live = live_new(tmux);
	int stop_ms = is_long() ? 20000 : 1200;
	int rounds = is_long() ? STOPS : 1;
	bool has_come_back = true;
	struct talk *talk;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, is_long() ? "" : "-o command_timeout_ms=200");
	talk = talk_new(live);
	for (int round = 0; round < rounds && has_come_back && is_alive(live); round++) {
		int64_t start_ms = live_now_ms();
		(void)kill(live->server_pid, SIGSTOP);
		while (live_now_ms() - start_ms < stop_ms)
			talk_call(talk, "capture_pane", "{\"pane\":\"%%0\"}");
		(void)kill(live->server_pid, SIGCONT);
		has_come_back = is_back(talk);
	}
	ok(is_alive(live) && has_come_back, "tmux %s: alive after %d stops of %d ms", live->version,
	    rounds, stop_ms);
	is_str(live_tmux(live, "list-clients -F '#{client_control_mode}'"), "1",
	    "tmux %s: one client is left", live->version);
	talk_free(talk);
	live_free(live);
}

/* tmux drops the output for a suspended client. */
static void check_suspended(const char *tmux)
{
	struct live *live = live_start(tmux, "exec cat");
	struct talk *talk = talk_new(live);
	bool is_read = false;
	talk_call(talk, "subscribe", "{\"kinds\":[\"pane_output\"],\"output\":true}");
	live_tmux(live, "suspend-client -t \"$(%s -S %s list-clients -F '#{client_name}')\"",
	    live->tmux, live->tmux_socket);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	     !is_read && live_now_ms() < end_ms;) {
		const char *text;
		live_tmux(live, "send-keys again Enter");
		text = at_str(talk_call(talk, "read_output", "{\"pane\":\"%%0\"}"), "result.text");
		is_read = text != NULL && strstr(text, "again") != NULL;
		live_sleep_ms(20);
	}
	ok(is_read, "tmux %s: output comes again after the client was suspended", live->version);
	talk_free(talk);
	live_free(live);
}

/* The daemon does not rest before the answer of a server that is stopped, or slow. */
static void check_wanted_slow(const char *tmux)
{
	struct live *live = live_new(tmux);
	struct talk *talk;
	pid_t waker;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, "-o attach=wanted -o command_timeout_ms=20000");
	talk = talk_new(live);
	(void)kill(live->server_pid, SIGSTOP);
	ok(at(talk_call(talk, "capture_pane", "{\"pane\":\"%%0\"}"), "error") != NULL,
	    "tmux %s, attach=wanted: a request fails if tmux is stopped", live->version);
	(void)kill(live->server_pid, SIGCONT);
	(void)is_back(talk);
	(void)kill(live->server_pid, SIGSTOP);
	waker = live_spawn(live, "sleep 4; kill -CONT %d", (int)live->server_pid);
	ok(at(talk_call(talk, "capture_pane", "{\"pane\":\"%%0\"}"), "result") != NULL,
	    "tmux %s: a request that takes four seconds is not cut", live->version);
	(void)waitpid(waker, NULL, 0);
	talk_free(talk);
	live_free(live);
}

/* Asks for the status until the daemon rests. */
static bool rests_while_asked(struct talk *talk)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		const char *state = at_str(talk_call(talk, "status", NULL), "result.tmux.state");
		if (state != NULL && strcmp(state, "resting") == 0)
			return true;
		live_sleep_ms(20);
	}
	return false;
}

/* Attached only while a program needs tmux, and for two seconds after. */
static void check_wanted(const char *tmux)
{
	struct live *live = live_new(tmux);
	struct talk *talk;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, "-o attach=wanted");
	talk = talk_new(live);
	is_str(at_str(talk_call(talk, "status", NULL), "result.tmux.state"), "resting",
	    "tmux %s, attach=wanted: the daemon rests from the start", live->version);
	is_str(live_tmux(live, "list-clients"), "", "tmux %s: no client", live->version);
	ok(at(talk_call(talk, "capture_pane", "{\"pane\":\"%%0\"}"), "result") != NULL,
	    "tmux %s: a request attaches and is answered", live->version);
	ok(rests_while_asked(talk), "tmux %s: the daemon rests again, though its status is asked",
	    live->version);
	is_str(live_tmux(live, "list-clients"), "", "tmux %s: without a client", live->version);
	ok(at(talk_call(talk, "post_notification", "{\"pane\":\"%%0\",\"text\":\"-\"}"),
	       "result") != NULL,
	    "tmux %s: a request that names a pane attaches too", live->version);
	talk_call(talk, "ack_notification", "{\"up_to\":1000000}");
	(void)live_tmux_until(live, "", "list-clients");
	talk_call(talk, "subscribe", "{\"kinds\":[\"pane_created\"]}");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "pane_created", NULL, NULL) != NULL,
	    "tmux %s: a subscription attaches", live->version);
	live_sleep_ms(2500); /* longer than the delay of a rest */
	live_tmux(live, "new-window -d 'exec sleep 3600'");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "pane_created", NULL, NULL) != NULL,
	    "tmux %s: and stays attached", live->version);
	talk_free(talk);
	ok(live_tmux_until(live, "", "list-clients"), "tmux %s: until its peer leaves",
	    live->version);
	talk = talk_new(live);
	live_tmux(live, "kill-server");
	ok(at(talk_call(talk, "capture_pane", "{\"pane\":\"%%0\"}"), "error") != NULL,
	    "tmux %s: without a server a request fails", live->version);
	talk_free(talk);
	live_free(live);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	(void)unsetenv("MUXBUS_ATTACH");
	for (size_t i = 0; paths[i] != NULL; i++) {
		check_churn(paths[i]);
		check_killed_sessions(paths[i]);
		check_stopped(paths[i]);
		check_suspended(paths[i]);
		check_wanted(paths[i]);
		check_wanted_slow(paths[i]);
	}
	return done_testing();
}
