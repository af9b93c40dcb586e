/* SPDX-License-Identifier: ISC */
/*
 * The shapes that scripts rely on: every result has the members that the protocol page names, of
 * the right types, and describe agrees. A method of the page that this daemon does not have (yet)
 * is reported as skipped, by name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "harness.h"

/*
 * Members and their types, as letters: s string, i integer, n number, b boolean, o object,
 * a array, 0 null; "?" before the type: may be absent. "panes.0." in front: of the first element.
 */
struct shape {
	const char *method;
	const char *params;
	const char *members;
};

#define PANE(prefix)                                                                              \
	prefix "pane:s " prefix "window:s " prefix "session:s " prefix "session_name:s " prefix   \
	       "window_name:s " prefix "window_index:i " prefix "pane_index:i " prefix            \
	       "width:i " prefix "height:i " prefix "left:i " prefix "top:i " prefix              \
	       "active:b " prefix "title:?s0 " prefix "command:?s0 " prefix "path:?s0 " prefix    \
	       "pid:?i0 " prefix "dead:b " prefix "exit_status:?i0 " prefix "signal:?is0 " prefix \
	       "mode:?s0 " prefix "alternate_screen:?b0 " prefix "last_output:?s0 " prefix        \
	       "human:?b0 " prefix "sessions:?a"

static const struct shape shapes[] = {
    {"ping", "{}", ""},
    {"list_panes", "{}", "seq:i panes:a " PANE("panes.0.")},
    {"get_pane", "{\"pane\":\"%0\"}", PANE("")},
    {"list_windows", "{}",
	"windows:a windows.0.window:s windows.0.sessions:a windows.0.sessions.0:s windows.0.index:i"
	" windows.0.name:s windows.0.width:i windows.0.height:i windows.0.layout:s"
	" windows.0.active_pane:s windows.0.zoomed:b"},
    {"list_sessions", "{}",
	"sessions:a sessions.0.session:s sessions.0.name:s sessions.0.windows:ia"
	" sessions.0.attached:i sessions.0.created:s"},
    {"create_session", "{\"name\":\"made\",\"command\":\"exec sleep 3600\"}",
	"pane:s window:s session:s"},
    {"create_window", "{\"session\":\"made\",\"command\":\"exec sleep 3600\"}",
	"pane:s window:s session:s"},
    {"create_pane", "{\"pane\":\"%0\",\"command\":\"exec cat\"}", "pane:s window:s session:s"},
    {"capture_pane", "{\"pane_id\":\"%0\"}",
	"pane:s text:s rows:i columns:i cursor:o cursor.row:i cursor.column:i truncated:b offset:i"
	" lossy:?b"},
    {"read_output", "{\"pane\":\"%0\"}", "pane:s text:s from:i to:i gap:?bo0"},
    {"find_text", "{\"pane\":\"%0\",\"regex\":\"needle\"}",
	"matches:a matches.0.row:i matches.0.column:i matches.0.text:s"},
    {"run_tmux", "{\"command\":[\"display-message\",\"-p\",\"x\"]}", "output:s blocks:i"},
    {"send_keys", "{\"pane_id\":\"%0\",\"keys\":\"Enter\"}", "pane:s"},
    {"send_text", "{\"pane\":\"%0\",\"text\":\"x\"}", "pane:s"},
    {"resize_pane", "{\"pane\":\"%0\",\"height\":10}", "pane:s"},
    {"focus_pane", "{\"pane\":\"%0\"}", "pane:s"},
    {"subscribe", "{}", "subscription:s seq:i"},
    {"list_events", "{\"limit\":5}", "events:a"},
    {"unsubscribe", "{\"subscription\":\"S1\"}", ""},
    {"wait_for", "{\"any\":[{\"sec\":0.01}],\"timeout_sec\":5}",
	"matched:a conditions:a elapsed_sec:n timed_out:b"},
    {"run_long_command", "{\"command\":\"true\"}", "id:s message:s pid:i cwd:s log:s"},
    {"execute_cli", "{\"command\":\"echo x\"}",
	"status:s stdout:s stderr:s exit_code:i duration_ms:n truncated:b note:?s0"},
    {"list_jobs", "{}",
	"jobs:a jobs.0.id:s jobs.0.name:?s0 jobs.0.command:s jobs.0.cwd:s jobs.0.pid:?i0"
	" jobs.0.state:s jobs.0.exit_code:?i0 jobs.0.signal:?is0 jobs.0.started:s jobs.0.ended:?s0"
	" jobs.0.duration_ms:?n0 jobs.0.log:s jobs.0.log_bytes:i"},
    {"gemini_sleep", "{\"seconds\":3000,\"pane\":\"%0\"}", "id:s message:s due:s"},
    {"list_timers", "{}", "timers:a"},
    {"watch_log", "{\"file_path\":\"/tmp/mbt-nosuch.log\",\"pane\":\"%0\"}", "id:s message:s"},
    {"watch_pane", "{\"pane\":\"%0\",\"regex\":\"x\"}", "id:s message:s"},
    {"wait_for_idle", "{\"cpu_threshold\":50,\"duration_seconds\":60,\"pane\":\"%0\"}",
	"id:s message:s"},
    {"list_watches", "{}", "watches:a"},
    {"cancel_watch", "{}", ""},
    {"yield_turn", "{}", ""},
    {"post_notification", "{\"text\":\"hello\"}", "seq:i"},
    {"list_notifications", "{}",
	"notifications:a last:i gap:?o0 notifications.0.seq:i notifications.0.time:s"
	" notifications.0.source:s notifications.0.id:?s0 notifications.0.pane:s0"
	" notifications.0.text:s notifications.0.data:?o0 notifications.0.state:s"
	" notifications.0.delivery:?o0 notifications.0.redelivered:?bi"},
    {"next_notification", "{\"timeout_sec\":0.1}", "notifications:a last:i gap:?o0"},
    {"get_action_history", "{}", "actions:?a"},
    {"list_agents", "{}", "agents:a"},
    {"status", "{}",
	"version:s tmux:o tmux.version:s tmux.pid:i tmux.capabilities:oa uptime_sec:n sessions:i"
	" windows:i panes:i peers:i subscriptions:i jobs:?i timers:?i watches:?i waits:?i queue:?o"
	" model:o model.audits:i model.drift:i memory:o memory.rss_bytes:i"},
    {"status", "{\"audit\":true}", "model.audits:i model.drift:i"},
    {"describe", "{}", "methods:o errors:o events:o limits:o version:s"},
    {"close_pane", "{\"pane_id\":\"%3\",\"force\":true}", "pane:s"},
    {"close_window", "{\"window\":\"made:0\",\"force\":true}", ""},
    {"close_session", "{\"session\":\"made\",\"force\":true}", ""},
};

