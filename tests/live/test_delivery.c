/* SPDX-License-Identifier: ISC */
/*
 * Notifications typed into panes: at the prompts of agents with the habits of real ones,
 * exactly once and unaltered; never into a shell, a draft, a question, or a program that
 * did not ask; and receipts that say what happened.
 *
 * All of it on the tmux of the PATH, the rest of the versions shorter. With $MUXBUS_TEST_LONG
 * all of it on each: 8 tries of each habit, 30 kills, 10000 random texts.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"
#include "person.h"

enum { BURST = 300, LOG_LINES_MAX = 64, RECEIPT_MS = 20000, DEFERRED_MS = 8000 };

static const char arguments[] = "-o deliver_quiet_ms=200";

static const char *fake_path(void)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)snprintf(path, sizeof path, "%s/tests/fake_agent", dir);
	return path;
}

/* The first version is tested more than the others. */
static bool is_first = true;

static bool is_long(void)
{
	return getenv("MUXBUS_TEST_LONG") != NULL;
}

static int tries(int usual, int brief, int most)
{
	return is_long() ? most : is_first ? usual : brief;
}

/* A window that runs a command; lent as live_tmux() lends. */
static const char *start_pane(struct live *live, const char *command)
{
	return live_tmux(live, "new-window -dP -F '#{pane_id}' \"%s\"", command);
}

/* Until the fake agent has drawn its prompt. */
static void wait_for_prompt(struct live *live, const char *pane)
{
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(10)) {
		if (strchr(live_tmux(live, "capture-pane -p -t %s", pane), '>') != NULL)
			return;
	}
	live_bail("the fake agent draws no prompt");
}

/* The same with the fake agent, when its prompt is there. */
static char *start_fake(struct live *live, const char *options)
{
	char *pane = xasprintf("%s",
	    live_tmux(live, "new-window -dP -F '#{pane_id}' 'exec %s %s %s/fake.log'", fake_path(),
		options, live->dir));
	(void)live_run(live, ": > fake.log");
	wait_for_prompt(live, pane);
	return pane;
}

/* The number of what was posted last. */
static int64_t posted;

static char *post(struct talk *talk, const char *pane, const char *text)
{
	const struct json *response =
	    talk_call(talk, "post_notification", "{\"pane\":\"%s\",\"text\":\"%s\"}", pane, text);
	const char *id = at_str(response, "result.id");
	posted = at_int(response, "result.seq");
	if (id == NULL)
		live_bail("nothing was posted: %s", talk_text(talk));
	return xstrdup(id);
}

/* The result of the next receipt of a notification that is (not) a deferral; "" if none. */
static const char *receipt(struct talk *talk, const char *id, bool is_final, char *ret_reason)
{
	static char result[32];
	int64_t end_ms = live_now_ms() + (is_final ? RECEIPT_MS : DEFERRED_MS);
	const struct json *event;
	ret_reason[0] = '\0';
	while (live_now_ms() < end_ms &&
	    (event = talk_event(talk, (int)(end_ms - live_now_ms()), "delivery", "id", id)) !=
		NULL) {
		const char *name = at_str(event, "delivery.result");
		const char *reason = at_str(event, "delivery.reason");

		(void)snprintf(result, sizeof result, "%s", name == NULL ? "" : name);
		(void)snprintf(ret_reason, 200, "%s", reason == NULL ? "" : reason);
		if (!is_final || strcmp(result, "deferred") != 0)
			return result;
	}
	return "";
}

/* How many lines the fake got that are a notice about this id, and how many others. */
static int count_lines(struct live *live, const char *id, int *ret_others)
{
	char mark[32];
	const char *log = live_run(live, "cut -d ' ' -f 2- fake.log");
	int count = 0;
	*ret_others = 0;
	(void)snprintf(mark, sizeof mark, "[muxbus %s ", id);
	while (*log != '\0') {
		size_t len = strcspn(log, "\n");
		if (strncmp(log, mark, strlen(mark)) == 0)
			count++;
		else
			++*ret_others;
		log += len + (log[len] == '\n');
	}
	return count;
}

