/* SPDX-License-Identifier: ISC */
/*
 * The promises of the pane methods, on every tmux at hand: no typed text is lost silently, a paste
 * cannot break its bracket nor crash tmux, ended programs are reported with their status, no name
 * is run by a shell, and protected panes stay open.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "harness.h"

static struct live *live;
static struct talk *talk;

static const char *kind_of(const struct json *response)
{
	const char *kind = at_str(response, "error.data.kind");
	return kind ? kind : at(response, "result") ? "result" : "no answer";
}

/* Calls, and checks the kind of the answer. */
#define expect(want, what, method, ...)                                                  \
	do {                                                                             \
		const struct json *answer_ = talk_call(talk, method, __VA_ARGS__);       \
		if (!is_str(kind_of(answer_), want, "tmux %s: %s", live->version, what)) \
			diag("%.400s", talk_text(talk));                                 \
	} while (0)

static char *new_pane(const char *command)
{
	return xstrdup(
	    live_tmux(live, "new-window -d -P -F '#{pane_id}' -t main: \"%s\"", command));
}

/* The text of a capture, once it holds a given text. */
static bool shows(const char *pane, const char *text)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		const struct json *answer =
		    talk_call(talk, "capture_pane", "{\"pane_id\":\"%s\"}", pane);
		const char *shown = at_str(answer, "result.text");
		if (shown && strstr(shown, text))
			return true;
		live_sleep_ms(10);
	}
	diag("%.600s", talk_text(talk));
	return false;
}

/* Typing. */

static void test_modes(void)
{
	char *pane = new_pane("echo ready; exec cat");
	ok(shows(pane, "ready"), "tmux %s: a program is ready", live->version);
	live_tmux(live, "copy-mode -t '%s'", pane);
	expect("not_ready", "keys are not lost in copy mode", "send_keys",
	    "{\"pane\":\"%s\",\"keys\":\"fFgt\"}", pane);
	is_str(at_str(talk_call(talk, "send_text", "{\"pane\":\"%s\",\"text\":\"x\"}", pane),
		   "error.data.mode"),
	    "copy-mode", "tmux %s: the evidence is reported", live->version);
	expect(
	    "not_ready", "nor a paste", "send_text", "{\"pane\":\"%s\",\"text\":\"a\\nb\"}", pane);
	expect("result", "force ends the mode", "send_text",
	    "{\"pane\":\"%s\",\"text\":\"typed then\",\"force\":true}", pane);
	ok(shows(pane, "typed then"), "tmux %s: and types", live->version);
	is_str(live_tmux(live, "list-buffers"), "", "tmux %s: no buffer is left", live->version);

	live_tmux(live, "select-pane -d -t '%s'", pane);
	expect("not_ready", "keys are not lost where input is off", "send_keys",
	    "{\"pane\":\"%s\",\"keys\":\"x\"}", pane);
	live_tmux(live, "select-pane -e -t '%s'", pane);
	expect("result", "but when it is on again", "send_keys",
	    "{\"pane\":\"%s\",\"keys\":[\"Enter\",\"last\"]}", pane);
	mem_free(pane);
}

static void test_dead(void)
{
	char *pane = new_pane("echo over; exec sleep 3600");
	int64_t status = INT64_MIN;
	live_tmux(live, "set-option -p -t '%s' remain-on-exit on", pane);
	live_tmux(live, "respawn-pane -k -t '%s' 'exit 3'", pane);
	ok(live_tmux_until(live, "1", "display-message -p -t '%s' '#{pane_dead}'", pane),
	    "tmux %s: a pane is dead", live->version);
	expect("not_ready", "keys into it", "send_keys", "{\"pane\":\"%s\",\"keys\":\"x\"}", pane);
	expect("not_ready", "a paste into it", "send_text", "{\"pane\":\"%s\",\"text\":\"a\\nb\"}",
	    pane);
	is_str(live_tmux(live, "display-message -p alive"), "alive",
	    "tmux %s: which has not ended tmux", live->version);
	/* tmux does not announce a death: the model learns of it a little later. */
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	     status != 3 && live_now_ms() < end_ms; live_sleep_ms(10))
		status = at_int(
		    talk_call(talk, "get_pane", "{\"pane\":\"%s\"}", pane), "result.exit_status");
	is_int(status, 3, "tmux %s: its status", live->version);
	mem_free(pane);
}

