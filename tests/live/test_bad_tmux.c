/* SPDX-License-Identifier: ISC */
/*
 * Errors around the daemon: tmux missing, too old, hung or killed while it answers; a socket that
 * cannot be made. The daemon names the error and the remedy; requests are answered within their
 * deadline, with an error; and the daemon recovers.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

/* Expects that the daemon does not start, and prints each of the words. */
static void refuses(struct live *live, const char *arguments, const char *word, const char *what)
{
	bool has_started = live_try_daemon(live, arguments);
	int status = live->status;
	const char *log = live_daemon_log(live);
	if (!ok(!has_started && status != 0 && status < 128 && strstr(log, word) != NULL,
		"%s: refused, with \"%s\"", what, word))
		diag("status %d: %s", status, log);
	if (has_started)
		(void)live_stop_daemon(live, SIGTERM);
}

static void check_bad_sockets(struct live *live)
{
	char *arguments = xasprintf("-s '%s/%0120d'", live->dir, 0);
	refuses(live, arguments, "107", "a socket path that does not fit");
	mem_free(arguments);
	live_run(live, "mkdir open && chmod 0777 open");
	refuses(live, "-s open/socket", "open", "a directory that others can write to");
	live_run(live, "mkdir -m 0700 mine; ln -s mine link; touch mine/file");
	refuses(live, "-s mine/file", "file", "a file that is no socket");
	is_str(live_run(live, "test -f mine/file && echo there"), "there", "and the daemon stays");
	refuses(live, "-s nosuch/socket", "nosuch", "a directory that is not there");
	refuses(live, "--nosuch", "nosuch", "an option that is not there");
	refuses(live, "-o nosuch=1", "nosuch", "a setting that is not there");
	refuses(live, "-o peers=x", "peers", "a setting that is no number");
}

/* A daemon that starts without a tmux server waits for one, or names the reason why it does not. */
static void check_no_server(void)
{
	struct live *live = live_new(NULL);
	bool has_started = live_try_daemon(live, NULL);
	if (has_started) {
		struct talk *talk = talk_new(live);
		const struct json *response = talk_call(talk, "list_panes", NULL);
		is_str(at_str(response, "error.data.kind"), "tmux_unavailable",
		    "no tmux server: tmux_unavailable");
		talk_call(talk, "subscribe", "{}");
		live_start_tmux(live, "exec sleep 3600");
		ok(talk_event(talk, LIVE_TIMEOUT_MS, "server_found", NULL, NULL) != NULL,
		    "and the server is found when it starts");
		talk_free(talk);
	} else {
		ok(strstr(live_daemon_log(live), "tmux") != NULL, "no tmux server: reported");
	}
	live_free(live);
}

/* Either the daemon does not start, or requests name the missing part. */
static void check_no_binary(struct live *live)
{
	bool has_started = live_try_daemon(live, "-o attach=always --tmux /nonexistent/tmux");
	struct talk *talk = has_started ? talk_new(live) : NULL;
	const char *words = live_daemon_log(live);
	if (has_started) {
		const struct json *response = talk_call(talk, "list_panes", NULL);
		is_str(at_str(response, "error.data.kind"), "tmux_unavailable",
		    "a missing tmux: tmux_unavailable");
		words = talk_text(talk);
	}
	if (!ok(strstr(words, "/nonexistent/tmux") != NULL, "a missing tmux: named"))
		diag("%s", words);
	talk_free(talk);
	(void)live_stop_daemon(live, SIGTERM);
}

/* How often a control client came within a second. */
static size_t count_attached(struct live *live)
{
	int64_t end_ms = live_now_ms() + 1000;
	size_t count;
	do {
		live_sleep_ms(50);
		count = strlen(live_tmux(live, "show-options -gqv @attached"));
	} while (count < 2 && live_now_ms() < end_ms);
	return count;
}