static char type_letter(const struct json *value)
{
	int64_t number;
	switch (value->type) {
	case JSON_NULL:
		return '0';
	case JSON_BOOL:
		return 'b';
	case JSON_NUMBER:
		return json_int(value, &number) ? 'i' : 'n';
	case JSON_STRING:
		return 's';
	case JSON_ARRAY:
		return 'a';
	case JSON_OBJECT:
		return 'o';
	}
	return '?';
}

/* Whether a member exists with one of the types; reports the error. */
static bool check_member(const struct json *result, const char *member)
{
	char path[128], letter;
	const char *types = strrchr(member, ':') + 1;
	const struct json *found;
	(void)snprintf(path, sizeof path, "%.*s", (int)(types - 1 - member), member);
	found = at(result, path);
	if (found == NULL) {
		if (*types == '?')
			return true;
		diag("%s is missing", path);
		return false;
	}
	letter = type_letter(found);
	if (strchr(types, letter) != NULL || (letter == 'i' && strchr(types, 'n') != NULL))
		return true;
	diag("%s: has type '%c', not one of '%s'", path, letter, types);
	return false;
}

static bool check_members(const struct json *result, const char *members)
{
	char *copy = xstrdup(members);
	char *save = NULL;
	bool is_right = true;
	for (char *m = strtok_r(copy, " ", &save); m != NULL; m = strtok_r(NULL, " ", &save))
		is_right = check_member(result, m) && is_right;
	mem_free(copy);
	return is_right;
}

static void check_shape(struct talk *talk, const struct shape *shape)
{
	const struct json *response = talk_call_json(talk, shape->method, shape->params);
	const struct json *result = at(response, "result");
	if (at_int(response, "error.code") == -32601) {
		char reason[96];
		(void)snprintf(
		    reason, sizeof reason, "%s: this daemon has no such method", shape->method);
		skip(reason);
		return;
	}
	if (!ok(result != NULL && result->type == JSON_OBJECT, "%s %s: an object", shape->method,
		shape->params)) {
		diag("%.400s", response == NULL ? "no answer" : talk_text(talk));
		return;
	}
	if (!ok(check_members(result, shape->members), "%s: the members that the page names",
		shape->method))
		diag("%.1500s", talk_text(talk));
}

/* Whether a row of describe's results is about a member, or about a member of it. */
static bool is_described(const struct json *results, const char *name)
{
	size_t len = strcspn(name, ".:");
	for (const struct json *row = results->child; row != NULL; row = row->next) {
		const char *said = row->name != NULL ? row->name : at_str(row, "name");
		if (said != NULL && strncmp(said, name, len) == 0 &&
		    strchr("[.", said[len]) != NULL)
			return true;
	}
	return false;
}

static bool are_described(const struct json *results, const char *members)
{
	char *copy = xstrdup(members);
	char *save = NULL;
	bool is_right = true;
	for (char *m = strtok_r(copy, " ", &save); m != NULL; m = strtok_r(NULL, " ", &save)) {
		if (is_described(results, m))
			continue;
		diag("describe does not name %s", m);
		is_right = false;
	}
	mem_free(copy);
	return is_right;
}

static void check_describe(struct talk *talk)
{
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
		const struct json *response =
		    talk_call(talk, "describe", "{\"method\":\"%s\"}", shapes[i].method);
		char path[96];
		const struct json *results;
		if (at(response, "error") != NULL ||
		    (i > 0 && strcmp(shapes[i].method, shapes[i - 1].method) == 0))
			continue;
		(void)snprintf(path, sizeof path, "result.methods.%s.result", shapes[i].method);
		results = at(response, path);
		if (!ok(results != NULL && are_described(results, shapes[i].members),
			"describe %s agrees", shapes[i].method))
			diag("%.600s", talk_text(talk));
	}
}

int main(void)
{
	struct live *live;
	struct talk *talk;
	(void)live_daemon_path();
	live = live_start(NULL, "echo a needle; exec cat");
	talk = talk_new(live);

	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		check_shape(talk, &shapes[i]);
	check_describe(talk);
	talk_free(talk);
	live_free(live);
	return done_testing();
}
