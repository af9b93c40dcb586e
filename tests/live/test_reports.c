/* SPDX-License-Identifier: ISC */
/*
 * Reports of programs by OSC in real panes: what comes of them over the socket and in the CLI, and
 * that hostile ones bring no control character into either.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "harness.h"

enum { STATE_MS = 100 };

static const char *source_path(const char *name)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_SRCDIR") == NULL ? "." : getenv("MUXBUS_SRCDIR");
	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static const char *muxbus_path(void)
{
	static char path[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)snprintf(path, sizeof path, "%s/muxbus", dir);
	return path;
}

/* Whether a text could control a terminal, or is no UTF-8. Newlines are allowed. */
static bool is_harmful(const char *text, size_t len)
{
	if (!utf8_is_valid(text, len))
		return true;
	for (size_t place = 0; place < len;) {
		uint32_t character;
		place += (size_t)utf8_decode(text + place, len - place, &character);
		if ((character < 0x20 && character != '\n') ||
		    (character >= 0x7f && character < 0xa0) || character == 0x2028 ||
		    character == 0x2029 || (character >= 0x202a && character <= 0x202e) ||
		    (character >= 0x2066 && character <= 0x2069))
			return true;
	}
	return false;
}

/* A pane that runs a shell command for each line typed into it. */
static void print(struct live *live, const char *escaped)
{
	live_tmux(live, "send-keys -t main -l -- \"printf '%s'\"", escaped);
	live_tmux(live, "send-keys -t main Enter");
}