static void check_too_old(const char *name)
{
	const char *old = live_cached(name);
	bool has_started;
	const char *words;
	struct talk *talk;
	struct live *live;
	if (old == NULL) {
		skip(name);
		return;
	}
	live = live_new(old);
	live_start_tmux(live, "exec sleep 3600");
	live_tmux(live, "set-hook -g client-attached 'set-option -ga @attached x'");
	has_started = live_try_daemon(live, NULL);
	words = live_daemon_log(live);
	talk = has_started ? talk_new(live) : NULL;
	if (has_started) {
		ok(at(talk_call(talk, "list_panes", NULL), "error") != NULL,
		    "%s: requests are refused", name);
		words = talk_text(talk);
	}
	ok(strstr(words, "3.3") != NULL, "%s: the error names the required version", name);
	diag("%s", words);
	talk_free(talk);
	ok(count_attached(live) < 2, "%s: the daemon does not attach again and again", name);
	ok(strcmp(live_tmux(live, "list-sessions -F '#{session_name}'"), "main") == 0,
	    "%s: the server continues", name);
	live_free(live);
	mem_free((char *)(uintptr_t)old);
}

/* A hung server: an error within the deadline; afterwards everything works again. */
static void check_hung(const char *tmux)
{
	struct live *live = live_new(tmux);
	const char *clients, *kind;
	bool is_back;
	const struct json *response;
	int64_t took_ms, start_ms;
	struct talk *talk, *other;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, "-o command_timeout_ms=2000");
	talk = talk_new(live);
	other = talk_new(live);
	(void)kill(live->server_pid, SIGSTOP);
	start_ms = live_now_ms();
	talk_send(talk, "{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"pane_id\":\"%%0\"}}");
	ok(at(talk_call(other, "ping", NULL), "result") != NULL && live_now_ms() - start_ms < 500,
	    "tmux %s hung: a request that needs no tmux is answered at once", live->version);
	response = talk_line(talk, LIVE_TIMEOUT_MS);
	kind = at_str(response, "error.data.kind");
	took_ms = live_now_ms() - start_ms;
	ok(kind != NULL &&
		(strcmp(kind, "timeout") == 0 || strcmp(kind, "tmux_unavailable") == 0) &&
		took_ms < 4000,
	    "tmux %s hung: %s after %lld ms", live->version, kind == NULL ? "nothing" : kind,
	    (long long)took_ms);
	live_sleep_ms(1000);
	(void)kill(live->server_pid, SIGCONT);
	is_back = false;
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	     !is_back && live_now_ms() < end_ms;) {
		is_back =
		    at(talk_call(other, "capture_pane", "{\"pane_id\":\"%%0\"}"), "result") != NULL;
		live_sleep_ms(50);
	}
	ok(is_back, "tmux %s continues: so does the daemon", live->version);
	clients = live_tmux(live, "list-clients | wc -l");
	ok(atoi(clients) <= 1, "tmux %s: no client was left behind (%s)", live->version, clients);
	talk_free(other);
	talk_free(talk);
	live_free(live);
}

/* A server that is killed while it answers: every request is answered. */
static void check_killed(const char *tmux)
{
	struct live *live = live_start(tmux, "exec sleep 3600");
	struct talk *talk = talk_new(live);
	int results = 0;
	int errors = 0;
	for (int i = 0; i < 200; i++)
		talk_send(talk,
		    "{\"id\":%d,\"method\":\"capture_pane\",\"params\":{\"pane_id\":\"%%0\"}}", i);
	(void)kill(live->server_pid, SIGKILL);
	for (int i = 0; i < 200; i++) {
		const struct json *line = talk_line(talk, LIVE_TIMEOUT_MS);
		if (line == NULL)
			break;
		results += at(line, "result") != NULL;
		errors += at_str(line, "error.data.kind") != NULL;
	}
	is_int(results + errors, 200, "tmux %s killed: 200 requests, %d results, %d errors",
	    live->version, results, errors);
	ok(at(talk_call(talk, "ping", NULL), "result") != NULL, "tmux %s killed: the daemon lives",
	    live->version);
	talk_free(talk);
	live->server_pid = 0;
	live_free(live);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	struct live *live;
	(void)live_daemon_path();
	live = live_new(NULL);
	live_start_tmux(live, "exec sleep 3600");
	check_bad_sockets(live);
	check_no_binary(live);
	live_free(live);
	check_no_server();
	check_too_old("tmux-3.1c");
	check_too_old("tmux-3.2a");
	for (; *paths != NULL; paths++) {
		check_hung(*paths);
		check_killed(*paths);
	}
	return done_testing();
}
