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
	struct live *live = live_new(tmux);
	int rounds = is_long() ? LONG_ROUNDS : SHORT_ROUNDS;
	int round;
	bool is_in = true;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, "-o attach=always");
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

/* tmux shows the bytes of a buffer escaped to a client in control mode. */
static void check_buffer(const char *tmux)
{
	struct live *live = live_new(tmux);
	const struct json *answer;
	struct talk *talk;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, "-o attach=always");
	talk = talk_new(live);
	live_tmux(live, "set-buffer 'a\fb\342\200\250'");
	answer = talk_call(talk, "run_tmux", "{\"command\":[\"show-buffer\"]}");
	is_str(at_str(answer, "result.output"), "a\fb\342\200\250",
	    "tmux %s: a buffer is shown as it is", live->version);
	talk_free(talk);
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
	live_start_daemon(
	    live, is_long() ? "-o attach=always" : "-o attach=always -o command_timeout_ms=200");
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
static void check_used_slow(const char *tmux)
{
	struct live *live = live_new(tmux);
	struct talk *talk;
	pid_t waker;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, "-o attach=used -o command_timeout_ms=8000");
	talk = talk_new(live);
	(void)kill(live->server_pid, SIGSTOP);
	ok(at(talk_call(talk, "capture_pane", "{\"pane\":\"%%0\"}"), "error") != NULL,
	    "tmux %s, attach=used: a request fails if tmux is stopped", live->version);
	is_str(at_str(talk_call(talk, "wait_for",
			  "{\"any\":[{\"output\":\"x\",\"pane\":\"%%0\"}],\"timeout_sec\":1}"),
		   "error.data.kind"),
	    "tmux_unavailable", "tmux %s: a wait does not say that its pane is gone",
	    live->version);
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

static bool is_attached(struct talk *talk)
{
	const struct json *attached = at(talk_call(talk, "status", NULL), "result.tmux.attached");
	return attached == NULL || attached->boolean;
}

/* Asks for the status until the daemon rests. */
static bool rests_while_asked(struct talk *talk)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		if (!is_attached(talk))
			return true;
		live_sleep_ms(20);
	}
	return false;
}

/* Requests that commands can answer, with a part of each answer. */
static const struct {
	const char *method, *params, *place, *want;
} asked[] = {
    {"list_panes", "{}", "result.panes.0.pane", "%0"},
    {"get_pane", "{\"pane\":\"%0\"}", "result.pane", "%0"},
    {"list_windows", "{}", "result.windows.0.window", "@0"},
    {"list_sessions", "{}", "result.sessions.0.session", "$0"},
    {"capture_pane", "{\"pane\":\"%0\"}", "result.pane", "%0"},
    {"send_text", "{\"pane\":\"%0\",\"text\":\"typed at rest\"}", "result.pane", "%0"},
    {"send_keys", "{\"pane\":\"%0\",\"keys\":\"Enter\"}", "result.pane", "%0"},
    {"run_tmux", "{\"command\":[\"display-message\",\"-p\",\"as a command\"]}", "result.output",
	"as a command\n"},
    {"create_window", "{\"session\":\"main\",\"command\":[\"cat\"]}", "result.pane", "%1"},
    {"focus_pane", "{\"pane\":\"%1\"}", "result.pane", "%1"},
    {"resize_pane", "{\"pane\":\"%1\",\"width\":70}", "result.pane", "%1"},
    {"close_pane", "{\"pane\":\"%1\"}", "result.pane", "%1"},
};

/* The daemon is no client while it can do with commands. */
static void check_asked(struct live *live, struct talk *talk)
{
	for (size_t at_row = 0; at_row < sizeof asked / sizeof *asked; at_row++) {
		const struct json *answer =
		    talk_call(talk, asked[at_row].method, "%s", asked[at_row].params);
		const char *got = at_str(answer, asked[at_row].place);
		if (!is_str(got != NULL ? got : "(none)", asked[at_row].want,
			"tmux %s, at rest: %s", live->version, asked[at_row].method))
			diag("%s", talk_text(talk));
	}
	/* Another program renames the window behind our back: the next answer has it. */
	for (int round = 0; round < 20; round++) {
		char name[16];
		(void)snprintf(name, sizeof name, "name%d", round);
		live_tmux(live, "rename-window -t main:0 %s", name);
		if (strcmp(at_str(talk_call(talk, "list_windows", NULL), "result.windows.0.name"),
			name) != 0) {
			ok(false, "tmux %s, at rest: a reading is exact", live->version);
			return;
		}
	}
	ok(true, "tmux %s, at rest: a reading is exact", live->version);
}

/* Attached only while a program needs output or events, and for two seconds after. */
/*
 * A wait for output and, in the same write, the keys that cause it: the program prints at once, so the
 * keys must come behind the wait, though the daemon attaches and follows the pane only now.
 */