static void test_events(struct live *live)
{
	struct talk *talk = talk_new(live);
	const struct json *event;
	(void)talk_call(talk, "subscribe",
	    "{\"kinds\":[\"program_notified\",\"progress_changed\"],\"panes\":[\"main\"]}");
	print(live, "\\\\033]9;built\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "program_notified", "text", "built");
	ok(event != NULL && at_int(event, "osc") == 9 && at(event, "title") != NULL,
	    "OSC 9 is an event");
	print(live, "\\\\033]777;notify;Tests;2 failed\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "program_notified", "title", "Tests");
	is_str(at_str(event, "text"), "2 failed", "OSC 777 is an event");
	print(live, "\\\\033]99;i=1:d=0;Ti\\\\a\\\\033]99;i=1:p=body:e=1;Qm9keQ==\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "program_notified", "title", "Ti");
	is_str(at_str(event, "text"), "Body", "OSC 99 in chunks is an event");
	print(live, "\\\\033]9;4;1;40\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "progress_changed", "state", "normal");
	is_int(at_int(event, "percent"), 40, "OSC 9;4 is an event");
	print(live, "\\\\033]9;4;1;40\\\\a\\\\033]9;4;0\\\\a");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "progress_changed", NULL, NULL);
	is_str(at_str(event, "state"), "none", "progress is an event only if it has changed");
	talk_free(talk);
}

/* Prints the corpus of hostile sequences, and a megabyte without end, in a pane. */
static void test_hostile(struct live *live)
{
	struct talk *talk = talk_new(live);
	unsigned lines = 0, harmful = 0;
	bool is_last = false, is_queued = false;
	const char *shown;
	(void)talk_call(
	    talk, "subscribe", "{\"kinds\":[\"program_notified\",\"progress_changed\",\"gap\"]}");
	(void)live_spawn(live,
	    "%s -s %s watch program_notified progress_changed -n 12 -t 20 > shown 2>&1; "
	    "echo done >> shown",
	    muxbus_path(), live->socket);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		const struct json *status = talk_call(talk, "status", NULL);
		if (at_int(status, "result.subscriptions") > 1)
			break;
		live_sleep_ms(10);
	}
	(void)talk_call(talk, "create_pane",
	    "{\"pane\":\"main\",\"command\":\"cat %s/*; printf '\\\\033]9;'; head -c 1000000 "
	    "/dev/zero | tr '\\\\0' x; printf '\\\\033]9;last\\\\a'; sleep 600\"}",
	    source_path("tests/fuzz/corpus/osc"));
	while (!is_last && talk_line(talk, LIVE_TIMEOUT_MS) != NULL) {
		const char *text = talk_text(talk);
		lines++;
		harmful += is_harmful(text, strlen(text));
		is_queued |= strstr(text, "\"notification\"") != NULL;
		is_last = strstr(text, "\"text\":\"last\"") != NULL;
	}
	ok(is_last && lines > 10, "hostile sequences give %u events", lines);
	is_int(harmful, 0, "none of them has a control character");
	ok(!is_queued, "none of them is a notification");
	(void)live_run(live, "timeout 20 sh -c 'until grep -q ^done shown; do sleep 0.05; done'");
	shown = live_run(live, "cat shown");
	ok(strstr(shown, "program_notified") != NULL && strstr(shown, "three") != NULL,
	    "muxbus watch prints them");
	ok(!is_harmful(shown, strlen(shown)), "and no control character with them");
	talk_free(talk);
}

/* Waits for a state of the agent in a pane; the milliseconds that it took since then, or -1. */
static int64_t state_after(struct talk *talk, const char *state, int64_t from_ms)
{
	const struct json *event =
	    talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", "state", state);
	return event != NULL ? live_now_ms() - from_ms : -1;
}

/* Writes a line for the stand-in to carry out; the time before. */
static int64_t tell(struct live *live, const char *pane, const char *words)
{
	int64_t now_ms = live_now_ms();
	live_tmux(live, "send-keys -t %s -l '%s'", pane, words);
	now_ms = live_now_ms();
	live_tmux(live, "send-keys -t %s Enter", pane);
	return now_ms;
}

/* The stand-in of an agent: a shell that carries out what is typed. */
static char *start_stand_in(struct talk *talk, const char *command)
{
	const struct json *response = talk_call(talk, "create_window",
	    "{\"session\":\"main\",\"reports\":\"token\",\"command\":%s}", command);
	if (at_str(response, "result.pane") == NULL)
		live_bail("no pane: %s", talk_text(talk));
	return xstrdup(at_str(response, "result.pane"));
}

/* Other programs may slow down a round; of some one must be fast. */
static void check_states(struct live *live, struct talk *talk, const char *pane, const char *how)
{
	static const char *const states[] = {"idle", "busy", "asking"};
	static const char *const words[] = {"m ready", "m busy", "m asking"};
	int64_t worst = STATE_MS + 1;
	for (int round = 0; round < 10 && worst > STATE_MS && worst >= 0; round++) {
		worst = 0;
		for (size_t i = 0; i < sizeof states / sizeof *states && worst >= 0; i++) {
			int64_t ms = state_after(talk, states[i], tell(live, pane, words[i]));
			worst = ms < 0 ? -1 : ms > worst ? ms : worst;
		}
	}
	ok(worst >= 0 && worst <= STATE_MS,
	    "tmux %s, %s: ready, busy and asking are each known after %lld ms at most",
	    live->version, how, (long long)worst);
}

/* The function m STATE of the stand-in, for shells that read ENV. */
static void write_marks(struct live *live)
{
	(void)live_run(live,
	    "printf '%%s\n' 'm() { printf \"\\033]3008;start=m;muxbus=%%s;agent=stand-in;state=%%s;"
	    "%%s\\033\\\\\\\\\" \"$LC_MUXBUS\" \"$1\" \"$2\"; }' > marks");
}

static int64_t counter(struct talk *talk, const char *name)
{
	char path[64];
	(void)snprintf(path, sizeof path, "result.counters.%s", name);
	return at_int(talk_call(talk, "status", NULL), path);
}

/* A pane whose shell has the token of its own, and states, a question and an end by it. */
static void test_states(struct live *live)
{
	struct talk *talk = talk_new(live);
	const struct json *event;
	int64_t refused;
	char *pane;
	(void)talk_call(talk, "subscribe", "{\"kinds\":[\"agent_reported\"]}");
	pane = start_stand_in(talk, "[\"env\",\"ENV=marks\",\"sh\",\"-i\"]");
	check_states(live, talk, pane, "in a pane");
	(void)tell(live, pane, "m idle; m asking question=rm\\\\x3b\\\\x1b[31m?");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", "state", "asking");
	is_str(at_str(event, "question"), "rm; [31m?", "the question is clean text");
	is_str(at_str(event, "by"), "mark", "the event says that it was a mark");
	(void)tell(live, pane, "m asking question=second");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", "state", "asking");
	is_str(at_str(event, "question"), "second", "another question is an event too");
	refused = counter(talk, "reports_refused");
	(void)tell(
	    live, pane, "LC_MUXBUS=0123456789abcdef0123456789abcdef m idle; LC_MUXBUS=1 m idle");
	(void)tell(live, pane, "LC_MUXBUS= m idle; m busy");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", NULL, NULL);
	is_str(at_str(event, "state"), "busy", "a forged mark is no report");
	is_int(counter(talk, "reports_refused") - refused, 2, "and is counted");
	(void)tell(live, pane, "printf \"\\\\033]3008;end=m;muxbus=$LC_MUXBUS\\\\a\"");
	event = talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", "state", "gone");
	ok(event != NULL, "the end of the context is the end of the agent");
	live_stop_daemon(live, SIGKILL);
	talk_free(talk);
	live_start_daemon(live, NULL);
	talk = talk_new(live);
	(void)talk_call(talk, "subscribe", "{\"kinds\":[\"agent_reported\"]}");
	(void)tell(live, pane, "m busy");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", "state", "busy") != NULL,
	    "the token lives longer than the daemon");
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	talk_free(talk);
}

/* A mark that a messenger has printed, such as muxbus mark, outlives the messenger. */
static void test_messenger(struct live *live)
{
	struct talk *talk = talk_new(live);
	const struct json *found;
	char *pane;
	(void)talk_call(talk, "subscribe", "{\"kinds\":[\"agent_reported\"]}");
	pane = start_stand_in(talk, "[\"bash\",\"--norc\",\"-i\"]");
	(void)tell(live, pane, "timeout --foreground 60 sh -c \". ./marks; m busy; read -r x\"");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", "state", "busy") != NULL,
	    "a messenger in front of a shell prints a mark");
	live_tmux(live, "send-keys -t %s Enter", pane);
	ok(live_tmux_until(
	       live, "bash", "display-message -p -t %s '#{pane_current_command}'", pane),
	    "and ends");
	found = talk_call(talk, "wait_for",
	    "{\"any\":[{\"agent_state\":\"busy\",\"pane\":\"%s\"}],\"timeout_sec\":1}", pane);
	ok(at(found, "result.matched.0") != NULL, "the mark stays");
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	talk_free(talk);
}

