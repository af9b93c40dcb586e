/* SPDX-License-Identifier: ISC */
/*
 * Targets by index and name, on every tmux at hand: after each change that tmux does not announce,
 * every method means the object that tmux means, and its answer names the id.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "daemon/tmux/command_policy.h"
#include "harness.h"
#include "person.h"

#define TEXT_SIZE 512

static struct live *live;
static struct talk *talk;

/* Session k: window 0 with three panes, 1 with one, 2 with two; and k:1 is linked as b:5. */
static void build(void)
{
	live_tmux(live,
	    "set -gu pane-base-index ';' set -gu renumber-windows ';' kill-session -a -t main ';' "
	    "new-session -d -s k -x 90 -y 40 'exec cat' ';' "
	    "split-window -t k:0 'exec cat' ';' split-window -t k:0 'exec cat' ';' "
	    "new-window -d -t k:1 'exec cat' ';' new-window -d -t k:2 'exec cat' ';' "
	    "split-window -t k:2 'exec cat' ';' "
	    "new-session -d -s b -x 90 -y 40 'exec cat' ';' link-window -d -s k:1 -t b:5");
}

/* The id that tmux finds there. */
static const char *tmux_id(const char *target, char sigil)
{
	const char *format = sigil == '%' ? "pane_id" : sigil == '@' ? "window_id" : "session_id";
	return live_tmux(live, "display-message -p -t '%s' '#{%s}'", target, format);
}

/* Changes that move the objects at k:0, k:0.1 or k, and of which tmux says nothing or little. */
static const struct change {
	const char *command;
	const char *target; /* that is another object then */
} changes[] = {
    {"rotate-window -t k:0", "k:0.1"},
    {"rotate-window -D -t k:0", "k:0.1"},
    {"swap-pane -s k:0.1 -t k:0.2", "k:0.1"},
    {"swap-pane -d -s k:0.1 -t k:2.0", "k:0.1"},
    {"swap-pane -d -s k:0.1 -t k:1.0", "b:5.0"},
    {"swap-window -d -s k:0 -t k:2", "k:0.1"},
    {"swap-window -s k:0 -t k:2", "k:0.1"},
    {"swap-window -d -s k:0 -t b:0", "b:0.0"},
    {"swap-window -d -s b:0 -t b:5", "b:5.0"},
    {"kill-window -t k:0 ';' move-window -r -t k", "k:1.0"},
    {"set -g renumber-windows on ';' kill-window -t k:0", "k:1.0"},
    {"set -g pane-base-index 1", "k:0.1"},
    {"set -w -t k:0 pane-base-index 1", "k:0.1"},
    {"swap-window -s k:0 -t k:2", "k:"},
    {"select-pane -t k:0.0", "k:0"},
    {"select-window -t k:2", "k:"},
    {"rename-session -t k x ';' rename-session -t b k", "k:0.0"},
    {"new-window -d -b -t k:0 'exec cat'", "k:0.0"},
    {"break-pane -d -s k:0.0", "k:0.1"},
    {"join-pane -d -b -s k:2.0 -t k:0.0", "k:0.1"},
};