/* One delivery into a fake, from start to end. Returns whether all is as it should be. */
static bool deliver_once(struct live *live, const char *options)
{
	struct talk *talk = talk_new(live);
	char reason[200], *pane, *id, *want;
	int others, count;
	const char *result, *got;
	bool is_good;
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	pane = start_fake(live, options);
	id = post(talk, pane, "all is well");
	result = receipt(talk, id, true, reason);
	want = xasprintf("[muxbus %s post] a message: untrusted text \xc2\xab"
			 "all is well\xc2\xbb. Details: next_notification %s",
	    id, id);
	got = live_run(live, "cut -d ' ' -f 2- fake.log");
	count = count_lines(live, id, &others);
	is_good = strcmp(result, "submitted") == 0 && strcmp(got, want) == 0;

	if (!is_good)
		diag("%s: %s (%s), %d lines and %d others: %s\n%s", options, result, reason, count,
		    others, got, live_tmux(live, "capture-pane -p -t %s", pane));
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(want);
	mem_free(id);
	mem_free(pane);
	talk_free(talk);
	return is_good;
}

static void check_habits(struct live *live)
{
	static const char *const profiles[] = {"--swallow 30", "--swallow 120", "--swallow 1000",
	    "--swallow 1000 --deaf 2000", "--box", "--box --swallow 120"};
	int count = tries(2, 1, 8);
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
		int good = 0;
		if (!is_first && !is_long() && i % 2 == 0)
			continue;

		for (int round = 0; round < count; round++)
			good += deliver_once(live, profiles[i]);
		is_int(good, count, "tmux %s: %s: %d of %d submitted, once, unaltered",
		    live->version, profiles[i], good, count);
	}
}

/* Two that are due together are one line, and each has a receipt. */
static void check_together(struct live *live)
{
	struct talk *talk = talk_new(live);
	char reason[200], *pane, *one, *two;
	int others;
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	pane = start_fake(live, "");
	one = post(talk, pane, "one");
	two = post(talk, pane, "two");
	is_str(receipt(talk, one, true, reason), "submitted", "two together: the first");
	is_str(receipt(talk, two, true, reason), "submitted", "two together: the second");
	is_int(count_lines(live, one, &others), 1, "two together: one line");
	is_int(others, 0, "two together: and no other");
	ok(strstr(live_run(live, "cat fake.log"), two) != NULL, "two together: it names both");
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(one);
	mem_free(two);
	mem_free(pane);
	talk_free(talk);
}

/* No agent is there: a person is to get the notification. */
static const char for_person[] = "when a client attaches";

static const struct {
	const char *name;
	const char *command; /* of the pane's shell */
	const char *before; /* a tmux command up to its -t, or NULL */
	const char *rest; /* its arguments */
	const char *reason; /* part of it */
} refusals[] = {
    {"a shell", "exec bash --norc -i", NULL, "", for_person},
    {"zsh", "exec zsh -f -i", NULL, "", for_person},
    {"a program behind a shell that reads nothing", "bash --norc -mc 'sleep 3600; true'", NULL, "",
	for_person},
    {"a cooked program that never asked", "exec cat", NULL, "", for_person},
    {"a secret", "exec python3 -c 'import getpass; getpass.getpass(\\\"> \\\")'", NULL, "",
	for_person},
    {"a question", "exec python3 -c 'import readline; input(\\\"Overwrite? [y/N] \\\")'", NULL, "",
	for_person},
    {"vim", "exec vim -u NONE", NULL, "", for_person},
    {"less", "exec less /etc/passwd", NULL, "", for_person},
    {"copy mode", "FAKE", "copy-mode", "", "copy-mode"},
    {"the clock", "FAKE", "clock-mode", "", "clock-mode"},
    {"input that is off", "FAKE", "select-pane -d", "", "input is off"},
    {"synchronised panes", "FAKE", "set-option -w", "synchronize-panes on", "synchronised"},
    {"a draft", "FAKE --draft hello", NULL, "", "something on the prompt line"},
    {"a draft in a box", "FAKE --box --draft hello", NULL, "", "something on the prompt line"},
    {"an alternate screen that never asked", "FAKE --alternate", NULL, "", "full-screen"},
};