/* The next receipt with this result; NULL if none comes. */
static const struct json *receipt(struct talk *talk, const char *result)
{
	const struct json *event;
	while ((event = talk_event(talk, 2 * LIVE_TIMEOUT_MS, "delivery", NULL, NULL)) != NULL) {
		const char *name = at_str(event, "delivery.result");
		if (name != NULL && strcmp(name, result) == 0)
			return event;
	}
	return NULL;
}

/* A program at a prompt that says by a mark to be an idle agent is not typed to. */
static void test_typing(struct live *live)
{
	struct talk *talk = talk_new(live);
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	const char *reason;
	char *pane;
	(void)talk_call(talk, "subscribe", "{\"kinds\":[\"agent_reported\",\"delivery\"]}");
	/* Of a name that no known agent has. */
	(void)live_run(live, "cp %s/tests/fake_agent stranger", dir);
	pane = start_stand_in(talk, "\". ./marks; m idle agent=claude; exec ./stranger fake.log\"");
	ok(talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", "state", "idle") != NULL,
	    "a mark says that an agent is idle");
	(void)talk_call(talk, "post_notification", "{\"pane\":\"%s\",\"text\":\"wake up\"}", pane);
	reason = at_str(receipt(talk, "deferred"), "delivery.reason");
	ok(reason != NULL && strstr(reason, "is no known agent") != NULL,
	    "and does not make it one that may be typed to: %s", reason != NULL ? reason : "-");
	(void)talk_call(talk, "report_agent",
	    "{\"agent\":\"stand-in\",\"state\":\"idle\",\"pane\":\"%s\"}", pane);
	ok(receipt(talk, "submitted") != NULL, "as a report over the socket does");
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	talk_free(talk);
}

