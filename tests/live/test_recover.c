/* SPDX-License-Identifier: ISC */
/*
 * Recovery from faults: tmux dies and another comes, the daemon is killed in the middle of a
 * flood, stopped for a second, or started twice. No pane is delayed, no client is left attached,
 * and no pane of the new server is taken for one of the old.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "harness.h"

/* The old server's panes are gone, and %0 is another pane now. */
static void check_restart(const char *tmux)
{
	struct live *live = live_start(tmux, "echo old; exec sleep 3600");
	struct talk *talk = talk_new(live);
	const char *text;
	const struct json *panes, *response;
	live_tmux(live, "new-window -d 'exec sleep 3600'");
	talk_call(talk, "subscribe", "{}");
	(void)kill(live->server_pid, SIGKILL);
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "server_lost", NULL, NULL) != NULL,
	    "tmux %s killed: server_lost", live->version);
	response = talk_call(talk, "get_pane", "{\"pane\":\"%%0\"}");
	ok(at(response, "error") != NULL, "tmux %s killed: its panes are no longer listed",
	    live->version);

	live_start_tmux(live, "echo new; exec sleep 3600");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "server_found", NULL, NULL) != NULL,
	    "tmux %s started again: server_found", live->version);
	response = talk_call(talk, "list_panes", NULL);
	panes = at(response, "result.panes");
	is_int(panes == NULL ? -1 : (int)panes->count, 1,
	    "tmux %s again: only the new server's panes", live->version);
	response = talk_call(talk, "capture_pane", "{\"pane_id\":\"%%0\"}");
	text = at_str(response, "result.text");
	ok(text != NULL && strstr(text, "new") != NULL && strstr(text, "old") == NULL,
	    "tmux %s again: %%0 is the new pane", live->version);
	live_tmux(live, "split-window -d 'exec sleep 3600'");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "pane_created", NULL, NULL) != NULL,
	    "tmux %s again: it is followed", live->version);
	talk_free(talk);
	live_free(live);
}

static void check_second_instance(const char *tmux)
{
	struct live *live = live_start(tmux, "exec sleep 3600");
	pid_t first = live->daemon_pid;
	char pid[16];
	int status;
	struct talk *talk;
	const char *log;
	(void)snprintf(pid, sizeof pid, "%d", (int)first);
	if (live_try_daemon(live, NULL))
		(void)live_stop_daemon(live, 0); /* the second daemon is ready, and ends */
	log = live_daemon_log(live);
	if (!ok(strstr(log, pid) != NULL, "a second daemon says that %s is running", pid))
		diag("%s", log);
	live->daemon_pid = first;
	talk = talk_new(live);
	ok(at(talk_call(talk, "ping", NULL), "result") != NULL, "and the first continues");
	talk_free(talk);

	(void)live_stop_daemon(live, SIGKILL);
	is_str(live_run(live, "test -S '%s' && echo there", live->socket), "there",
	    "a killed daemon leaves its socket");
	live_start_daemon(live, NULL);
	talk = talk_new(live);
	ok(at(talk_call(talk, "ping", NULL), "result") != NULL, "and the next daemon replaces it");
	talk_free(talk);
	status = live_stop_daemon(live, SIGTERM);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "SIGTERM: status 0");
	is_str(live_run(live, "test -e '%s' || echo gone", live->socket), "gone",
	    "and the socket is gone");
	live_free(live);
}

/* SIGKILL of the daemon in a flood that it delivers: the pane must run to its end. */
static void check_kill_in_flood(const char *tmux)
{
	struct live *live = live_start(tmux, "exec sleep 3600");
	struct talk *talk = talk_new(live);
	pid_t connections[16];
	bool is_gone, is_done;
	int alive;
	size_t count;
	talk_call(talk, "subscribe", "{\"output\":true}");
	live_tmux(live,
	    "new-window -d -n flood 'yes 0123456789abcdef | head -c 40000000; echo > done; exec "
	    "sleep 3600'");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "pane_output", NULL, NULL) != NULL,
	    "tmux %s: the flood runs", live->version);
	count = live_connections(live, connections, 16);
	(void)live_stop_daemon(live, SIGKILL);
	ok(live_tmux_until(live, "", "list-clients"), "tmux %s: no client is left", live->version);
	alive = 0;
	for (int64_t end_ms = live_now_ms() + 5000; live_now_ms() < end_ms; live_sleep_ms(10)) {
		alive = 0;
		for (size_t i = 0; i < count; i++)
			alive += kill(connections[i], 0) == 0;
		if (alive == 0)
			break;
	}
	is_int(alive, 0, "tmux %s: no tmux -C is left (of %zu)", live->version, count);
	is_done = false;
	for (int64_t end_ms = live_now_ms() + 60000; !is_done && live_now_ms() < end_ms;
	     live_sleep_ms(20)) {
		live_run(live, "test -e done");
		is_done = live->status == 0;
	}
	ok(is_done, "tmux %s: the flooding program runs to its end", live->version);
	talk_free(talk);
	live_tmux(live, "kill-server");
	is_gone = false;
	for (int64_t end_ms = live_now_ms() + 5000; !is_gone && live_now_ms() < end_ms;
	     live_sleep_ms(10))
		is_gone = kill(live->server_pid, 0) == -1;
	ok(is_gone, "tmux %s: kill-server works", live->version);
	live_free(live);
}

/* SIGSTOP for a second in the middle of output: afterwards no output is missing. */
static void check_stop(const char *tmux)
{
	struct live *live = live_start(tmux, "exec sleep 3600");
	struct talk *talk = talk_new(live);
	uint64_t next = 0;
	bool is_whole = true;
	bool has_next = false;
	bool is_done = false;
	const struct json *audit;
	talk_call(talk, "subscribe", "{\"output\":true}");
	live_tmux(live, "new-window -d 'seq 1 200000; echo that is all; exec sleep 3600'");
	(void)talk_event(talk, LIVE_TIMEOUT_MS, "pane_output", NULL, NULL);
	(void)kill(live->daemon_pid, SIGSTOP);
	live_sleep_ms(1000);
	(void)kill(live->daemon_pid, SIGCONT);
	while (!is_done) {
		const struct json *params =
		    talk_event(talk, LIVE_TIMEOUT_MS, "pane_output", NULL, NULL);
		const struct json *text;
		uint64_t offset;
		if (params == NULL)
			break;
		text = at(params, "text");
		offset = (uint64_t)at_int(params, "offset");
		if (has_next && offset != next)
			is_whole = false;
		has_next = true;
		next = offset + text->len;
		is_done = strstr(text->text, "that is all") != NULL;
	}
	ok(is_done, "tmux %s: output continues after a stop of a second", live->version);
	ok(is_whole, "tmux %s: and none of it is lost", live->version);
	audit = talk_call(talk, "status", "{\"audit\":true}");
	is_int(at_int(audit, "result.model.drift"), 0, "tmux %s: no drift", live->version);
	talk_free(talk);
	live_free(live);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	(void)live_daemon_path();
	check_second_instance(*paths);
	for (; *paths != NULL; paths++) {
		check_restart(*paths);
		check_kill_in_flood(*paths);
		check_stop(*paths);
	}
	return done_testing();
}