/* Whether the screen that a pane shows stays as it is. */
static bool stays(struct live *live, const char *pane, int ms)
{
	char *before = xstrdup(live_tmux(live, "capture-pane -p -t %s", pane));
	bool is_same = true;
	for (int64_t end_ms = live_now_ms() + ms; is_same && live_now_ms() < end_ms;
	     live_sleep_ms(100))
		is_same = strcmp(before, live_tmux(live, "capture-pane -p -t %s", pane)) == 0 ||
		    strstr(live_tmux(live, "display-message -p -t %s '#{pane_mode}'", pane),
			"clock") != NULL;
	mem_free(before);
	return is_same;
}

/* Until a program that is none of ours has drawn what it draws. */
static void wait_for_text(struct live *live, const char *pane, const char *name)
{
	static const struct {
		const char *name;
		const char *text;
	} drawn[] = {{"a shell", "bash-"}, {"a secret", ">"}, {"a question", "[y/N]"}, {"vim", "~"},
	    {"less", "root"}};
	const char *text = "";

	for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
		if (strcmp(drawn[i].name, name) == 0)
			text = drawn[i].text;
	}
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(10)) {
		if (strstr(live_tmux(live, "capture-pane -p -t %s", pane), text) != NULL)
			break;
	}
	live_sleep_ms(100); /* and set its terminal, where it draws first */
}

static void check_refusal(struct live *live, size_t number)
{
	bool is_fake = strncmp(refusals[number].command, "FAKE", 4) == 0;
	const char *name = refusals[number].name;
	struct talk *talk = talk_new(live);
	char reason[200], *id, *pane;
	const char *result;
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	pane = is_fake ? start_fake(live, refusals[number].command + 4)
		       : xstrdup(start_pane(live, refusals[number].command));
	if (!is_fake)
		wait_for_text(live, pane, refusals[number].name);
	if (refusals[number].before != NULL) {
		live_tmux(
		    live, "%s -t %s %s", refusals[number].before, pane, refusals[number].rest);
	}
	id = post(talk, pane, "text");
	result = receipt(talk, id, false, reason);
	if (!ok(strcmp(result, "deferred") == 0 && strstr(reason, refusals[number].reason) != NULL,
		"tmux %s: %s: deferred", live->version, name))
		diag("%s: %s\n%s", result, reason, live_tmux(live, "capture-pane -p -t %s", pane));
	ok(stays(live, pane, 700), "tmux %s: %s: nothing is typed", live->version, name);
	talk_call(talk, "cancel_notification", "{\"id\":\"%s\"}", id);
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	mem_free(id);
	talk_free(talk);
}

/* How many notifications of a pane have a receipt that names a reason. */
static int count_deferred(struct talk *talk, const char *pane, const char *reason)
{
	const struct json *list =
	    talk_call(talk, "list_notifications", "{\"pane\":\"%s\",\"limit\":1000}", pane);
	int count = 0;
	for (int i = 0; i < BURST; i++) {
		char path[64];
		const char *found;
		(void)snprintf(path, sizeof path, "result.notifications.%d.delivery.reason", i);
		found = at_str(list, path);
		count += found != NULL && strstr(found, reason) != NULL;
	}
	return count;
}

/* A long queue for a busy pane: each notification has its receipt, also for the next reason. */
static void check_burst(struct live *live)
{
	static const char *const modes[] = {"copy-mode", "clock-mode"};
	struct talk *talk = talk_new(live);
	char *pane = start_fake(live, "");
	int count = 0;
	live_tmux(live, "copy-mode -t %s", pane);
	for (int i = 0; i < BURST; i++)
		mem_free(post(talk, pane, "one of many"));
	for (size_t mode = 0; mode < 2; mode++) {
		int64_t end_ms = live_now_ms() + RECEIPT_MS;
		if (mode == 1)
			live_tmux(live, "clock-mode -t %s", pane);
		while ((count = count_deferred(talk, pane, modes[mode])) < BURST &&
		    live_now_ms() < end_ms)
			live_sleep_ms(20);
		is_int(count, BURST, "tmux %s: %s: the receipts of a burst", live->version,
		    modes[mode]);
	}
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	talk_free(talk);
}

static bool has_program(struct live *live, const char *name)
{
	(void)live_run(live, "command -v %s", name);
	return live->status == 0;
}