/* An ssh to this machine with keys of its own. False after skipping with the reason. */
static bool set_up_ssh(struct live *live)
{
	const char *sshd = getenv("MUXBUS_SSHD"), *trouble;
	/* sshd of root wants this folder, which else its service makes. */
	(void)live_run(live, "[ \"$(id -u)\" != 0 ] || mkdir -p -m 755 /run/sshd");
	(void)live_run(live,
	    "ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 "
	    "-N '' -f key && cp key.pub authorized_keys");
	(void)live_run(live,
	    "printf '%%s\n' \"HostKey $PWD/host\" \"AuthorizedKeysFile $PWD/authorized_keys\" "
	    "'StrictModes no' 'PermitRootLogin yes' 'PasswordAuthentication no' 'PidFile none' "
	    "'AcceptEnv LANG LC_*' > sshd_config");
	(void)live_run(live,
	    "sshd=%s; [ -n \"$sshd\" ] || sshd=$(PATH=$PATH:/usr/sbin command -v sshd) && "
	    "printf '%%s\n' \"ProxyCommand $sshd -i -f $PWD/sshd_config\" \"IdentityFile "
	    "$PWD/key\" "
	    "'IdentitiesOnly yes' 'BatchMode yes' 'StrictHostKeyChecking no' 'SendEnv LC_*' "
	    "'UserKnownHostsFile /dev/null' 'LogLevel ERROR' > ssh_config",
	    sshd != NULL ? sshd : "");
	trouble = live_run(live, "timeout 10 ssh -F ssh_config -tt here true 2>&1 < /dev/null");
	if (live->status == 0)
		return true;
	diag("%s", trouble);
	skip("ssh to this machine does not work: no sshd, or see above");
	return false;
}

/* Starts the stand-in by a command, and checks its states. */
static void LIVE_PRINTF(3, 4)
    check_place(struct live *live, const char *how, const char *format, ...)
{
	struct talk *talk = talk_new(live);
	char command[1024];
	va_list args;
	char *pane;
	va_start(args, format);
	(void)vsnprintf(command, sizeof command, format, args);
	va_end(args);
	(void)talk_call(talk, "subscribe", "{\"kinds\":[\"agent_reported\"]}");
	pane = start_stand_in(talk, command);
	(void)live_tmux_until(live, "1", "display-message -p -t %s '#{!=:#{cursor_x},0}'", pane);
	check_states(live, talk, pane, how);
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	talk_free(talk);
}

/* The hook of an agent behind ssh has no socket and no pane there, but its terminal. */
static void check_hook(struct live *live)
{
	struct talk *talk = talk_new(live);
	const struct json *event;
	char *pane, *command;
	(void)talk_call(talk, "subscribe", "{\"kinds\":[\"agent_reported\"]}");
	command = xasprintf(
	    "[\"ssh\",\"-F\",\"%s/ssh_config\",\"-tt\",\"here\",\"exec sh -i\"]", live->dir);
	pane = start_stand_in(talk, command);
	(void)live_tmux_until(live, "1", "display-message -p -t %s '#{!=:#{cursor_x},0}'", pane);
	live_tmux(live, "send-keys -t %s '%s hook claude UserPromptSubmit < /dev/null' Enter", pane,
	    muxbus_path());
	event = talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", "agent", "claude");
	is_str(at_str(event, "state"), "busy", "muxbus hook behind ssh reports by a mark");
	live_tmux(live, "send-keys -t %s '%s mark asking --agent claude -q \"go; on?\"' Enter",
	    pane, muxbus_path());
	event = talk_event(talk, LIVE_TIMEOUT_MS, "agent_reported", "state", "asking");
	is_str(at_str(event, "question"), "go; on?", "and so does muxbus mark");
	live_tmux(live, "kill-pane -t %s", pane);
	mem_free(pane);
	mem_free(command);
	talk_free(talk);
}