/* A method with a target, and where its answer names the object. */
static const struct row {
	const char *method;
	char sigil;
	const char *params; /* the target is where ^ is */
	const char *path;
} rows[] = {
    {"get_pane", '%', "{\"pane\":\"^\"}", "result.pane"},
    {"send_text", '%', "{\"pane\":\"^\",\"text\":\"x\",\"force\":true}", "result.pane"},
    {"close_pane", '%', "{\"pane\":\"^\",\"force\":true}", "result.pane"},
    {"cancel_watch", '%', "{\"pane\":\"^\"}", "result.pane"},
    {"capture_pane", '%', "{\"pane\":\"^\"}", "result.pane"},
    {"close_session", '$', "{\"session\":\"^\"}", "result.session"},
    {"close_window", '@', "{\"window\":\"^\"}", "result.window"},
    {"create_pane", '@', "{\"pane\":\"^\",\"command\":\"exec cat\"}", "result.window"},
    {"create_window", '$', "{\"session\":\"^\",\"command\":\"exec cat\"}", "result.session"},
    {"ensure_agent", '%', "{\"pane\":\"^\",\"name\":\"here\"}", "result.pane"},
    {"find_text", '%', "{\"pane\":\"^\",\"regex\":\"x\"}", "result.pane"},
    {"focus_pane", '%', "{\"pane\":\"^\"}", "result.pane"},
    {"gemini_sleep", '%', "{\"pane\":\"^\",\"seconds\":9}", "result.wake.pane"},
    {"list_notifications", '%', "{\"pane\":\"^\"}", "result.notifications.0.pane"},
    {"list_panes", '@', "{\"window\":\"^\"}", "result.panes.0.window"},
    {"list_panes", '$', "{\"session\":\"^\"}", "result.panes.1.session"},
    {"list_windows", '$', "{\"session\":\"^\"}", "result.windows.1.sessions.0"},
    {"next_notification", '%', "{\"filter\":{\"pane\":\"^\"},\"after\":0,\"timeout_sec\":5}",
	"result.notifications.0.pane"},
    {"post_notification", '%', "{\"pane\":\"^\",\"text\":\"x\"}", "result.wake.pane"},
    {"publish", '%', "{\"kind\":\"k\",\"pane\":\"^\"}", "result.pane"},
    {"read_output", '%', "{\"pane\":\"^\"}", "result.pane"},
    {"report_agent", '%', "{\"pane\":\"^\",\"agent\":\"claude\",\"state\":\"idle\"}",
	"result.pane"},
    {"resize_pane", '%', "{\"pane\":\"^\",\"width\":40}", "result.pane"},
    {"run_long_command", '%', "{\"pane\":\"^\",\"command\":\"true\"}", "result.wake.pane"},
    {"self_command", '%', "{\"pane\":\"^\",\"command\":\"/x\"}", "result.wake.pane"},
    {"send_keys", '%', "{\"pane\":\"^\",\"keys\":[\"x\"],\"force\":true}", "result.pane"},
    {"send_mouse", '%', "{\"pane\":\"^\",\"x\":1,\"y\":1,\"action\":\"click\"}", "error.data.pane"},
    {"set_wake_policy", '%', "{\"pane\":\"^\",\"window_ms\":1}", "result.pane"},
    {"sleep", '%', "{\"pane\":\"^\",\"seconds\":600}", "result.wake.pane"},
    {"subscribe", '%', "{\"panes\":[\"^\"]}", "result.panes.0"},
    {"subscribe", '$', "{\"sessions\":[\"^\"]}", "result.sessions.0"},
    {"take_notifications", '%', "{\"pane\":\"^\",\"way\":\"hook\"}", "result.pane"},
    {"wait_for_idle", '%', "{\"pane\":\"^\",\"cpu_threshold\":1,\"duration_seconds\":9}",
	"result.watched_pane"},
    {"watch_log", '%', "{\"pane\":\"^\",\"file_path\":\"/nowhere\"}", "result.wake.pane"},
    {"watch_pane", '%', "{\"pane\":\"^\",\"regex\":\"x\"}", "result.watched_pane"},
};

/* The conditions of wait_for. */
static const struct row conditions[] = {
    {"agent_state", '%', "\"agent_state\":\"busy\",\"pane\":\"^\"", "pane"},
    {"command_finished", '%', "\"command_finished\":\"^\"", "pane"},
    {"cpu_below", '%', "\"cpu_below\":1,\"for_sec\":9,\"pane\":\"^\"", "pane"},
    {"event", '%', "\"event\":\"pane_exited\",\"pane\":\"^\"", "pane"},
    {"event", '@', "\"event\":\"pane_exited\",\"window\":\"^\"", "window"},
    {"event", '$', "\"event\":\"pane_exited\",\"session\":\"^\"", "session"},
    {"exited", '%', "\"exited\":\"^\"", "pane"},
    {"output", '%', "\"output\":\"zz\",\"pane\":\"^\"", "pane"},
    {"prompt", '%', "\"prompt\":true,\"pane\":\"^\"", "pane"},
    {"quiet_sec", '%', "\"quiet_sec\":9,\"pane\":\"^\"", "pane"},
    {"ready", '%', "\"ready\":\"^\"", "pane"},
    {"screen", '%', "\"screen\":\"^\",\"pane\":\"^\"", "pane"},
};

enum { ROWS = sizeof rows / sizeof rows[0], CONDITIONS = sizeof conditions / sizeof conditions[0] };

/* With the target in the place of the last ^. */
static const struct json *ask(const char *method, const char *params, const char *target)
{
	char text[TEXT_SIZE];
	int at = (int)(strrchr(params, '^') - params);
	(void)snprintf(text, sizeof text, "%.*s%s%s", at, params, target, params + at + 1);
	return talk_call_json(talk, method, text);
}

