/* SPDX-License-Identifier: ISC */
/*
 * Text that a program prints, or the name of a directory, window or buffer, never becomes a tmux
 * line: an attacker that knows tmux's clock and command number prints the closing guards of the
 * next replies with a notification after each, while captures and listings are made. Every body
 * must be right and no event may be forged.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum { GUESSES = 140, ROWS = 300, COLUMNS = 100, ROUNDS_PER_NAME = 25 };

static int rounds = 250;
static const char forged[] = "%session-renamed $0 PWNED";

struct attack {
	struct live *live;
	int tty_fd; /* the captured pane */
	struct buf printed; /* all received lines, ended by newlines */
	unsigned marker;
	int wrong_bodies;
	int wrong_lists;
	int refused;
};

/* The number of tmux's next reply, and tmux's clock. */
static void ask_numbers(struct live *live, long *ret_time, long *ret_number)
{
	const char *out = live_tmux(live, "-C list-sessions 0<>hold");
	*ret_time = *ret_number = 0;
	if (sscanf(out, "%%begin %ld %ld", ret_time, ret_number) != 2)
		live_bail("tmux -C: %s", out);
}

static void put_line(struct attack *attack, struct buf *out, const char *line)
{
	(void)buf_printf(&attack->printed, "%s\n", line);
	(void)buf_printf(out, "%s\r\n", line);
}

/* Prints forged ends of the next replies, then a marker. */
static void print_guesses(struct attack *attack)
{
	struct buf out;
	char line[96];
	long time_sec;
	long number;
	ask_numbers(attack->live, &time_sec, &number);
	buf_init(&out, 1024 * 1024);
	for (int i = 0; i < GUESSES; i++) {
		const char *word = i % 7 == 6 ? "error" : "end";
		(void)snprintf(
		    line, sizeof line, "%%%s %ld %ld 1", word, time_sec + i % 2, number + i / 2);
		put_line(attack, &out, line);
		put_line(attack, &out, forged);
	}
	put_line(attack, &out, "%exit");
	(void)snprintf(line, sizeof line, "marker %u", ++attack->marker);
	put_line(attack, &out, line);
	if (write(attack->tty_fd, out.data, out.len) != (ssize_t)out.len)
		live_bail("the pane's terminal takes nothing");
	buf_finish(&out);
}

/* Without the newlines at its end; a capture may hold the beginning of a line being printed. */
static size_t trimmed_len(const char *text)
{
	size_t len = strlen(text);
	while (len > 0 && text[len - 1] == '\n')
		len--;
	return len;
}

/* Whether text is a part of the printed text, and fills the rows of the screen. */
static bool was_printed(const struct attack *attack, const char *text, int64_t rows)
{
	size_t len = trimmed_len(text);
	int64_t lines = 1;
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	if (memmem(attack->printed.data, attack->printed.len, text, len) == NULL)
		return false;
	return lines >= rows - 1 || attack->marker == 1;
}

/* Captures until the last marker appears; every body until then must be right. */
static void check_captures(struct attack *attack, struct talk *talk, const char *pane)
{
	char marker[32];
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	bool has_marker = false;
	(void)snprintf(marker, sizeof marker, "marker %u", attack->marker);
	while (!has_marker) {
		const struct json *response =
		    talk_call(talk, "capture_pane", "{\"pane_id\":\"%s\"}", pane);
		const char *text = at_str(response, "result.text");
		if (live_now_ms() > end_ms)
			live_bail("%s never came: %.300s", marker, talk_text(talk));
		if (text == NULL) {
			attack->refused++;
			continue;
		}
		if (!was_printed(attack, text, at_int(response, "result.rows"))) {
			if (attack->wrong_bodies++ == 0)
				diag("wrong body: %.600s", text);
		}
		has_marker = strstr(text, marker) != NULL;
	}
	/* Old lines have left the screen. */
	if (attack->printed.len > 512 * 1024)
		buf_consume(&attack->printed, attack->printed.len - 64 * 1024);
}

static void check_lists(struct attack *attack, struct talk *talk, int panes)
{
	const struct json *response = talk_call(talk, "list_sessions", NULL);
	const char *output;
	const struct json *list;
	if (at_where(at(response, "result.sessions"), "name", "main") == NULL)
		attack->wrong_lists++;
	response = talk_call(talk, "list_panes", NULL);
	list = at(response, "result.panes");
	if (list == NULL || (int)list->count != panes)
		attack->wrong_lists++;
	response = talk_call(talk, "run_tmux",
	    "{\"command\":[\"list-panes\",\"-a\",\"-F\",\"#{pane_id} #{session_name}\"]}");
	output = at_str(response, "result.output");
	if (output == NULL || strstr(output, "PWNED") != NULL || strstr(output, "main") == NULL)
		attack->wrong_lists++;
}