/* Programs that take a notice at their prompt: known line editors, and one that has asked. */
static const struct {
	const char *name;
	const char *needs;
	const char *file; /* in the directory */
	const char *script;
	const char *command; /* run in the directory */
	const char *seen;
} takers[] = {
    {"a cooked program that asked", "python3", "asker.py",
	"import socket\n"
	"s=socket.socket(socket.AF_UNIX)\n"
	"s.connect('asker.socket')\n"
	"s.sendall(b'{\"id\":1,\"method\":\"yield_turn\"}\\n')\n"
	"s.recv(9999)\n"
	"while True: print('got',input('> '))\n",
	"exec python3 asker.py", "got [muxbus"},
    {"the line editor of bash", "bash", "edit.bash",
	"while read -erp '> ' line; do echo \"got $line\"; done\n",
	"exec bash -c 'exec -a edit bash edit.bash'", "got [muxbus"},
    {"the line editor of zsh", "zsh", "edit.zsh",
	"while line=; vared -p '> ' line; do echo \"got $line\"; done\n",
	"exec bash -c 'exec -a edit zsh -f edit.zsh'", "got [muxbus"},
};

static void check_taken(struct live *live)
{
	char reason[200];
	(void)live_run(live, "ln -sf %s asker.socket", live->socket);
	for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
		char *id, *command, *pane;
		struct talk *talk;
		if (!has_program(live, takers[i].needs))
			continue;
		talk = talk_new(live);

		talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
		(void)live_run(live, "cat >%s <<'END'\n%sEND", takers[i].file, takers[i].script);
		command = xasprintf("cd %s; %s", live->dir, takers[i].command);
		pane = xstrdup(start_pane(live, command));
		wait_for_prompt(live, pane);
		id = post(talk, pane, "text");
		if (!is_str(receipt(talk, id, true, reason), "submitted", "tmux %s: %s",
			live->version, takers[i].name))
			diag("%s\n%s", reason, live_tmux(live, "capture-pane -p -t %s", pane));
		ok(strstr(live_tmux(live, "capture-pane -p -t %s", pane), takers[i].seen) != NULL,
		    "it has it");
		live_tmux(live, "kill-pane -t %s", pane);
		mem_free(command);
		mem_free(pane);
		mem_free(id);
		talk_free(talk);
	}
}

/* The notification with which a command ended: its outcome, or "". */
static const char *outcome(struct talk *talk, const char *id)
{
	const struct json *response = talk_call(
	    talk, "next_notification", "{\"timeout_sec\":20,\"filter\":{\"id\":\"%s\"}}", id);
	const char *text = at_str(response, "result.notifications.0.data.outcome");
	return text == NULL ? "" : text;
}

/* Up to four of a pane: one after the other, in their order; the last ones lose their pane. */
static void check_order(struct live *live, struct talk *talk, const char *pane)
{
	char *ids[5] = {NULL};
	const struct json *response;
	for (int at_id = 0; at_id < 5; at_id++) {
		response = talk_call(talk, "self_command",
		    "{\"command\":\"/number%d\",\"pane\":\"%s\"}", at_id, pane);
		ids[at_id] = at_str(response, "result.id") != NULL
		    ? xstrdup(at_str(response, "result.id"))
		    : NULL;
	}
	is_str(at_str(response, "error.data.kind"), "busy", "the fifth for a pane is refused");
	ok(ids[3] != NULL && ids[4] == NULL, "four are not");
	is_str(outcome(talk, ids[1]), "done", "self_command: the second is done");
	is_str(live_run(live, "grep -o '/number.' fake.log | head -n 2 | tr '\\n' ' '"),
	    "/number0 /number1 ", "after the first");
	live_tmux(live, "kill-pane -t %s", pane);
	is_str(outcome(talk, ids[3]), "refused", "a pane that goes: refused");
	for (int at_id = 0; at_id < 5; at_id++)
		mem_free(ids[at_id]);
}

