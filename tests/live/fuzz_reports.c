/* SPDX-License-Identifier: ISC */
/*
 * Reports of agents that lie: report_agent and its kin, muxbus hook with any input, marks in the
 * output of a pane, for panes of others and for none, out of order and in floods. No report types,
 * and none acknowledges what it was not given.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "law.h"

enum { PARAMS_MAX = 8192, SECONDS = 6, HOOK_EVERY = 20, BATCH = 24 };

static const char *const methods[] = {"report_agent", "report_agent", "report_agent", "yield_turn",
    "take_notifications", "list_agents", "set_wake_policy", "list_notifications", "status", "ping",
    NULL};

/* Members of parameters; each request has some of them, right or not for its method. */
static const char *const members[] = {"\"agent\":\"claude\"", "\"agent\":\"codex\"",
    "\"agent\":\"gemini\"", "\"agent\":\"\"", "\"agent\":\"-x\"", "\"agent\":\"a b\"",
    "\"agent\":7", "\"pane\":\"%0\"", "\"pane\":\"%1\"", "\"pane\":\"%2\"", "\"pane\":\"%99\"",
    "\"pane\":\"main:0.0\"", "\"pane\":\"%4294967295\"", "\"pane\":\"%1; kill-server\"",
    "\"pane\":null", "\"session\":\"s1\"", "\"session\":\"s2\"", "\"session\":\"019a:x\"",
    "\"session\":\"$(touch pwned)\"", "\"session\":\"\"", "\"state\":\"idle\"",
    "\"state\":\"busy\"", "\"state\":\"asking\"", "\"state\":\"gone\"", "\"state\":\"unknown\"",
    "\"state\":1", "\"pid\":1", "\"pid\":2147483647", "\"pid\":0", "\"pid\":-1",
    "\"pid\":99999999999", "\"way\":\"hook\"", "\"way\":\"follow\"", "\"limit\":1",
    "\"limit\":1000", "\"timeout_sec\":0", "\"timeout_sec\":0.05", "\"ack\":[1,2,3]",
    "\"text\":\"\\u001b[31m\\r\"", "\"wake\":\"none\"", "\"x\":{}", NULL};

static const char *const inputs[] = {
    "{\"session_id\":\"s1\",\"hook_event_name\":\"SessionStart\",\"source\":\"startup\"}",
    "{\"session_id\":\"s1\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"x\"}",
    "{\"session_id\":\"s2\",\"hook_event_name\":\"Stop\",\"stop_hook_active\":false}",
    "{\"session_id\":\"s1\",\"hook_event_name\":\"Notification\",\"message\":\"Claude needs your "
    "permission to use Bash\"}",
    "{\"sessionId\":\"c1\",\"hook_event_name\":\"agentStop\"}",
    "{\"session_id\":\"s1\",\"hook_event_name\":\"SessionEnd\"}", NULL};

static const char *const states[] = {"idle", "busy", "asking", "gone", NULL};

static const char *const agents[] = {
    "claude", "codex", "gemini", "copilot", "opencode", "-x", NULL};

/* OSC 3008; @ is the token of the pane, or another. */
static const char *const marks[] = {
    "\033]3008;start=m1;muxbus=@;agent=claude;session=s1;state=idle\033\\",
    "\033]3008;start=m1;muxbus=@;agent=claude;session=s1;state=asking;question=\\x1b[31mok?\007",
    "\033]3008;start=m2;muxbus=@;agent=codex;session=t;state=busy;to=%1;wake=now\033\\",
    "\033]3008;start=m1;muxbus=@;agent=;session=;state=gone\033\\",
    "\033]3008;end=m1;muxbus=@\033\\", NULL};

/* A line that is broken somewhere. */
static void say_broken(
    struct fuzzing *fuzzing, struct law *law, const char *method, const char *params)
{
	uint8_t line[PARAMS_MAX];
	size_t len = (size_t)snprintf(
	    (char *)line, sizeof line, "{\"method\":\"%s\",\"params\":%s}", method, params);
	len = fuzzing_mutate(fuzzing, line, len, sizeof line);
	for (size_t at = 0; at < len; at++)
		line[at] = line[at] == '\n' ? ' ' : line[at];
	if (memmem(line, len, "\"id\"", 4) == NULL) /* "pid" without its p: another's number */
		law_say(law, line, len);
}

static void ask_any(struct fuzzing *fuzzing, struct law *law)
{
	char params[PARAMS_MAX];
	const char *method = fuzzing_pick(fuzzing, methods);
	if (fuzzing_below(fuzzing, 2) == 0) { /* one that is right */
		(void)snprintf(params, sizeof params,
		    "{\"agent\":\"%s\",\"pane\":\"%%%u\",\"session\":\"s%u\",\"state\":\"%s\"}",
		    fuzzing_pick(fuzzing, agents), fuzzing_below(fuzzing, 4),
		    fuzzing_below(fuzzing, 3), fuzzing_pick(fuzzing, states));
		method = "report_agent";
	} else {
		const char *first = fuzzing_pick(fuzzing, members);
		const char *second = fuzzing_pick(fuzzing, members);
		bool is_same = strncmp(first, second, strcspn(first, ":")) == 0;
		(void)snprintf(params, sizeof params, "{%s%s%s}", first, is_same ? "" : ",",
		    is_same ? "" : second);
	}
	law_ask(law, method, params);
	if (fuzzing_below(fuzzing, 4) == 0)
		say_broken(fuzzing, law, method, params);
}

