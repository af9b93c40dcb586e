/* SPDX-License-Identifier: ISC */
#include "daemon/server/action_history.h"

#include "daemon/server/method.h"
#include "wire/redaction.h"

_Static_assert(HISTORY_RESULT_MAX <= HISTORY_OUTCOME_MAX, "one member is for both");

struct action {
	uint64_t number; /* from 1 */
	int64_t time_ms;
	int64_t begin_ms; /* CLOCK_MONOTONIC */
	int64_t elapsed_ms; /* -1: not answered yet */
	pid_t peer_pid;
	bool is_masked; /* params has sizes in place of confidential values */
	char method[48];
	char error[32]; /* kind of the error; "": none */
	char outcome[HISTORY_OUTCOME_MAX + 1]; /* text of the error; begin or size of the result */
	size_t room; /* allocated bytes of params */
	char params[];
};

struct history {
	struct action *actions[HISTORY_KEEP]; /* a ring: index is number % HISTORY_KEEP */
	uint64_t last;
};

struct history *history_new(void)
{
	return xcalloc(1, sizeof(struct history));
}

void history_free(struct history *history)
{
	for (size_t i = 0; history != NULL && i < HISTORY_KEEP; i++)
		mem_free(history->actions[i]);
	mem_free(history);
}

static void copy_text(char *out, size_t size, const char *text, size_t len)
{
	if (len >= size) {
		len = size - 1;
		len -= utf8_incomplete_tail(text, len);
	}
	memcpy(out, text, len);
	out[len] = '\0';
}

static struct action *next_place(struct history *history, size_t room)
{
	struct action **place = &history->actions[++history->last % HISTORY_KEEP];
	if (*place == NULL || (*place)->room < room) {
		*place = xrealloc(*place, sizeof **place + room);
		(*place)->room = room;
	}
	return *place;
}

uint64_t history_begin(
    struct history *history, pid_t peer_pid, const struct method *method, const struct json *params)
{
	struct action *action;
	struct json_writer writer;
	char memory[HISTORY_PARAMS_MAX + JSON_SPARE + 1];
	/* The buffer has a fixed size, so the JSON writer cuts long strings. */
	struct buf text = {
	    .data = (uint8_t *)memory, .cap = sizeof memory, .max = sizeof memory - 1};
	bool is_masked = false;
	json_writer_init(&writer, &text);
	if (params != NULL && params->count > 0)
		is_masked = redaction_write(&writer, method->fields, params);
	action = next_place(history, text.len + 1);
	*action = (struct action){.number = history->last,
	    .time_ms = clock_real_ms(),
	    .begin_ms = clock_mono_ms(),
	    .elapsed_ms = -1,
	    .peer_pid = peer_pid,
	    .is_masked = is_masked,
	    .room = action->room};
	copy_text(action->method, sizeof action->method, method->name, strlen(method->name));
	copy_text(action->params, text.len + 1, memory, text.len);
	return action->number;
}

/*
 * Copies the text of an error without its quotations. Texts of tmux_error and tool_failed end at
 * the first colon.
 */
static void copy_masked(char *out, size_t size, const char *error, const char *text)
{
	const char *first = strchr(text, '"');
	const char *last = strrchr(text, '"');
	const char *end = text + strlen(text);
	int len;
	if (strcmp(error, message_error_info(MESSAGE_TMUX_ERROR)->kind) == 0 ||
	    strcmp(error, message_error_info(MESSAGE_TOOL_FAILED)->kind) == 0) {
		first = strchr(text, ':');
		last = end;
	}
	if (first == NULL)
		first = last = end;
	len = snprintf(out, size, "%.*s%s", (int)(first - text), text, first < end ? "..." : "");
	if (len > 0 && (size_t)len < size && last < end)
		copy_text(out + len, size - (size_t)len, last + 1, strlen(last + 1));
}

static struct action *end(struct history *history, uint64_t number)
{
	struct action *action = history->actions[number % HISTORY_KEEP];
	if (action == NULL || action->number != number || number == 0)
		return NULL;
	action->elapsed_ms = clock_mono_ms() - action->begin_ms;
	return action;
}

void history_result(struct history *history, uint64_t number, const struct method *method,
    const char *text, bool is_message)
{
	static const char mark[] = "\"result\":";
	struct action *action = end(history, number);
	const char *begin = is_message ? strstr(text, mark) : NULL;
	size_t around = begin != NULL ? strlen("}\n") : 0;
	text = begin != NULL ? begin + sizeof mark - 1 : text;
	if (action == NULL)
		return;
	if (method->effects & METHOD_SEES || method->flags & METHOD_OPEN_WORLD)
		strcpy(stpcpy(action->outcome, "(") +
			str_put_u64(action->outcome + 1, strlen(text), 1),
		    " bytes)");
	else
		copy_text(action->outcome, HISTORY_RESULT_MAX + 1, text, strlen(text) - around);
}

void history_end(struct history *history, uint64_t number, const char *error, const char *text)
{
	struct action *action = end(history, number);
	if (action == NULL)
		return;
	copy_text(action->error, sizeof action->error, error, strlen(error));
	if (action->is_masked)
		copy_masked(action->outcome, sizeof action->outcome, error, text);
	else
		copy_text(action->outcome, sizeof action->outcome, text, strlen(text));
}

static void write_action(struct json_writer *writer, const struct action *action, bool has_params)
{
	json_object_begin(writer, NULL);
	json_put_time(writer, "time", action->time_ms);
	json_put_str(writer, "method", action->method);
	json_put_int(writer, "peer_pid", action->peer_pid);
	if (has_params)
		(void)json_put_text(writer, "params", action->params, strlen(action->params));
	if (action->elapsed_ms < 0)
		json_put_null(writer, "outcome");
	else
		json_put_str(writer, "outcome", action->error[0] != '\0' ? action->error : "done");
	if (has_params && action->outcome[0] != '\0')
		json_put_str(
		    writer, action->error[0] != '\0' ? "message" : "result", action->outcome);
	if (action->elapsed_ms >= 0)
		json_put_int(writer, "duration_ms", action->elapsed_ms);
	json_object_end(writer);
}

void history_write(const struct history *history, struct json_writer *writer, size_t limit,
    pid_t peer_pid, bool has_params)
{
	json_array_begin(writer, "actions");
	for (uint64_t number = history->last; number > 0 && limit > 0; number--) {
		const struct action *action = history->actions[number % HISTORY_KEEP];
		if (action->number != number)
			break;
		if (peer_pid != 0 && action->peer_pid != peer_pid)
			continue;
		write_action(writer, action, has_params);
		limit--;
	}
	json_array_end(writer);
}