static void check_self_command(struct live *live)
{
	struct talk *talk = talk_new(live);
	int others;
	char *pane = start_fake(live, "--busy 1500");
	const struct json *response =
	    talk_call(talk, "self_command", "{\"command\":\"/compress\",\"pane\":\"%s\"}", pane);
	char *id =
	    xstrdup(at_str(response, "result.id") != NULL ? at_str(response, "result.id") : "none");
	const char *result, *first;
	char *note;
	bool has_note;
	is_str(outcome(talk, id), "done", "tmux %s: self_command: done", live->version);
	first = live_run(live, "sed -n '1s/^[0-9]* //p' fake.log");
	is_str(first, "/compress", "the agent got it as it is");
	note = xasprintf("[muxbus %s command /compress] the command is done", id);
	has_note = false;
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; !has_note && live_now_ms() < end_ms;
	     live_sleep_ms(50))
		has_note = strstr(live_run(live, "cat fake.log"), note) != NULL;
	ok(has_note, "and is told when it is done");
	is_int(count_lines(live, id, &others), 1, "once");
	is_int(others, 1, "and the command was typed once");
	mem_free(note);
	mem_free(id);

	/* A restart before it is typed, and one after. */
	response =
	    talk_call(talk, "self_command", "{\"command\":\"/again\",\"pane\":\"%s\"}", pane);
	id = xstrdup(at_str(response, "result.id"));
	(void)live_stop_daemon(live, SIGKILL);
	talk_free(talk);
	live_start_daemon(live, arguments);
	talk = talk_new(live);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(20)) {
		if (strstr(live_run(live, "cat fake.log"), "/again") != NULL)
			break;
	}
	(void)live_stop_daemon(live, SIGKILL);
	talk_free(talk);
	live_start_daemon(live, arguments);
	talk = talk_new(live);
	result = outcome(talk, id);
	ok(strcmp(result, "done") == 0 || strcmp(result, "lost") == 0,
	    "two kills of muxbusd later it ends: %s", result);
	is_str(live_run(live, "grep -c /again fake.log"), "1", "and was typed once");
	mem_free(id);

	response =
	    talk_call(talk, "self_command", "{\"command\":\"/a\\nb\",\"pane\":\"%s\"}", pane);
	ok(at(response, "error") != NULL, "two lines are refused");
	if (is_first || is_long())
		check_order(live, talk, pane);
	else
		live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	talk_free(talk);
}

/* Panes that are gone, or dead, or become a shell in the middle of it. */
static void check_ends(struct live *live)
{
	struct talk *talk = talk_new(live);
	char reason[200], *pane, *id;
	const char *screen;
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	pane = start_fake(live, "--draft x");
	id = post(talk, pane, "text");
	(void)receipt(talk, id, false, reason);
	live_tmux(live, "kill-pane -t %s", pane);
	is_str(
	    receipt(talk, id, true, reason), "refused", "tmux %s: a pane that goes", live->version);
	mem_free(pane);
	mem_free(id);

	pane = start_fake(live, "--draft x");
	live_tmux(live, "set-option -p -t %s remain-on-exit on", pane);
	id = post(talk, pane, "text");
	(void)receipt(talk, id, false, reason);
	live_run(
	    live, "kill -9 %s", live_tmux(live, "display-message -p -t %s '#{pane_pid}'", pane));
	is_str(
	    receipt(talk, id, true, reason), "refused", "tmux %s: a pane that dies", live->version);
	is_str(
	    live_tmux(live, "display-message -p -t %s '#{pane_dead}'", pane), "1", "and is kept");
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	mem_free(id);

	/* It crashes back to the shell when it gets the notice: there Enter is never pressed. */
	pane = xstrdup(live_tmux(live,
	    "new-window -dP -F '#{pane_id}' \"bash --norc -mc '%s --crash-after 20 %s/fake.log; "
	    "exec "
	    "bash --norc -i'\"",
	    fake_path(), live->dir));
	wait_for_prompt(live, pane);
	id = post(talk, pane, "text");
	is_str(receipt(talk, id, true, reason), "typed", "tmux %s: an agent that crashes",
	    live->version);
	screen = live_tmux(live, "capture-pane -p -t %s", pane);
	ok(strstr(screen, "not found") == NULL, "and the shell behind it runs nothing");
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	mem_free(id);
	talk_free(talk);
}