/* The hook of an agent, as if in any pane. It must be quick and silent about itself. */
static bool run_hook(struct live *live, struct fuzzing *fuzzing)
{
	uint8_t input[PARAMS_MAX];
	const char *text = fuzzing_pick(fuzzing, inputs);
	size_t len = strlen(text);
	char path[128];
	int file;
	memcpy(input, text, len);
	if (fuzzing_below(fuzzing, 2) == 0)
		len = fuzzing_mutate(fuzzing, input, len, sizeof input);
	(void)snprintf(path, sizeof path, "%s/input", live->dir);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0 || write(file, input, len) != (ssize_t)len)
		live_bail("%s cannot be written", path);
	(void)close(file);
	text = live_run(live, "TMUX='%s,%d,0' TMUX_PANE=%%%u timeout 20 '%s/muxbus' hook %s <input",
	    live->tmux_socket, (int)live->server_pid, fuzzing_below(fuzzing, 4),
	    getenv("MUXBUS_BUILDDIR"), fuzzing_pick(fuzzing, agents));
	if (live->status == 0 &&
	    (*text == '\0' || *text == '{' || strncmp(text, "muxbus: ", 8) == 0))
		return true;
	diag("muxbus hook: %d: %.300s", live->status, text);
	return false;
}

static void print_mark(struct fuzzing *fuzzing, int tty, const char *token)
{
	char mark[512];
	const char *text = fuzzing_pick(fuzzing, marks);
	size_t before = strcspn(text, "@");
	size_t len = (size_t)snprintf(mark, sizeof mark, "%.*s%s%s", (int)before, text,
	    fuzzing_below(fuzzing, 3) == 0 ? "0000000000000000" : token, text + before + 1);
	if (fuzzing_below(fuzzing, 2) == 0)
		len = fuzzing_mutate(fuzzing, (uint8_t *)mark, len, sizeof mark);
	(void)!write(tty, mark, len);
}

/* A pane whose program reports by marks: its terminal, and its token. */
static int open_reporter(struct live *live, struct talk *talk, char token[128])
{
	const struct json *answer = talk_call(talk, "create_window",
	    "{\"command\":\"stty raw -echo; printenv LC_MUXBUS >token; exec sleep 86400\","
	    "\"cwd\":\"%s\",\"reports\":\"token\",\"session\":\"main\"}",
	    live->dir);
	const char *pane = at_str(answer, "result.pane");
	(void)live_run(live, "timeout 20 sh -c 'until [ -s token ]; do sleep 0.05; done'");
	(void)snprintf(token, 128, "%s", live_run(live, "cat token"));
	if (pane == NULL)
		live_bail("create_window: %s", talk_text(talk));
	return open(live_tmux(live, "display-message -p -t '%s' '#{pane_tty}'", pane),
	    O_WRONLY | O_NOCTTY | O_NONBLOCK);
}

static void fuzz(struct live *live, struct fuzzing *fuzzing, int tty, const char *token)
{
	bool is_silent = true;
	struct law law;
	law_init(&law, live);
	while (fuzzing_goes_on(fuzzing) && law.breaches == 0 && is_silent) {
		for (int at = 0; at < BATCH; at++)
			ask_any(fuzzing, &law);
		for (uint32_t at = fuzzing_below(fuzzing, 8); at > 0; at--)
			print_mark(fuzzing, tty, token);
		law_settle(&law);
		if (fuzzing->rounds % HOOK_EVERY == 0)
			is_silent = run_hook(live, fuzzing);
	}
	diag("%llu rounds, %llu answers, %llu errors", (unsigned long long)fuzzing->rounds,
	    (unsigned long long)law.answers, (unsigned long long)law.errors);
	is_int(law.breaches, 0, "one answer for each request, all JSON");
	ok(is_silent, "a hook prints its answer or nothing");
	law_finish(&law);
}

int main(void)
{
	struct fuzzing fuzzing;
	const struct json *note;
	char token[128];
	struct live *live;
	struct talk *talk;
	int64_t seq;
	int tty;
	(void)live_daemon_path();
	fuzzing_init(&fuzzing, SECONDS);
	fuzzing.words = inputs;
	live = live_new(NULL);
	live_start_tmux(live, "exec sleep 86400");
	is_str(law_pane(live, "typed1"), "%1", "a pane that reports are made for");
	is_str(law_pane(live, "typed2"), "%2", "and another one");
	live_start_daemon(live, NULL);
	talk = talk_new(live);
	tty = open_reporter(live, talk, token);
	ok(tty >= 0 && *token != '\0', "a pane that reports by marks");
	seq =
	    at_int(talk_call(talk, "post_notification", "{\"text\":\"of no pane\"}"), "result.seq");
	fuzz(live, &fuzzing, tty, token);
	note = talk_call(talk, "list_notifications", "{\"limit\":1000}");
	is_int(at_int(note, "result.notifications.0.seq"), seq, "the one that there was is there");
	is_str(at_str(note, "result.notifications.0.state"), "queued", "and not acknowledged");
	for (int pane = 1; pane <= 2; pane++) {
		note = talk_call(talk, "list_notifications", "{\"pane\":\"%%%d\"}", pane);
		is_int((long long)at(note, "result.notifications")->count, 0,
		    "no notification has come for %%%d", pane);
	}
	is_int((long long)at(talk_call(talk, "list_panes", NULL), "result.panes")->count, 4,
	    "the panes are those that there were");
	is_str(live_run(live, "ls pwned */pwned 2>/dev/null"), "", "no command was run");
	ok(law_is_untouched(live, "typed1") && law_is_untouched(live, "typed2"),
	    "nothing was typed");
	talk_free(talk);
	ok(law_is_sound(live), "the daemon lives");
	(void)close(tty);
	live_free(live);
	return done_testing();
}