/* Places where the agent has no socket, no pid or no name that the daemon could know. */
static void test_places(struct live *live)
{
	if (set_up_ssh(live)) {
		check_place(live, "behind ssh",
		    "[\"ssh\",\"-F\",\"%s/ssh_config\",\"-tt\",\"here\","
		    "\"ENV=%s/marks exec sh -i\"]",
		    live->dir, live->dir);
		check_hook(live);
	}
	(void)live_run(live, "unshare -Urpf true");
	if (live->status == 0)
		check_place(live, "in a pid namespace",
		    "[\"env\",\"ENV=%s/marks\",\"unshare\",\"-Urpf\",\"sh\",\"-i\"]", live->dir);
	else
		skip("unshare makes no pid namespace");
	(void)live_run(live,
	    "mkdir root; cp marks root; printf '%%s\n' 'for d in bin lib lib64 usr dev; do [ -e "
	    "/$d ] "
	    "&& mkdir -p root/$d && mount --rbind /$d root/$d || exit 1; done' "
	    "'exec chroot root env ENV=/marks sh \"$@\"' > jail");
	(void)live_run(live, "unshare -Urm sh jail -c true");
	if (live->status == 0)
		check_place(live, "in a chroot",
		    "[\"sh\",\"-c\",\"cd %s && exec unshare -Urm sh jail -i\"]", live->dir);
	else
		skip("a chroot cannot be made");
	(void)live_run(live, "cp /bin/sh another-name");
	check_place(live, "under another name",
	    "[\"env\",\"ENV=%s/marks\",\"%s/another-name\",\"-i\"]", live->dir, live->dir);
}

/* The next notification of a program. */
static const struct json *next_note(struct talk *talk)
{
	return talk_event(talk, LIVE_TIMEOUT_MS, "notification", "source", "program");
}

/* A pane that a program in the pane main makes: that pane is to be notified. */
static void test_notifications(struct live *live)
{
	struct talk *talk = talk_new(live);
	int64_t told = 0, count = 0;
	char *first, *second;
	const struct json *list;
	first = xstrdup(live_tmux(live, "display-message -p -t main '#{pane_id}'"));
	(void)talk_call(talk, "subscribe", "{\"kinds\":[\"notification\",\"pane_created\"]}");
	live_tmux(live,
	    "send-keys -t main \"%s -s %s create_pane reports=notices command='ENV=marks exec sh "
	    "-i'\" Enter",
	    muxbus_path(), live->socket);
	list = talk_event(talk, LIVE_TIMEOUT_MS, "pane_created", NULL, NULL);
	if (at_str(list, "pane") == NULL)
		live_bail("no pane was made");
	second = xstrdup(at_str(list, "pane"));
	(void)live_tmux_until(live, "1", "display-message -p -t %s '#{!=:#{cursor_x},0}'", second);
	(void)tell(live, second, "printf \"\\\\033]9;built\\\\a\"");
	list = next_note(talk);
	is_str(at_str(list, "text"), "built", "a notice is a notification");
	is_str(at_str(list, "pane"), first, "for the pane that asked for it");
	(void)tell(live, second, "m \"\" wake=\"look at this\"");
	list = next_note(talk);
	is_str(at_str(list, "text"), "look at this", "a request to wake is one");
	is_str(at_str(list, "pane"), second, "for its own pane");
	(void)tell(live, second, "m busy \"to=parent;wake=for you\"");
	is_str(at_str(next_note(talk), "pane"), first, "or for its parent");
	/* Without the subscription: a notification that a subscriber has is read. */
	talk_free(talk);
	talk = talk_new(live);
	(void)tell(live, second,
	    "i=0; while [ $i -lt 50 ]; do printf \"\\\\033]9;n$i\\\\a\"; i=$((i+1)); done; m "
	    "gone \"wake=end\"");
	(void)live_tmux_until(live, "1", "display-message -p -t %s '#{!=:#{cursor_x},0}'", second);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(20)) {
		told = count = 0;
		list = at(talk_call(talk, "list_notifications", "{\"limit\":1000}"),
		    "result.notifications");
		for (const struct json *note = list != NULL ? list->child : NULL; note != NULL;
		     note = note->next) {
			int64_t here = at_int(note, "count");
			if (strcmp(at_str(note, "source"), "program") != 0)
				continue;
			told++;
			count += here > 0 ? here : 1;
		}
		if (count == 54)
			break;
	}
	ok(told <= 10 && count == 54, "a flood of 54 is %d notifications that count %d", (int)told,
	    (int)count);
	live_tmux(live, "kill-pane -t %s", second);
	mem_free(first);
	mem_free(second);
	talk_free(talk);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	for (size_t place = 0; paths[place] != NULL; place++) {
		struct live *live = live_start(paths[place], "sh");
		diag("tmux %s", live->version);
		test_events(live);
		test_hostile(live);
		write_marks(live);
		test_states(live);
		if (place == 0)
			test_messenger(live);
		test_typing(live);
		test_places(live);
		test_notifications(live);
		live_free(live);
	}
	return done_testing();
}