/* A person types at the same time: nothing is put into their line, and nothing sent off. */
static void check_person(struct live *live)
{
	static const char draft[] = "do not touch this";
	struct talk *talk = talk_new(live);
	char reason[200], want[16], *id, *pane;
	int others;
	struct person person;
	talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
	pane = start_fake(live, "");
	live_tmux(live, "select-window -t %s", pane);
	person = person_attach(live, "main");
	(void)live_tmux_until(live, "2", "display-message -p -t main '#{session_attached}'");
	id = post(talk, pane, "text");
	for (size_t i = 0; i < strlen(draft); i++) {
		(void)!write(person.terminal, draft + i, 1);
		live_sleep_ms(60);
		person_look(&person);
	}
	(void)snprintf(want, sizeof want, "%zu", strlen(draft) + 2);
	ok(live_tmux_until(live, want, "display-message -p -t %s '#{cursor_x}'", pane),
	    "tmux %s: a person's draft is as they typed it", live->version);
	is_str(receipt(talk, id, false, reason), "deferred", "and what came is deferred");
	for (int64_t end_ms = live_now_ms() + 7000; live_now_ms() < end_ms; live_sleep_ms(100))
		person_look(&person);
	ok(strstr(live_tmux(live, "capture-pane -p -t %s", pane), draft) != NULL &&
		strstr(live_tmux(live, "capture-pane -p -t %s", pane), "muxbus") == NULL,
	    "also long after their last key");
	is_int(count_lines(live, id, &others) + others, 0, "nothing was submitted");
	(void)!write(person.terminal, "\r", 1);
	is_str(receipt(talk, id, true, reason), "submitted", "and told when their line is gone");
	is_int(count_lines(live, id, &others), 1, "once");
	is_int(others, 1, "behind theirs");
	person_leave(&person);
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	mem_free(id);
	talk_free(talk);
}

/* kill -9 at any instant of a delivery: typed at least once, and at most once more. */
static void check_kills(struct live *live)
{
	int count = tries(5, 1, 30), lost = 0, twice = 0, more = 0, bad = 0, silent = 0;
	srandom((unsigned)getpid());
	for (int round = 0; round < count; round++) {
		struct talk *talk = talk_new(live);
		char reason[200];
		int others, lines;
		char *pane = start_fake(live, round % 3 == 0 ? "--swallow 1000" : "");
		char *id = post(talk, pane, "text");
		const char *state;
		int64_t before;
		/* Around the quiet time, the typing and Enter. */
		live_sleep_ms((int)(random() % 350 + 150));
		(void)live_stop_daemon(live, SIGKILL);
		talk_free(talk);
		live_start_daemon(live, arguments);
		talk = talk_new(live);
		talk_call(talk, "subscribe", "{\"kinds\":[\"delivery\"]}");
		state = NULL;
		before = INT64_MIN;
		for (int64_t end_ms = live_now_ms() + RECEIPT_MS; live_now_ms() < end_ms;
		     live_sleep_ms(50)) {
			const struct json *notes =
			    at(talk_call(talk, "list_notifications", "{\"limit\":1000}"),
				"result.notifications");
			state = at_str(at_where(notes, "id", id), "state");
			before = at_int(at_where(notes, "id", id), "delivery.typed_before");
			if (state == NULL || strcmp(state, "delivered") == 0 ||
			    strcmp(state, "failed") == 0)
				break;
		}
		lines = count_lines(live, id, &others);
		lost += lines == 0;
		twice += lines == 2;
		more += lines > 2;
		bad += others != 0;
		silent += lines == 2 && before < 1;
		if (lines == 0 || lines > 2 || others != 0)
			diag("%d lines, %d others, %s:\n%s\n%s", lines, others,
			    state == NULL ? "-" : state, live_run(live, "cat fake.log"),
			    live_tmux(live, "capture-pane -p -t %s", pane));
		(void)reason;
		live_tmux(live, "kill-pane -t %s", pane);
		mem_free(pane);
		mem_free(id);
		talk_free(talk);
	}
	is_int(lost, 0, "tmux %s: of %d kills: 0 lost", live->version, count);
	is_int(more, 0, "0 more than once again (%d once again)", twice);
	is_int(bad, 0, "0 fused");
	is_int(silent, 0, "and the receipt of each of those says so");
}

/* A random text that is quoted as it is: letters of one to four bytes, digits, single blanks. */
static void random_text(char *out, size_t letters)
{
	static const char *const alphabet[] = {"a", "Z", "7", "q", ".", ",", ":", "-", "_",
	    "\xc3\xa9", "\xc3\x9f", "\xd0\xb6", "\xce\xbb", "\xe6\xbc\xa2", "\xed\x95\x9c",
	    "\xe2\x82\xac", "\xf0\x9f\x98\x80", " ", " "};
	bool was_blank = true;
	*out = '\0';
	for (size_t at = 0; at < letters; at++) {
		const char *letter =
		    alphabet[(size_t)random() % (sizeof alphabet / sizeof *alphabet)];
		if (*letter == ' ' && (was_blank || at + 1 == letters))
			letter = "x";
		was_blank = *letter == ' ';
		strcat(out, letter);
	}
}