static void test_paste(void)
{
	char *pane =
	    new_pane("stty raw -echo; printf '\\\\033[?2004hready\\\\r\\\\n'; exec cat -v");
	const struct json *answer;
	ok(shows(pane, "ready"), "tmux %s: a program asks for pastes", live->version);
	expect("result", "lines", "send_text", "{\"pane\":\"%s\",\"text\":\"one\\ntwo\"}", pane);
	ok(shows(pane, "^[[200~one"), "tmux %s: begin as a paste", live->version);
	ok(shows(pane, "two^[[201~"), "tmux %s: and end it", live->version);
	live_tmux(live, "send-keys -R -t '%s'", pane);
	answer = talk_call(
	    talk, "send_text", "{\"pane\":\"%s\",\"text\":\"a\\u001b[201~\\nrm -rf b\"}", pane);
	is_int(at_int(answer, "error.code"), -32602, "tmux %s: no text can end its paste",
	    live->version);
	expect("result", "a word is typed as it is", "send_text",
	    "{\"pane\":\"%s\",\"text\":\"word\"}", pane);
	ok(shows(pane, "word") && !strstr(talk_text(talk), "[200~"), "tmux %s: unbracketed",
	    live->version);
	mem_free(pane);
}

static void test_mouse(void)
{
	char *plain = new_pane("exec cat");
	char *pane =
	    new_pane("stty raw -echo; printf '\\\\033[?1000h\\\\033[?1006hready'; exec cat -v");
	expect("not_ready", "the mouse is only for who asked", "send_mouse",
	    "{\"pane\":\"%s\",\"x\":1,\"y\":1}", plain);
	ok(shows(pane, "ready"), "tmux %s: a program asks for the mouse", live->version);
	expect("result", "a click", "send_mouse", "{\"pane\":\"%s\",\"x\":9,\"y\":2}", pane);
	ok(shows(pane, "^[[<0;10;3M^[[<0;10;3m"), "tmux %s: arrives", live->version);
	expect("not_ready", "motion that was not asked for", "send_mouse",
	    "{\"pane\":\"%s\",\"x\":9,\"y\":2,\"action\":\"move\"}", pane);
	mem_free(pane);
	mem_free(plain);
}

/* Programs. */

static void test_ends(void)
{
	const struct json *answer, *event;
	char *kept;
	enum { COUNT = 20 };
	unsigned right = 0;
	struct talk *listener = talk_new(live);
	talk_call(listener, "subscribe", "{\"kinds\":[\"pane_created\",\"pane_exited\"]}");
	for (int i = 1; i <= COUNT; i++) {
		char pane[16] = "";
		bool is_right;
		answer = talk_call(
		    talk, "create_window", "{\"session\":\"main\",\"command\":\"exit %d\"}", i);
		(void)snprintf(pane, sizeof pane, "%s",
		    at_str(answer, "result.pane") ? at_str(answer, "result.pane") : "");
		talk_event(listener, LIVE_TIMEOUT_MS, "pane_created", "pane", pane);
		event = talk_event(listener, LIVE_TIMEOUT_MS, "pane_exited", "pane", pane);
		is_right = event && at_int(event, "exit_status") == i;
		right += is_right;
		if (!is_right)
			diag("%s, exit %d: %.600s", pane, i, talk_text(listener));
	}
	is_int(right, COUNT, "tmux %s: programs that end at once are reported with their status",
	    live->version);
	answer = talk_call(talk, "create_window",
	    "{\"session\":\"main\",\"command\":\"kill -9 $$\",\"keep_on_exit\":true}");
	kept = xstrdup(at_str(answer, "result.pane") ? at_str(answer, "result.pane") : "");
	event = talk_event(listener, LIVE_TIMEOUT_MS, "pane_exited", "pane", kept);
	is_int(at_int(event, "signal"), 9, "tmux %s: or with the signal", live->version);
	expect("result", "one that is kept stays", "get_pane", "{\"pane\":\"%s\"}", kept);
	mem_free(kept);
	talk_free(listener);
}