/* Plays a change, and asks with the method at once. */
static void play(const struct change *change, const char *target, const struct row *row)
{
	char *before, *now;
	build();
	(void)talk_call(talk, "list_panes", NULL);
	before = xstrdup(tmux_id(target, row->sigil));
	live_tmux(live, "%s", change->command);
	now = xstrdup(tmux_id(target, row->sigil));
	if (strcmp(before, now) == 0 || now[0] != row->sigil)
		ok(false, "tmux %s: %s moves what is at %s", live->version, change->command,
		    target);
	if (row->sigil == '%') /* for those that list or take it */
		(void)ask("post_notification", "{\"pane\":\"^\",\"text\":\"x\"}", now);
	if (!is_str(at_str(ask(row->method, row->params, target), row->path), now,
		"tmux %s: %s: %s of %s", live->version, change->command, row->method, target))
		diag("was %s; %.400s", before, talk_text(talk));
	mem_free(before);
	mem_free(now);
}

/* Three methods after every change. */
static void test_changes(void)
{
	for (size_t c = 0; c < sizeof changes / sizeof changes[0]; c++) {
		for (size_t r = 0; r < 3; r++)
			play(&changes[c], changes[c].target, &rows[r]);
	}
}

/* A change for each kind of object, and what is another one then. */
static void play_one(const struct row *row)
{
	static const struct change panes = {"rotate-window -t k:0", "k:0.1"};
	static const struct change windows = {"swap-window -d -s k:0 -t k:2", "k:0"};
	static const struct change sessions = {
	    "rename-session -t k x ';' rename-session -t b k", "k"};
	const struct change *change = row->sigil == '%' ? &panes
	    : row->sigil == '@'                         ? &windows
							: &sessions;
	play(change, change->target, row);
}

static bool has_row(const struct row *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].method, name) == 0)
			return true;
	}
	return false;
}

/* Whether an object of parameters names a pane, window or session. */
static bool has_target(const struct json *about)
{
	static const char *const names[] = {"pane", "panes", "session", "sessions", "window",
	    "filter", "exited", "ready", "command_finished"};
	const struct json *properties = at(about, "params.properties");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (properties != NULL && json_member(properties, names[i]) != NULL)
			return true;
	}
	return false;
}

/* The audit has ids as they were recorded, of closed panes too; narrow never looks at tmux. */
static bool takes_ids_only(const char *method)
{
	return strcmp(method, "read_audit") == 0 || strcmp(method, "narrow") == 0;
}

/* describe has no method and no condition with a target that is not asked here. */
static void test_all_are_here(void)
{
	const struct json *answer = talk_call(talk, "describe", NULL);
	const struct json *list = at(answer, "result.methods");
	for (const struct json *one = list != NULL ? list->child : NULL; one; one = one->next)
		if (has_target(one) && !takes_ids_only(one->name))
			ok(has_row(rows, ROWS, one->name), "%s is asked here", one->name);
	list = at(answer, "result.conditions");
	for (const struct json *one = list != NULL ? list->child : NULL; one; one = one->next)
		if (has_target(one))
			ok(has_row(conditions, CONDITIONS, one->name), "%s is asked here",
			    one->name);
}

static void test_methods(void)
{
	for (size_t r = 0; r < ROWS; r++)
		play_one(&rows[r]);
	for (size_t c = 0; c < CONDITIONS; c++) {
		char params[TEXT_SIZE], path[64];
		struct row row = {"wait_for", conditions[c].sigil, params, path};
		(void)snprintf(params, sizeof params, "{\"any\":[{%s}],\"timeout_sec\":0.02}",
		    conditions[c].params);
		(void)snprintf(path, sizeof path, "result.conditions.0.%s", conditions[c].path);
		play_one(&row);
	}
}

static const char *pane_at(const char *target)
{
	return at_str(ask("get_pane", "{\"pane\":\"^\"}", target), "result.pane");
}

/*
 * Presses keys, and asks until another pane is at a target. tmux runs no command of the test
 * meanwhile, which would be a sign that something may have changed.
 */
static void press(struct person *person, const char *keys, const char *target, const char *what)
{
	char *before;
	(void)pane_at(target);
	before = xstrdup(pane_at(target));
	ok(write(person->terminal, keys, strlen(keys)) > 0, "tmux %s: %s", live->version, what);
	for (int64_t end_ms = live_now_ms() + 1000;
	     live_now_ms() < end_ms && strcmp(pane_at(target), before) == 0;)
		person_look(person);
	mem_free(before);
	before = xstrdup(pane_at(target));
	is_str(before, tmux_id(target, '%'), "tmux %s: it is known", live->version);
	mem_free(before);
}