/* Waits until the queue says that a notification was delivered. */
static bool is_delivered(struct talk *talk, int64_t seq)
{
	for (int64_t end_ms = live_now_ms() + RECEIPT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(10)) {
		const struct json *notes =
		    at(talk_call(talk, "list_notifications", "{\"after\":%lld,\"limit\":1}",
			   (long long)seq - 1),
			"result.notifications");
		const char *state = at_str(notes, "0.state");
		if (state != NULL && strcmp(state, "delivered") == 0)
			return true;
	}
	return false;
}

/* Random texts through real panes: what was submitted is what was said, byte for byte. */
static void check_fidelity(struct live *live)
{
	enum { PANES = 10, LETTERS = 60 };
	int rounds = tries(4, 2, 1000), told = 0, wrong = 0;
	struct talk *talk = talk_new(live);
	char *panes[PANES];

	for (int i = 0; i < PANES; i++) {
		char *command =
		    xasprintf("exec %s --signals %s/fake-%d.log", fake_path(), live->dir, i);
		(void)live_run(live, ": >fake-%d.log; : >want-%d.log", i, i);
		panes[i] = xstrdup(start_pane(live, command));
		wait_for_prompt(live, panes[i]);
		mem_free(command);
	}
	for (int round = 0; round < rounds; round++) {
		int64_t seqs[PANES];
		for (int i = 0; i < PANES; i++) {
			char text[4 * LETTERS + 1], *id;
			random_text(text, 1 + (size_t)random() % LETTERS);
			id = post(talk, panes[i], text);

			seqs[i] = posted;
			(void)live_run(live,
			    "echo '[muxbus %s post] a message: untrusted text \xc2\xab%s\xc2\xbb. "
			    "Details: next_notification %s' >>want-%d.log",
			    id, text, id, i);
			mem_free(id);
		}
		/* Their receipts come in any order. */
		for (int i = 0; i < PANES; i++)
			told += is_delivered(talk, seqs[i]);
	}
	for (int i = 0; i < PANES; i++) {
		wrong += atoi(live_run(live,
		    "cut -d ' ' -f 2- fake-%d.log | diff - want-%d.log | grep -c '^[<>]'", i, i));
		live_tmux(live, "kill-pane -t %s", panes[i]);
		mem_free(panes[i]);
	}
	is_int(told, rounds * PANES, "tmux %s: %d random texts are submitted", live->version,
	    rounds * PANES);
	is_int(wrong, 0, "each once and unaltered");
	talk_free(talk);
}

static void check_version(const char *tmux)
{
	struct live *live = live_new(tmux);
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, arguments);
	check_habits(live);
	check_together(live);
	check_burst(live);
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const char *name = refusals[i].name;
		if ((strcmp(name, "vim") == 0 || strcmp(name, "less") == 0 ||
			strcmp(name, "zsh") == 0) &&
		    !has_program(live, name))
			continue;
		/* Parts that do not depend on tmux run with one version. */
		if (!is_first && !is_long() && strncmp(refusals[i].command, "FAKE", 4) != 0)
			continue;
		check_refusal(live, i);
	}
	check_taken(live);
	check_self_command(live);
	check_ends(live);
	if (is_first || is_long())
		check_person(live);
	check_kills(live);
	check_fidelity(live);
	is_str(live_tmux(live, "display-message -p '#{pid}'"),
	    live_run(live, "echo %d", (int)live->server_pid), "tmux %s: the server lives",
	    live->version);
	live_free(live);
}

int main(int argc, char **argv)
{
	const char *const *paths = live_tmux_paths();
	(void)argc;
	(void)argv;
	if (access(fake_path(), X_OK) != 0)
		skip_all("the fake agent is not built");
	for (size_t i = 0; paths[i] != NULL; i++) {
		is_first = i == 0;
		check_version(paths[i]);
	}
	return done_testing();
}