static void check_order(struct live *live, struct talk *talk, bool is_at_rest)
{
	static const char program[] = "stty -echo; while read x; do echo mark$x!; done";
	unsigned lost = 0;
	for (unsigned round = 0; round < 5; round++) {
		const struct json *timed_out;
		char pane[16];
		(void)snprintf(pane, sizeof pane, "%s",
		    live_tmux(live, "new-window -dP -F '#{pane_id}' '%s'", program));
		if (is_at_rest && !rests_while_asked(talk))
			break;
		talk_send(talk,
		    "{\"id\":\"w\",\"method\":\"wait_for\",\"params\":{\"any\":[{\"output\":"
		    "\"mark%u!\",\"pane\":\"%s\"}],\"timeout_sec\":3}}\n"
		    "{\"method\":\"run_tmux\",\"params\":{\"command\":["
		    "\"send-keys\",\"-t\",\"%s\",\"%u\",\"Enter\"]}}",
		    round, pane, pane, round);
		timed_out = at(talk_response(talk, "w", LIVE_TIMEOUT_MS), "result.timed_out");
		lost += timed_out == NULL || timed_out->boolean;
	}
	is_int((int)lost, 0, "tmux %s: keys come behind the wait for what they cause (%s)",
	    live->version, is_at_rest ? "at rest" : "attached");
}

/* Output behind a capture at rest is read, or said to be missing. */
static void check_gap(struct live *live, struct talk *talk)
{
	const struct json *gap;
	char pane[16] = "", tty[64] = "";
	(void)sscanf(live_tmux(live, "new-window -dP -F '#{pane_id} #{pane_tty}' 'exec cat'"),
	    "%15s %63s", pane, tty);
	(void)talk_call(talk, "capture_pane", "{\"pane\":\"%s\"}", pane);
	(void)live_run(live, "printf unseen >%s", tty);
	gap =
	    at(talk_call(talk, "read_output", "{\"pane\":\"%s\",\"after\":0}", pane), "result.gap");
	ok(gap != NULL && gap->type == JSON_OBJECT,
	    "tmux %s, at rest: output behind a capture is said to be missing", live->version);
	(void)live_tmux(live, "kill-pane -t %s", pane);
}

/* A command of tmux that names no pane for keys or an end needs no listing. */
static void check_unlisted(struct live *live, struct talk *talk)
{
	(void)live_tmux(live, "set-hook -g after-list-panes 'set -g @listed yes'");
	is_str(at_str(talk_call(
			  talk, "run_tmux", "{\"command\":[\"display-message\",\"-p\",\"said\"]}"),
		   "result.output"),
	    "said\n", "tmux %s, at rest: a command is run", live->version);
	is_str(live_tmux(live, "show -gqv @listed"), "", "tmux %s: and nothing is listed for it",
	    live->version);
	(void)live_tmux(live, "set-hook -gu after-list-panes");
}

static void check_used(const char *tmux)
{
	struct live *live = live_new(tmux);
	struct talk *talk, *other;
	live_start_tmux(live, "exec cat");
	live_tmux(live, "set-hook -g client-attached 'run-shell \"echo attached >>%s/attached\"'",
	    live->dir);
	live_start_daemon(live, "-o attach=used");
	talk = talk_new(live);
	ok(!is_attached(talk), "tmux %s, attach=used: the daemon rests from the start",
	    live->version);
	check_asked(live, talk);
	ok(at(talk_call(talk, "post_notification", "{\"text\":\"-\"}"), "result") != NULL,
	    "tmux %s: a notification is queued", live->version);
	other = talk_new(live);
	talk_send(other,
	    "{\"id\":1,\"method\":\"wait_for\",\"params\":{\"any\":[{\"notification\":"
	    "\"x\"},{\"sec\":60}]}}");
	talk_send(
	    other, "{\"id\":2,\"method\":\"subscribe\",\"params\":{\"kinds\":[\"notification\"]}}");
	(void)talk_response(other, "2", LIVE_TIMEOUT_MS);
	live_sleep_ms(2500); /* longer than the delay of a rest */
	is_str(live_run(live, "cat attached 2>/dev/null; true"), "",
	    "tmux %s: none of this has attached, once", live->version);
	talk_free(other);
	talk_call(talk, "subscribe", "{\"kinds\":[\"pane_created\"]}");
	ok(strstr(live_tmux(live, "list-clients"), "control") != NULL,
	    "tmux %s: a subscription attaches before its answer", live->version);
	live_tmux(live, "new-window -d 'exec sleep 3600'");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "pane_created", NULL, NULL) != NULL,
	    "tmux %s: and gets its event", live->version);
	live_sleep_ms(2500);
	live_tmux(live, "new-window -d 'exec sleep 3600'");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "pane_created", NULL, NULL) != NULL,
	    "tmux %s: and stays attached", live->version);
	talk_free(talk);
	ok(live_tmux_until(live, "", "list-clients"), "tmux %s: until its peer leaves",
	    live->version);
	talk = talk_new(live);
	check_unlisted(live, talk);
	check_gap(live, talk);
	ok(rests_while_asked(talk), "tmux %s: the daemon rests again, though its status is asked",
	    live->version);
	ok(at(talk_call(talk, "wait_for", "{\"any\":[{\"quiet_sec\":0.1,\"pane\":\"%%0\"}]}"),
	       "result") != NULL,
	    "tmux %s: a wait for output attaches, and ends", live->version);
	check_order(live, talk, true);
	(void)talk_call(talk, "subscribe", "{\"kinds\":[\"pane_created\"]}");
	check_order(live, talk, false);
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
		check_buffer(paths[i]);
		check_stopped(paths[i]);
		check_suspended(paths[i]);
		check_used(paths[i]);
		check_used_slow(paths[i]);
	}
	return done_testing();
}
