/* SPDX-License-Identifier: ISC */
#include "cli/verbs/hook_event.h"

#include "base/conversation.h"
#include "cli/ask.h"

/* The events. A row without an agent applies to any agent with this event. */
static const struct {
	const char *agent, *name, *state;
	enum hook_handing handing;
} rows[] = {
    /* Claude Code and Codex. Only Codex has Interrupt. */
    {NULL, "SessionStart", "idle", HOOK_NOTHING},
    {NULL, "UserPromptSubmit", "busy", HOOK_CONTEXT},
    {NULL, "PreToolUse", "busy", HOOK_NOTHING},
    {"claude", "PostToolUse", "busy", HOOK_CONTEXT},
    {NULL, "PostToolUse", "busy", HOOK_NOTHING},
    {NULL, "PermissionRequest", "asking", HOOK_NOTHING},
    {NULL, "PreCompact", "busy", HOOK_NOTHING},
    {NULL, "Stop", "idle", HOOK_BLOCK},
    {NULL, "StopFailure", "idle", HOOK_NOTHING},
    {NULL, "Interrupt", "idle", HOOK_NOTHING},
    {NULL, "SessionEnd", "gone", HOOK_NOTHING},
    /* Gemini CLI. */
    {NULL, "BeforeAgent", "busy", HOOK_CONTEXT},
    {NULL, "BeforeTool", "busy", HOOK_NOTHING},
    {NULL, "AfterTool", "busy", HOOK_NOTHING},
    {NULL, "AfterAgent", "idle", HOOK_BLOCK},
    /* Copilot CLI ignores the output of the first two hooks. */
    {NULL, "sessionStart", "idle", HOOK_NOTHING},
    {NULL, "userPromptSubmitted", "busy", HOOK_NOTHING},
    {NULL, "preToolUse", "busy", HOOK_NOTHING},
    {NULL, "postToolUse", "busy", HOOK_NOTHING},
    {NULL, "agentStop", "idle", HOOK_BLOCK},
    {NULL, "sessionEnd", "gone", HOOK_NOTHING},
};

/* The state that a Notification means, by its type, or else by the beginning of its message. */
static const struct {
	const char *type, *message, *state;
} notices[] = {
    {"permission_prompt", "Claude needs your permission", "asking"},
    {"elicitation_dialog", NULL, "asking"},
    {"ToolPermission", NULL, "asking"},
    {"idle_prompt", "Claude is waiting for your input", "idle"},
};

/* Environment variables that agents set for their child processes. */
static const struct {
	const char *variable, *agent;
} signs[] = {
    {"CLAUDECODE", "claude"},
    {"CLAUDE_PROJECT_DIR", "claude"},
    {"GEMINI_CLI", "gemini"},
    {"GEMINI_SESSION_ID", "gemini"},
    {"COPILOT_AGENT_SESSION_ID", "copilot"},
    {"CODEX_THREAD_ID", "codex"},
    {"OPENCODE", "opencode"},
};

static void copy_word(char *out, const char *word)
{
	static const char allowed[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-";
	size_t len = word != NULL ? strlen(word) : 0;
	if (len > 0 && len <= HOOK_WORD_MAX && strspn(word, allowed) == len && word[0] != '-')
		memcpy(out, word, len + 1);
}

static const char *guess_agent(void)
{
	for (size_t at = 0; at < sizeof signs / sizeof *signs; at++) {
		const char *value = getenv(signs[at].variable);
		if (value != NULL && value[0] != '\0')
			return signs[at].agent;
	}
	return "agent";
}

static char *copy_reply(const struct json *input)
{
	const char *reply = json_get_str(
	    input, "last_assistant_message", json_get_str(input, "prompt_response", ""));
	size_t len = strlen(reply);
	return len > 0 && len <= HOOK_REPLY_MAX ? xmemdup(reply, len) : NULL;
}

static const char *notice_state(const struct json *input)
{
	const char *type = json_get_str(input, "notification_type", NULL);
	const char *message = json_get_str(input, "message", NULL);
	for (size_t at = 0; at < sizeof notices / sizeof *notices; at++)
		if (type != NULL ? strcmp(type, notices[at].type) == 0
				 : message != NULL && notices[at].message != NULL &&
			    strncmp(message, notices[at].message, strlen(notices[at].message)) == 0)
			return notices[at].state;
	return NULL;
}

static void find_meaning(struct hook_event *event, const struct json *input)
{
	if (strcmp(event->name, "Notification") == 0) {
		event->state = notice_state(input);
		return;
	}
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		if (strcmp(rows[at].name, event->name) != 0 ||
		    (rows[at].agent != NULL && strcmp(rows[at].agent, event->agent) != 0))
			continue;
		event->state = rows[at].state;
		event->handing = rows[at].handing;
		break;
	}
	/* Continue a turn only once, so that a person can interrupt. */
	if (event->handing == HOOK_BLOCK && json_get_bool(input, "stop_hook_active", false))
		event->handing = HOOK_NOTHING;
	/*
	 * After a compaction, a turn goes on. A person who asks for one with /compact begins no turn,
	 * and no event says that it is over. So the state is unchanged.
	 */
	if ((strcmp(event->name, "SessionStart") == 0 &&
		strcmp(json_get_str(input, "source", ""), "compact") == 0) ||
	    (strcmp(event->name, "PreCompact") == 0 &&
		strcmp(json_get_str(input, "trigger", ""), "manual") == 0))
		event->state = NULL;
}

void hook_event_read(struct hook_event *ret_event, const char *agent, const char *name,
    const char *input, size_t len)
{
	struct json_reader *reader = json_reader_new(HOOK_INPUT_MAX);
	struct json_error error;
	const struct json *value = len > 0 ? json_read(reader, input, len, &error) : NULL;
	if (agent == NULL && name != NULL && conversation_words(name) != NULL) {
		agent = name;
		name = NULL;
	}
	*ret_event = (struct hook_event){.handing = HOOK_NOTHING};
	strcpy(ret_event->agent, "agent");
	copy_word(ret_event->agent, agent != NULL ? agent : guess_agent());
	copy_word(
	    ret_event->name, name != NULL ? name : json_get_str(value, "hook_event_name", NULL));
	copy_word(ret_event->session,
	    json_get_str(value, "session_id", json_get_str(value, "sessionId", NULL)));
	ret_event->reply = copy_reply(value);
	find_meaning(ret_event, value);
	json_reader_free(reader);
}

void hook_event_write(struct buf *out, const struct hook_event *event, const char *text)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	if (event->handing == HOOK_BLOCK) {
		json_put_str(&writer, "decision", "block");
		json_put_str(&writer, "reason", text);
	} else {
		json_object_begin(&writer, "hookSpecificOutput");
		json_put_str(&writer, "hookEventName", event->name);
		json_put_str(&writer, "additionalContext", text);
		json_object_end(&writer);
	}
	json_object_end(&writer);
	(void)buf_append_byte(out, '\n');
}