static void test_surroundings(void)
{
	const struct json *answer = talk_call(talk, "create_pane",
	    "{\"pane\":\"main:0\",\"command\":[\"sh\",\"-c\",\"echo \\\"$A;$PWD\\\"; exec cat\"],"
	    "\"cwd\":\"%s\",\"env\":{\"A\":\"x y;#(id)$HOME\"},\"size\":\"40%%\"}",
	    live->dir);
	char *pane = xstrdup(at_str(answer, "result.pane") ? at_str(answer, "result.pane") : "");
	ok(shows(pane, "x y;#(id)$HOME;/"), "tmux %s: words, directory and environment",
	    live->version);
	expect("result", "it is closed", "close_pane", "{\"pane_id\":\"%s\"}", pane);
	expect("no_such_pane", "and gone", "get_pane", "{\"pane\":\"%s\"}", pane);
	answer = talk_call(talk, "create_pane", "{\"pane\":\"main:0\",\"cwd\":\"/nosuch\"}");
	is_str(at_str(answer, "error.data.field"), "cwd",
	    "tmux %s: no directory is silently replaced", live->version);
	mem_free(pane);
}

/* Puts a word in for each "%s" of a pattern. */
static void fill(char *out, size_t size, const char *pattern, const char *word)
{
	size_t len = 0;
	for (const char *at = pattern; *at && len + strlen(word) + 1 < size;) {
		if (at[0] == '%' && at[1] == 's') {
			memcpy(out + len, word, strlen(word));
			len += strlen(word);
			at += 2;
		} else {
			out[len++] = *at++;
		}
	}
	out[len] = '\0';
}

/* Refused actions. */

/* Every method of this file with a shell command in every field that takes a text. */
static void test_nothing_runs(void)
{
	static const char *const calls[][2] = {
	    {"create_session", "{\"name\":\"%s\",\"window_name\":\"%s\",\"command\":\"exec cat\"}"},
	    {"create_window", "{\"session\":\"main\",\"name\":\"%s\",\"command\":\"exec cat\"}"},
	    {"create_window", "{\"session\":\"%s\",\"name\":\"%s\"}"},
	    {"create_pane", "{\"pane\":\"%s\",\"cwd\":\"%s\"}"},
	    {"create_window", "{\"session\":\"main\",\"cwd\":\"%s\",\"command\":\"exec cat\"}"},
	    {"create_window",
		"{\"session\":\"main\",\"env\":{\"A\":\"%s\"},\"command\":\"exec cat\"}"},
	    {"create_window", "{\"session\":\"main\",\"command\":[\"echo\",\"%s\"]}"},
	    {"close_pane", "{\"pane_id\":\"%s\"}"},
	    {"close_window", "{\"window\":\"%s\"}"},
	    {"close_session", "{\"session\":\"%s\"}"},
	    {"get_pane", "{\"pane\":\"%s\"}"},
	    {"list_panes", "{\"session\":\"%s\"}"},
	    {"send_text", "{\"pane\":\"main:1\",\"text\":\"%s\"}"},
	    {"send_text", "{\"pane\":\"main:1\",\"text\":\"%s\\n%s\"}"},
	    {"send_keys", "{\"pane\":\"main:1\",\"keys\":[\"%s\",\"%s\"]}"},
	    {"find_text", "{\"pane\":\"main:1\",\"regex\":\"%s\"}"},
	    {"capture_pane", "{\"pane_id\":\"%s\"}"},
	    {"run_tmux", "{\"command\":[\"display-message\",\"-p\",\"%s\"]}"},
	    {"run_tmux", "{\"command\":[\"rename-window\",\"-t\",\"main:1\",\"%s\"]}"},
	    {"run_tmux", "{\"command\":[\"set-buffer\",\"%s\"]}"},
	    {"run_tmux", "{\"command\":[\"list-panes\",\"-F\",\"%s\"]}"},
	};
	char foreign[128], params[512];
	live_tmux(live, "new-window -d -t main:1 'exec cat'");
	live_run(live, "mkdir -p 'd#(touch pwned)'");
	(void)snprintf(foreign, sizeof foreign, "#(touch %s/pwned)", live->dir);
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		fill(params, sizeof params, calls[i][1], foreign);
		ok(talk_call_json(talk, calls[i][0], params) != NULL, "tmux %s: %s answers",
		    live->version, calls[i][0]);
	}
	talk_call(talk, "create_window",
	    "{\"session\":\"main\",\"cwd\":\"%s/d#(touch pwned)\",\"command\":\"exec cat\"}",
	    live->dir);
	expect("result", "the daemon goes on", "list_panes", "{}");
	live_run(live, "find . -name pwned | grep .");
	is_int(live->status, 1, "tmux %s: no hostile text ran in a shell", live->version);
}