/* Names with lines in them that look like tmux's. */
static void make_names(struct live *live, int round)
{
	live_run(live, "mkdir -p 'dir\n%s\nx'", forged);
	live_tmux(live, "new-window -d -c '%s/dir\n%s\nx' 'exec sleep 3600'", live->dir, forged);
	live_tmux(live, "rename-window 'w%d\n%s'", round, forged);
	live_tmux(live, "set-buffer -b 'b%d\n%s\n' text", round, forged);
	live_tmux(live, "select-pane -T 't%d\n%s'", round, forged);
	live_run(live,
	    "for c in $('%s' -S '%s' list-clients -F '#{client_name}'); do"
	    " '%s' -S '%s' display-message -c \"$c\" 'm\n%s\n%%exit'; done",
	    live->tmux, live->tmux_socket, live->tmux, live->tmux_socket, forged);
	live_tmux(live, "kill-window -t '{end}'");
}

/* No event may come from printed text. Returns how many did. */
static int forged_events(struct talk *talk)
{
	const struct json *params;
	int count = 0;
	while ((params = talk_event(talk, 200, NULL, NULL, NULL)) != NULL) {
		const char *kind = at_str(params, "kind");
		if (kind == NULL)
			continue;
		if (strcmp(kind, "session_renamed") == 0 || strcmp(kind, "server_lost") == 0 ||
		    strcmp(kind, "gap") == 0 || strcmp(kind, "session_closed") == 0) {
			diag("forged: %.300s", talk_text(talk));
			count++;
		}
	}
	return count;
}

/*
 * The attack is real: a client that trusts the first matching guard is deceived. Returns how
 * often, in rounds of tries.
 */
static int fool_naive_client(struct attack *attack, const char *pane, int tries)
{
	int fooled = 0;
	for (int i = 0; i < tries; i++) {
		long time_sec;
		long number;
		char guard[64];
		const char *first, *out, *block;
		print_guesses(attack);
		out = live_run(attack->live,
		    "{ echo 'capture-pane -p -t %s'; sleep 0.1; } | '%s' -S '%s' -C attach -f "
		    "ignore-size,no-output",
		    pane, attack->live->tmux, attack->live->tmux_socket);
		block = strstr(out, " 1\n");
		while (block != NULL && block > out && block[-1] != '\n')
			block--;
		if (block == NULL || sscanf(block, "%%begin %ld %ld", &time_sec, &number) != 2)
			continue;
		(void)snprintf(guard, sizeof guard, "%%end %ld %ld 1\n", time_sec, number);
		first = strstr(block, guard);
		fooled += first != NULL && strstr(first + 1, guard) != NULL;
	}
	return fooled;
}

static void test_version(const char *tmux)
{
	struct attack attack = {.live = live_new(tmux)};
	struct live *live = attack.live;
	const struct json *audit;
	struct talk *talk, *listener;
	char *pane;
	buf_init(&attack.printed, 4 * 1024 * 1024);
	live_start_tmux(live, "exec sleep 3600");
	live_tmux(live, "resize-window -x %d -y %d", COLUMNS, ROWS);
	live_start_daemon(live, NULL);
	pane = xstrdup(live_tmux(live, "display-message -p '#{pane_id}'"));
	attack.tty_fd =
	    open(live_tmux(live, "display-message -p '#{pane_tty}'"), O_WRONLY | O_NOCTTY);
	live_run(live, "mkfifo hold"); /* an input that never ends */
	live_tmux(live, "split-window -d -l 5 'exec sleep 3600'");
	live_tmux(live, "set-option -g allow-rename off");

	talk = talk_new(live);
	listener = talk_new(live);
	talk_call(listener, "subscribe", "{}");
	for (int i = 0; i < rounds; i++) {
		print_guesses(&attack);
		check_captures(&attack, talk, pane);
		check_lists(&attack, talk, 2);
		if (i % ROUNDS_PER_NAME == 0)
			make_names(live, i);
	}
	is_int(attack.wrong_bodies, 0, "tmux %s: no wrong body in %d rounds of captures",
	    live->version, rounds);
	is_int(attack.wrong_lists, 0, "tmux %s: no wrong list", live->version);
	is_int(attack.refused, 0, "tmux %s: every capture is answered", live->version);
	is_int(forged_events(listener), 0, "tmux %s: no forged event", live->version);
	is_str(live_tmux(live, "list-sessions -F '#{session_name}'"), "main",
	    "tmux %s: the session keeps its name", live->version);
	ok(at(talk_call(talk, "ping", NULL), "result") != NULL, "tmux %s: still answering",
	    live->version);
	audit = talk_call(talk, "status", "{\"audit\":true}");
	is_int(at_int(audit, "result.model.drift"), 0, "tmux %s: no drift", live->version);
	talk_free(listener);
	talk_free(talk);
	ok(fool_naive_client(&attack, pane, 10) > 0, "tmux %s: the attack deceives a naive client",
	    live->version);
	(void)close(attack.tty_fd);
	buf_finish(&attack.printed);
	mem_free(pane);
	live_free(live);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	(void)live_daemon_path();
	if (getenv("MUXBUS_TEST_LONG") != NULL)
		rounds = 1000;
	for (; *paths != NULL; paths++)
		test_version(*paths);
	return done_testing();
}
