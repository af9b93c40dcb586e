/* SPDX-License-Identifier: ISC */
/* The events of agents' hooks: the meaning of each, and that no text in them can do harm. */
#include "cli/verbs/hook_event.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "wire/json.h"

static const struct {
	const char *agent;
	const char *name; /* on the command line; NULL: in the input */
	const char *input;
	const char *state;
	enum hook_handing handing;
} rows[] = {
    {"claude", "SessionStart", "{\"source\":\"startup\"}", "idle", HOOK_NOTHING},
    {"claude", "SessionStart", "{\"source\":\"compact\"}", NULL, HOOK_NOTHING},
    {"claude", "PreCompact", "{\"trigger\":\"auto\"}", "busy", HOOK_NOTHING},
    {"claude", "PreCompact", "{\"trigger\":\"manual\"}", NULL, HOOK_NOTHING},
    {"codex", "PreCompact", "{}", "busy", HOOK_NOTHING},
    {"claude", NULL, "{\"hook_event_name\":\"UserPromptSubmit\"}", "busy", HOOK_CONTEXT},
    {"claude", "PostToolUse", "{}", "busy", HOOK_CONTEXT},
    {"codex", "PostToolUse", "{}", "busy", HOOK_NOTHING},
    {"codex", "PermissionRequest", "{}", "asking", HOOK_NOTHING},
    {"codex", "Stop", "{\"stop_hook_active\":false}", "idle", HOOK_BLOCK},
    {"codex", "Stop", "{\"stop_hook_active\":true}", "idle", HOOK_NOTHING},
    {"gemini", "BeforeAgent", "{}", "busy", HOOK_CONTEXT},
    {"gemini", "AfterAgent", "{}", "idle", HOOK_BLOCK},
    {"gemini", "Notification", "{\"notification_type\":\"ToolPermission\"}", "asking",
	HOOK_NOTHING},
    {"claude", "Notification", "{\"notification_type\":\"idle_prompt\"}", "idle", HOOK_NOTHING},
    {"claude", "Notification", "{\"notification_type\":\"auth_success\"}", NULL, HOOK_NOTHING},
    {"claude", "Notification", "{\"message\":\"Claude needs your permission to x\"}", "asking",
	HOOK_NOTHING},
    {"claude", "Notification", "{}", NULL, HOOK_NOTHING},
    {"copilot", "userPromptSubmitted", "{\"sessionId\":\"a\"}", "busy", HOOK_NOTHING},
    {"copilot", "agentStop", "{}", "idle", HOOK_BLOCK},
    {"claude", "SessionEnd", "{}", "gone", HOOK_NOTHING},
    {"claude", "SubagentStop", "{}", NULL, HOOK_NOTHING},
    {"claude", NULL, "{", NULL, HOOK_NOTHING},
    {"claude", NULL, "[1]", NULL, HOOK_NOTHING},
    {"claude", "Stop", "", "idle", HOOK_BLOCK},
};

static bool is_same(const char *one, const char *other)
{
	return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static void test_rows(void)
{
	struct hook_event event;
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		hook_event_read(
		    &event, rows[at].agent, rows[at].name, rows[at].input, strlen(rows[at].input));
		ok(is_same(event.state, rows[at].state) && event.handing == rows[at].handing,
		    "%s %s %s: %s", rows[at].agent, rows[at].name != NULL ? rows[at].name : "-",
		    rows[at].input, rows[at].state != NULL ? rows[at].state : "nothing");
	}
}

static void test_words(void)
{
	static const char *const good[] = {
	    "{\"session_id\":\"0af3-11.2:x_Y\"}", "{\"sessionId\":\"0af3-11.2:x_Y\"}"};
	static const char *const bad[] = {"{\"session_id\":\"-x\"}", "{\"session_id\":\"a b\"}",
	    "{\"session_id\":\"\\u001b\"}", "{\"session_id\":\"$(id)\"}", "{\"session_id\":\"\"}",
	    "{\"session_id\":7}", "{\"session_id\":{\"x\":1}}", "{\"session_id\":null}"};
	struct hook_event event;
	char text[300];
	for (size_t at = 0; at < sizeof good / sizeof *good; at++) {
		hook_event_read(&event, "claude", "Stop", good[at], strlen(good[at]));
		is_str(event.session, "0af3-11.2:x_Y", "a session: %s", good[at]);
	}
	for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) {
		hook_event_read(&event, "claude", "Stop", bad[at], strlen(bad[at]));
		is_str(event.session, "", "no session: %s", bad[at]);
	}
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	hook_event_read(&event, text, text, NULL, 0);
	is_str(event.agent, "agent", "an agent's name that is too long is ignored");
	is_str(event.name, "", "and so is an event's");
	(void)unsetenv("CLAUDE_PROJECT_DIR");
	(void)unsetenv("CLAUDECODE");
	(void)setenv("GEMINI_CLI", "1", 1);
	hook_event_read(&event, NULL, "AfterAgent", NULL, 0);
	is_str(event.agent, "gemini", "an agent is known by its environment");
}

/* For any text, the output is one line of JSON that has it. */
static void test_output(void)
{
	static const char text[] = "[muxbus A1B2 job] \"}\\ \xc2\xab\x1b[31m\n\xc2\xbb";
	struct json_reader *reader = json_reader_new(65536);
	struct hook_event event = {.name = "Stop", .handing = HOOK_BLOCK};
	const struct json *value;
	struct json_error error;
	struct buf out;
	buf_init(&out, 65536);
	hook_event_write(&out, &event, text);
	is_int((int)strcspn((const char *)out.data, "\n"), (int)out.len - 1, "one line");
	value = json_read(reader, (const char *)out.data, out.len - 1, &error);
	is_str(json_member(value, "decision")->text, "block", "a turn that continues");
	is_str(json_member(value, "reason")->text, text, "with the text as it is");
	out.len = 0;
	event.handing = HOOK_CONTEXT;
	hook_event_write(&out, &event, text);
	value = json_read(reader, (const char *)out.data, out.len - 1, &error);
	value = json_member(value, "hookSpecificOutput");
	is_str(json_member(value, "hookEventName")->text, "Stop", "context, for its event");
	is_str(json_member(value, "additionalContext")->text, text, "with the text as it is");
	buf_finish(&out);
	json_reader_free(reader);
}

int main(void)
{
	test_rows();
	test_words();
	test_output();
	return done_testing();
}