static void test_guards(void)
{
	static const char *const refused[] = {
	    "\"kill-server\"",
	    "\"kill-ser\"",
	    "\"confirm-before\",\"kill-pane\"",
	    "\"run-shell\",\"id\"",
	    "\"if-shell\",\"-F\",\"1\",\"kill-server\"",
	    "\"save-buffer\",\"fifo\"",
	    "\"wait-for\",\"x\"",
	    "\"detach-client\"",
	    "\"new-session\",\"-s\",\"x\"",
	};
	const struct json *answer;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		expect("refused", refused[i], "run_tmux", "{\"command\":[%s]}", refused[i]);
	expect("tmux_error", "tmux's own words", "run_tmux", "{\"command\":[\"rename-window\"]}");
	expect("ambiguous_target", "two of one name", "get_pane", "{\"pane\":\"main:twin\"}");
	expect("no_such_session", "a prefix is no name", "close_session", "{\"session\":\"mai\"}");
	answer = talk_call(talk, "find_text", "{\"pane\":\"main:0\",\"regex\":\"a(b\"}");
	is_str(
	    at_str(answer, "error.data.field"), "regex", "tmux %s: a bad pattern", live->version);
}

static void test_last(void)
{
	live_tmux(live, "kill-session -a -t main");
	live_tmux(live, "kill-window -a -t main:0");
	live_tmux(live, "kill-pane -a -t main:0.0");
	(void)live_tmux_until(live, "1", "list-panes -a | wc -l");
	for (int i = 0; i < 200; i++) {
		const struct json *answer = talk_call(talk, "list_panes", "{}");
		if (at(answer, "result.panes") && at(answer, "result.panes")->count == 1)
			break;
		live_sleep_ms(10);
	}
	expect("refused", "the last pane", "close_pane", "{\"pane_id\":\"main:0\"}");
	expect("refused", "the last window", "close_window", "{\"window\":\"main:0\"}");
	expect("refused", "the last session", "close_session", "{\"session\":\"main\"}");
	expect("refused", "by another way", "run_tmux",
	    "{\"command\":[\"kill-pane\",\"-t\",\"main:0\"]}");
	is_str(live_tmux(live, "display-message -p alive"), "alive",
	    "tmux %s: the server continues", live->version);
}

/* An answer is as old as its parameter says, at rest and while the daemon follows tmux. */
static void test_ages(void)
{
	const char *title;
	bool is_old = false;
	char *pane = new_pane("exec sleep 3600");
	for (int is_following = 0; is_following < 2; is_following++) {
		if (is_following)
			expect("result", "the daemon follows tmux", "subscribe", "{}");
		/* The daemon may have listed the window meanwhile: tmux names it, say. */
		for (int tries = 0; tries < 5; tries++) {
			live_tmux(live, "select-pane -t '%s' -T before", pane);
			expect("result", "all is read", "list_panes", "{\"max_age_ms\":0}");
			live_tmux(live, "select-pane -t '%s' -T behind", pane);
			title = at_str(talk_call(talk, "get_pane",
					   "{\"pane\":\"%s\",\"max_age_ms\":600000}", pane),
			    "result.title");
			is_old = title != NULL && strcmp(title, "before") == 0;
			if (is_old)
				break;
		}
		if (!is_following)
			ok(is_old, "tmux %s: an old answer is good enough", live->version);
		is_str(
		    at_str(talk_call(talk, "get_pane", "{\"pane\":\"%s\",\"max_age_ms\":0}", pane),
			"result.title"),
		    "behind", "tmux %s: or not", live->version);
		is_str(at_str(at_where(at(talk_call(talk, "list_panes", "{\"max_age_ms\":600000}"),
					   "result.panes"),
				  "pane", pane),
			   "title"),
		    "behind", "tmux %s: the list has what was read last", live->version);
	}
	mem_free(pane);
}