/* Keys of a person: bound ones, and those of the tree, which run no command (since tmux 3.6). */
static void test_person(void)
{
	struct person person;
	build();
	person = person_attach(live, "k");
	live_tmux(live, "select-window -t k:2 ';' select-pane -t k:2.0");
	press(&person, "\x02\x0f", "k:2.1", "a person rotates panes");
	live_tmux(live, "choose-tree -t k:2 -w");
	(void)live_tmux_until(live, "tree-mode", "display-message -p -t k:2 '#{pane_mode}'");
	press(&person, "\033[A\033[1;2A", "k:1.0", "a person moves a window in the tree");
	press(&person, "\033[1;2B", "k:1.0", "and back");
	person_leave(&person);
}

/* Whether each answer while something moves is what tmux says before and behind it. */
static bool agrees(const char *target)
{
	bool is_same = true;
	for (int64_t end_ms = live_now_ms() + 200; live_now_ms() < end_ms && is_same;) {
		char *before = xstrdup(tmux_id(target, '%'));
		const char *found = pane_at(target);
		is_same = strcmp(before, tmux_id(target, '%')) != 0 ||
		    (found != NULL && strcmp(found, before) == 0);
		if (!is_same)
			diag("tmux: %s, answer: %s", before, found != NULL ? found : "none");
		mem_free(before);
	}
	return is_same;
}

/* The rest moves up when a program ends by itself. */
static void test_ends(void)
{
	for (int i = 0; i < 6; i++) {
		build();
		live_tmux(live, "set -g renumber-windows on");
		(void)pane_at("k:0.0");
		(void)live_run(live, "kill -9 %s",
		    live_tmux(live,
			i % 2 ? "display-message -p -t k:2.0 '#{pane_pid}'"
			      : "display-message -p -t k:0.0 '#{pane_pid}'"));
		ok(agrees(i % 2 ? "k:2.0" : "k:0.0"), "tmux %s: a pane ends", live->version);
		(void)live_run(live, "kill -9 %s",
		    live_tmux(live, "display-message -p -t k:1.0 '#{pane_pid}'"));
		ok(agrees("k:1.0"), "tmux %s: a window ends", live->version);
	}
}

/* Requests of a peer act in their order, whichever way they name the pane. */
static void test_order(void)
{
	const struct json *answer = NULL;
	const char *id;
	build();
	id = tmux_id("k:1", '%');
	for (int i = 0; i < 20; i++)
		talk_send(talk,
		    "{\"id\":%d,\"method\":\"send_text\",\"params\":{\"pane\":\"%s\",\"text\":\"%"
		    "c\","
		    "\"force\":true}}",
		    i, i % 3 != 0 ? id : "k:1", 'a' + i);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		answer = talk_call(talk, "capture_pane", "{\"pane\":\"k:1\"}");
		if (strchr(at_str(answer, "result.text"), 't') != NULL)
			break;
	}
	is_str(at_str(answer, "result.text"), "abcdefghijklmnopqrst\n",
	    "tmux %s: requests are done in their order", live->version);
}

/* run_tmux knows each command of this tmux. */
static void test_commands(void)
{
	char *names = xstrdup(live_tmux(live, "list-commands -F '#{command_list_name}'"));
	unsigned count = 0;
	for (char *rest, *name = strtok_r(names, "\n", &rest); name != NULL;
	     name = strtok_r(NULL, "\n", &rest), count++) {
		struct command_judgement judgement;
		command_judge((const char *const[]){name}, 1, &judgement);
		is_str(judgement.name != NULL ? judgement.name : "", name, "tmux %s: a command",
		    live->version);
	}
	ok(count > 80, "tmux %s: %u commands", live->version, count);
	mem_free(names);
}

int main(void)
{
	const char *const *tmuxes = live_tmux_paths();
	for (; *tmuxes != NULL; tmuxes++) {
		live = live_start(*tmuxes, "exec cat");
		talk = talk_new(live);
		(void)talk_call_json(
		    talk, "provide", "{\"methods\":[]}"); /* or it could not publish */
		test_commands();
		test_all_are_here();
		test_changes();
		test_methods();
		test_order();
		test_person();
		test_ends();
		talk_free(talk);
		live_free(live);
	}
	return done_testing();
}
