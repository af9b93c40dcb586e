/* SPDX-License-Identifier: ISC */
/*
 * An audit counts only what tmux would have announced: not a respawned pane, not what changed
 * while a connection or the whole server was lost. On every tmux at hand, with audits all the
 * time.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "harness.h"

enum { RESPAWNS = 50, LOSSES = 3, PANES = 5 };

static struct live *live;
static struct talk *talk;
static int64_t drift; /* so far */
static char differences[512]; /* the first of each audit that found some */

/* An audit is under way, from here until end_audit(). */
static void begin_audit(void)
{
	talk_send(talk, "{\"id\":\"audit\",\"method\":\"status\",\"params\":{\"audit\":true}}");
}

static void end_audit(void)
{
	const struct json *answer = talk_response(talk, "audit", LIVE_TIMEOUT_MS);
	const char *first = at_str(answer, "result.audit.first");
	size_t len = strlen(differences);
	if (first != NULL)
		(void)snprintf(differences + len, sizeof differences - len, "%s; ", first);
}

/* Drift since the last check must be 0. The last audit is answered by a daemon that follows tmux. */
static void check(const char *when)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	const struct json *answer;
	int64_t now;
	do {
		answer = talk_call(talk, "status", "{\"audit\":true}");
		live_sleep_ms(10);
	} while (at(answer, "result") == NULL && live_now_ms() < end_ms);
	now = at_int(answer, "result.model.drift");
	if (!is_int(now - drift, 0, "tmux %s: no drift %s", live->version, when))
		diag("%s", differences);
	drift = now;
	diag("%lld audits", (long long)at_int(answer, "result.model.audits"));
	differences[0] = '\0';
}

/* Runs a script, with t for tmux, and audits one after the other until it ends. */
static void audit_during(const char *script)
{
	int64_t end_ms = live_now_ms() + 3 * LIVE_TIMEOUT_MS;
	pid_t pid = live_spawn(
	    live, "t() { '%s' -S '%s' \"$@\"; }\n%s", live->tmux, live->tmux_socket, script);
	while (waitpid(pid, NULL, WNOHANG) == 0 && live_now_ms() < end_ms) {
		begin_audit();
		end_audit();
	}
}

static void start(void)
{
	live_start_tmux(live, "exec sleep 3600");
	live_tmux(live, "new-session -d -s other 'exec sleep 3600'");
}

static void test_respawn(void)
{
	char script[256];
	live_tmux(live, "new-window -d -t main: -n again 'exec sleep 3600'");
	(void)snprintf(script, sizeof script,
	    "for i in $(seq %d); do t respawn-pane -k -t main:again 'exec sleep 3600'; done",
	    RESPAWNS);
	audit_during(script);
	check("when a pane gets another program");
}

/*
 * In one list tmux closes our connection and changes panes of its session, which it would have
 * announced to no other connection.
 */
static void test_lost_connection(const char *session)
{
	char script[512];
	(void)snprintf(script, sizeof script,
	    "for i in $(seq %d); do\n"
	    "	until t list-clients -t %s | grep -q .; do sleep 0.02; done\n"
	    "	set -- detach-client -s %s\n"
	    "	for w in $(seq %d); do\n"
	    "		set -- \"$@\" ';' split-window -d -t %s:0 'exec sleep 3600' ';' "
	    "select-layout -t %s:0 tiled\n"
	    "	done\n"
	    "	t \"$@\"; t kill-pane -a -t %s:0.0\n"
	    "done",
	    LOSSES, session, session, PANES, session, session, session);
	audit_during(script);
	check("when a connection is lost");
}

/* A stopped server takes no command: the daemon gives its connections up, and tries again. */
static void test_stopped(void)
{
	const struct json *answer;
	(void)kill(live->server_pid, SIGSTOP);
	for (int i = 0; i < PANES; i++)
		(void)live_spawn(live, "'%s' -S '%s' new-window -d 'exec sleep 3600'", live->tmux,
		    live->tmux_socket);
	answer = talk_call(talk, "capture_pane", "{\"pane\":\"main:0\"}");
	ok(at(answer, "error") != NULL, "tmux %s: a stopped server does not answer", live->version);
	begin_audit();
	live_sleep_ms(500);
	(void)kill(live->server_pid, SIGCONT);
	end_audit();
	check("when the server was stopped");
}

static void test_restart(void)
{
	begin_audit();
	live_tmux(live, "kill-server");
	end_audit();
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	     kill(live->server_pid, 0) == 0 && live_now_ms() < end_ms;)
		live_sleep_ms(5);
	start();
	for (int i = 0; i < PANES; i++) {
		begin_audit();
		live_tmux(live, "new-window -d -t main: 'exec sleep 3600'");
		end_audit();
	}
	check("when the server was started again");
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	(void)live_daemon_path();
	for (; *paths != NULL; paths++) {
		drift = 0;
		live = live_new(*paths);
		start();
		live_start_daemon(live, "-o command_timeout_ms=1000");
		talk = talk_new(live);
		test_respawn();
		test_lost_connection("main");
		test_lost_connection("other");
		test_stopped();
		test_restart();
		talk_free(talk);
		live_free(live);
	}
	return done_testing();
}