static void test_zoom(void)
{
	char *pane = xstrdup(live_tmux(live, "split-window -d -P -F '#{pane_id}' -t main:0 'cat'"));
	expect("result", "zoom", "resize_pane", "{\"pane\":\"%s\",\"zoom\":true}", pane);
	expect("result", "zoom again", "resize_pane", "{\"pane\":\"%s\",\"zoom\":true}", pane);
	is_str(live_tmux(
		   live, "display-message -p -t '%s' '#{window_zoomed_flag}#{pane_active}'", pane),
	    "11", "tmux %s: it is zoomed", live->version);
	expect("result", "another", "resize_pane", "{\"pane\":\"main:0.0\",\"zoom\":true}");
	is_str(
	    live_tmux(live, "display-message -p -t main:0.0 '#{window_zoomed_flag}#{pane_active}'"),
	    "11", "tmux %s: takes its place", live->version);
	expect("result", "no more", "resize_pane", "{\"pane\":\"main:0.0\",\"zoom\":false}");
	is_str(live_tmux(live, "display-message -p -t main:0 '#{window_zoomed_flag}'"), "0",
	    "tmux %s: nothing is", live->version);
	expect("result", "focus", "focus_pane", "{\"pane\":\"%s\"}", pane);
	is_str(live_tmux(live, "display-message -p -t '%s' '#{pane_active}'", pane), "1",
	    "tmux %s: it is active", live->version);
	mem_free(pane);
}

/* The layout is what tmux writes, and floating panes (since 3.7) are in it. */
static void test_layout(void)
{
	struct talk *listener = talk_new(live);
	const struct json *event = NULL;
	const char *layout = "";
	char *pane;
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		layout = live_tmux(live, "display-message -p -t main:0 '#{window_layout}'");
		if (strcmp(layout,
			at_str(talk_call(talk, "list_windows", "{}"), "result.windows.0.layout")) ==
		    0)
			break;
		live_sleep_ms(10);
	}
	is_str(at_str(talk_call(talk, "list_windows", "{}"), "result.windows.0.layout"), layout,
	    "tmux %s: the layout is as tmux writes it", live->version);
	talk_call(listener, "subscribe", "{\"kinds\":[\"layout_changed\"]}");
	pane = xstrdup(
	    live_tmux(live, "new-pane -d -P -F '#{pane_id}' -t main:0 -x 20 -y 5 'exec cat'"));
	if (live->status != 0) {
		skip("no floating panes");
	} else {
		const struct json *cells;
		event = talk_event(listener, LIVE_TIMEOUT_MS, "layout_changed", NULL, NULL);
		cells = at(event, "tree.children");
		ok(cells != NULL && at_true(at_where(cells, "pane", pane), "floating"),
		    "tmux %s: with its floating panes", live->version);
		diag("%.600s", talk_text(listener));
		live_tmux(live, "kill-pane -t '%s'", pane);
	}
	mem_free(pane);
	talk_free(listener);
}

/* The layout of a window that has floating panes only has no size of the window. */
static void test_size_of_floating(void)
{
	char *pane =
	    xstrdup(live_tmux(live, "new-window -dP -F '#{pane_id}' -n floating 'exec cat'"));
	(void)live_tmux(live, "new-pane -d -t '%s' -x 20 -y 5 'exec cat'", pane);
	if (live->status == 0) {
		(void)live_tmux(live, "kill-pane -t '%s'", pane);
		(void)talk_call(talk, "list_windows", "{\"max_age_ms\":0}");
		(void)live_tmux(live, "resize-window -t floating -x 83 -y 21");
		is_int(at_int(at_where(at(talk_call(talk, "list_windows", "{\"max_age_ms\":0}"),
					   "result.windows"),
				  "name", "floating"),
			   "width"),
		    83, "tmux %s: the width of a window with floating panes only", live->version);
	}
	(void)live_tmux(live, "kill-window -t floating");
	mem_free(pane);
}

static void test_version(const char *tmux)
{
	live = live_start(tmux, "exec cat");
	talk = talk_new(live);
	live_tmux(live, "new-window -d -n twin 'exec cat'");
	live_tmux(live, "new-window -d -n twin 'exec cat'");
	test_layout();
	test_size_of_floating();
	test_zoom();
	test_modes();
	test_dead();
	test_paste();
	test_mouse();
	test_ends();
	test_surroundings();
	test_nothing_runs();
	test_guards();
	test_last();
	test_ages();
	talk_free(talk);
	live_free(live);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	(void)live_daemon_path();
	for (; *paths != NULL; paths++)
		test_version(*paths);
	return done_testing();
}
