/* SPDX-License-Identifier: ISC */
/* A tool server: its states, its messages and its calls. */
#include "daemon/tool/tool_link.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "daemon/job/job_env.h"
#include "daemon/tool/tool_server_list.h"
#include "daemon/tool/tool_server_message.h"
#include "daemon/tool/tool_server_repair.h"
#include "io/loop_timer.h"
#include "wire/json.h"

enum tool_link_state {
	STATE_OFF, /* or it waits for its next start */
	STATE_INITIALIZING, /* initialize was sent */
	STATE_LISTING, /* tools/list was sent */
	STATE_READY,
	STATE_ENDING, /* its process was asked to end */
};

static const char *const state_names[] = {
    [STATE_OFF] = "off",
    [STATE_INITIALIZING] = "starting",
    [STATE_LISTING] = "starting",
    [STATE_READY] = "ready",
    [STATE_ENDING] = "ending",
};

enum { TRIM_BYTES = 64 * 1024 }; /* the reader's memory of a longer message is freed */

struct tool_link {
	struct tool_link_parts parts;
	char *name;
	const struct tool_link_handlers *handlers;
	void *data;
	const char **command; /* as declared; NULL: there was no call yet */
	const char **argv, **env; /* of the next start */
	char *cwd;
	int64_t idle_ms;
	bool is_stale; /* it runs another command */
	bool is_off_told; /* is_off was called */
	bool has_list; /* it is whole, though perhaps of an earlier process */
	bool is_list_old; /* the server said that its list has changed */
	enum tool_link_state state;
	enum tool_link_state
	    lost_in; /* while ending: the state that was lost, or STATE_ENDING: it was asked to */
	struct tool_server_process *process; /* NULL: off */
	struct tool_server_list list;
	struct list calls; /* in order; those that were sent, and those that wait */
	struct loop_timer *timer; /* of the state: the next start, the start's time-out, idle */
	struct loop_timer *turn; /* calls have failed */
	int64_t last_id; /* of a request of ours */
	int64_t state_id; /* of the request that the state waits for */
	unsigned backoff_ms;
	int64_t start_ms; /* no start before this time */
	unsigned strays;
	char stray[STR_SHOWN_SIZE]; /* the last of them */
	char failure[TOOL_LINK_TEXT_SIZE];
	uint64_t sent, starts;
};

struct tool_call {
	struct list entry;
	struct tool_link *link;
	int64_t id; /* 0: it waits */
	struct loop_timer *timer;
	struct tool_link_order order; /* with copies of its texts */
	enum tool_link_error error; /* it has failed: done is due */
	char *text; /* of the error */
};

static void settle(struct tool_link *link);

static void __attribute__((format(printf, 3, 4)))
fail_call(struct tool_call *call, enum tool_link_error error, const char *format, ...)
{
	char text[TOOL_LINK_TEXT_SIZE];
	va_list args;
	if (call->error != TOOL_LINK_OK)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	call->error = error;
	call->text = xasprintf("the server \"%s\" %s", call->link->name, text);
	loop_timer_arm(call->link->turn, 0);
}

enum which { CALLS_SENT = 1, CALLS_WAITING = 2 };

static void fail_calls(
    struct tool_link *link, unsigned which, enum tool_link_error error, const char *text)
{
	list_each (struct tool_call, call, &link->calls, entry) {
		if ((which & (call->id != 0 ? CALLS_SENT : CALLS_WAITING)) != 0)
			fail_call(call, error, "%s", text);
	}
}

static unsigned count_calls(const struct tool_link *link, unsigned which)
{
	unsigned count = 0;
	list_each (const struct tool_call, call, &link->calls, entry) {
		count += call->error == TOOL_LINK_OK &&
		    (which & (call->id != 0 ? CALLS_SENT : CALLS_WAITING)) != 0;
	}
	return count;
}

static void free_call(struct tool_call *call)
{
	list_remove(&call->entry);
	loop_timer_free(call->timer);
	mem_free((char *)(uintptr_t)call->order.tool);
	mem_free((char *)(uintptr_t)call->order.arguments);
	mem_free((void *)(uintptr_t)call->order.gives);
	mem_free(call->text);
	mem_free(call);
}

static void finish_call(struct tool_call *call, const struct tool_link_answer *answer)
{
	list_remove(&call->entry); /* done may look at the calls that are left */
	call->order.done(call->order.data, answer);
	free_call(call);
}

static void on_turn(void *data)
{
	struct tool_link *link = data;
	struct list *at = link->calls.next;
	while (at != &link->calls) {
		struct tool_call *call = list_entry(at, struct tool_call, entry);
		struct tool_link_answer answer = {.error = call->error, .text = call->text};
		at = at->next;
		if (call->error == TOOL_LINK_OK)
			continue;
		finish_call(call, &answer);
		at = link->calls.next; /* done may have cancelled other calls */
	}
	settle(link);
	if (link->state != STATE_OFF || !list_is_empty(&link->calls) || link->is_off_told)
		return;
	link->is_off_told = true;
	link->handlers->is_off(link->data);
}

/* Messages to the server. */

/* Sends a message, and finishes it. False: the server has not read enough of the others. */
static bool send_message(struct tool_link *link, struct buf *message)
{
	bool is_sent = message->len > 0 &&
	    tool_server_process_write(link->process, message->data, message->len);
	buf_finish(message);
	return is_sent;
}

/* Asks for the next page of the list. */
static void send_list(struct tool_link *link)
{
	struct buf message;
	link->state_id = ++link->last_id;
	tool_server_message_list(&message, link->state_id, link->list.cursor);
	(void)send_message(link, &message);
}

static void send_cancelled(struct tool_call *call, const char *reason)
{
	struct buf message;
	if (call->id == 0 || call->link->state == STATE_ENDING || call->link->process == NULL)
		return;
	tool_server_message_cancelled(&message, call->id, reason);
	(void)send_message(call->link, &message);
}

static void send_call(struct tool_call *call)
{
	const struct tool_link_order *order = &call->order;
	struct tool_link *link = call->link;
	char reason[TOOL_LINK_TEXT_SIZE - 64];
	struct buf message;
	if (tool_server_list_check(&link->list, order->tool, order->gives, reason, sizeof reason) <
	    0) {
		fail_call(call, TOOL_LINK_FAILED, "does not fit its declaration: %s", reason);
		return;
	}
	if (!tool_server_process_has_room(link->process, order->arguments_len)) {
		fail_call(call, TOOL_LINK_BUSY, "does not read its calls");
		return;
	}
	call->id = ++link->last_id;
	link->sent++;
	tool_server_message_call(&message, call->id, order->tool, order->arguments,
	    order->arguments_len, order->progress != NULL);
	if (!send_message(link, &message))
		fail_call(call, TOOL_LINK_BUSY, "takes no calls");
}

/* States. */

/* Adds the server's own words to a reason, if there are any. */
static void add_remark(const struct tool_link *link, char *reason, size_t size)
{
	char remark[TOOL_SERVER_REMARK_SIZE] = "";
	size_t len = strlen(reason);
	if (link->process != NULL)
		tool_server_process_remark(link->process, remark);
	if (remark[0] != '\0')
		(void)snprintf(reason + len, size - len, ": %s", remark);
	else if (link->stray[0] != '\0')
		(void)snprintf(reason + len, size - len, "; it wrote: %s", link->stray);
}

static void end_process(struct tool_link *link)
{
	loop_timer_disarm(link->timer);
	link->state = link->lost_in = STATE_ENDING;
	tool_server_process_stop(link->process);
}

/* Keeps the reason, and puts off the next start. */
static void note_failure(struct tool_link *link, const char *reason)
{
	(void)snprintf(link->failure, sizeof link->failure, "%s", reason);
	log_warning("the server \"%s\" %s", link->name, reason);
	link->start_ms = clock_mono_ms() + backoff_next_ms(&link->backoff_ms);
}

/* The server is of no use: it did not become ready, or cannot be understood. */
static void __attribute__((format(printf, 2, 3)))
give_up(struct tool_link *link, const char *format, ...)
{
	char reason[TOOL_LINK_TEXT_SIZE - 64];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	add_remark(link, reason, sizeof reason);
	note_failure(link, reason);
	if (link->state != STATE_READY)
		fail_calls(link, CALLS_WAITING, TOOL_LINK_FAILED, reason);
	fail_calls(link, CALLS_SENT, TOOL_LINK_GONE, reason);
	end_process(link);
}

static const struct tool_server_process_handlers process_handlers;

static void start(struct tool_link *link)
{
	struct tool_server_program program = {
	    .argv = link->argv, .env = link->env, .cwd = link->cwd};
	struct buf message;
	log_info("the server \"%s\" is started", link->name);
	link->is_stale = link->is_list_old = false;
	link->strays = 0;
	link->stray[0] = '\0';
	link->starts++;
	link->process = tool_server_process_new(
	    link->parts.base, link->parts.supervisor, &program, &process_handlers, link);
	link->state = STATE_INITIALIZING;
	loop_timer_arm(link->timer, link->parts.start_ms);
	link->state_id = ++link->last_id;
	tool_server_message_initialize(&message, link->state_id);
	(void)send_message(link, &message);
}

static void begin_list(struct tool_link *link)
{
	tool_server_list_finish(&link->list);
	link->has_list = link->is_list_old = false;
	if (link->state == STATE_READY)
		loop_timer_arm(link->timer, link->parts.start_ms);
	link->state = STATE_LISTING;
	send_list(link);
}

static void settle_ready(struct tool_link *link)
{
	unsigned sent = count_calls(link, CALLS_SENT), waiting = count_calls(link, CALLS_WAITING);
	if (link->is_stale && sent == 0) {
		end_process(link);
		return;
	}
	if (link->is_list_old && sent == 0 && waiting > 0) {
		begin_list(link);
		return;
	}
	if (sent + waiting == 0) {
		if (!loop_timer_is_armed(link->timer))
			loop_timer_arm(link->timer, link->idle_ms);
		return;
	}
	loop_timer_disarm(link->timer);
	if (link->is_stale)
		return;
	list_each (struct tool_call, call, &link->calls, entry) {
		if (call->id == 0 && call->error == TOOL_LINK_OK)
			send_call(call);
	}
}

static void settle_off(struct tool_link *link)
{
	loop_timer_disarm(link->timer);
	if (list_is_empty(&link->calls) && !link->is_off_told)
		loop_timer_arm(link->turn, 0);
}

/* Does what is due in the state. Calls no handler. */
static void settle(struct tool_link *link)
{
	if (link->state == STATE_READY)
		settle_ready(link);
	else if (link->state == STATE_OFF && count_calls(link, CALLS_WAITING) == 0)
		settle_off(link);
	else if (link->state == STATE_OFF && !loop_timer_is_armed(link->timer))
		loop_timer_arm(link->timer, link->start_ms - clock_mono_ms());
}

static void on_timer(void *data)
{
	struct tool_link *link = data;
	switch (link->state) {
	case STATE_OFF:
		start(link);
		break;
	case STATE_INITIALIZING:
	case STATE_LISTING:
		give_up(link, "did not answer %s within %.3g s",
		    link->state == STATE_LISTING ? "tools/list" : "initialize",
		    (double)link->parts.start_ms / 1000);
		break;
	case STATE_READY:
		log_info("the server \"%s\" ends: it is idle", link->name);
		end_process(link);
		break;
	case STATE_ENDING:
		break;
	}
}

static void on_ended(void *data, const char *how)
{
	struct tool_link *link = data;
	enum tool_link_state state = link->state == STATE_ENDING ? link->lost_in : link->state;
	char reason[TOOL_LINK_TEXT_SIZE - 64];
	log_info("the server \"%s\" has ended: %s", link->name, how);
	(void)snprintf(reason, sizeof reason, "%s: %s",
	    state == STATE_READY || link->starts == 0 ? "has ended" : "did not start", how);
	add_remark(link, reason, sizeof reason);
	tool_server_process_free(link->process);
	link->process = NULL;
	link->state = STATE_OFF;
	loop_timer_disarm(link->timer);
	if (state != STATE_ENDING) {
		note_failure(link, reason);
		if (state != STATE_READY)
			fail_calls(link, CALLS_WAITING, TOOL_LINK_FAILED, reason);
	}
	(void)snprintf(reason + strlen(reason), sizeof reason - strlen(reason),
	    "; the effect of the call is unknown");
	fail_calls(link, CALLS_SENT, TOOL_LINK_GONE, reason);
	settle(link);
}

/* Messages from the server. */

/* The text of an error response. */
static const char *error_text(const struct json *error, char shown[STR_SHOWN_SIZE])
{
	const struct json *message = json_member(error, "message");
	if (message == NULL || message->type != JSON_STRING)
		return "an error without a message";
	return str_shown(message->text, message->len, shown);
}

static void take_initialize(struct tool_link *link, const struct json *result)
{
	const struct json *version = json_member(result, "protocolVersion");
	char shown[STR_SHOWN_SIZE];
	struct buf message;
	size_t at = 0;
	if (version == NULL || version->type != JSON_STRING) {
		give_up(link, "answered initialize without a version of the protocol");
		return;
	}
	while (tool_server_versions[at] != NULL &&
	    strcmp(tool_server_versions[at], version->text) != 0)
		at++;
	if (tool_server_versions[at] == NULL) {
		give_up(link, "speaks the version %s of MCP; muxbus speaks %s to %s",
		    str_shown(version->text, version->len, shown), tool_server_versions[0],
		    tool_server_versions[at - 1]);
		return;
	}
	tool_server_message_initialized(&message);
	(void)send_message(link, &message);
	begin_list(link);
}

static void take_list(struct tool_link *link, const struct json *result)
{
	char reason[TOOL_LINK_TEXT_SIZE / 2];
	if (tool_server_list_add(&link->list, result, reason, sizeof reason) < 0) {
		give_up(link, "cannot be used: %s", reason);
		return;
	}
	if (link->list.cursor != NULL) {
		send_list(link);
		return;
	}
	loop_timer_disarm(link->timer);
	link->state = STATE_READY;
	link->has_list = true;
	link->failure[0] = '\0';
	settle(link);
}

static void take_answer(struct tool_call *call, const struct json *result)
{
	struct tool_link *link = call->link;
	struct tool_link_answer answer = {.result = result};
	if (result == NULL || result->type != JSON_OBJECT) {
		fail_call(call, TOOL_LINK_FAILED, "answered without a result");
		return;
	}
	link->backoff_ms = 0;
	finish_call(call, &answer);
	settle(link);
}

static struct tool_call *find_call(struct tool_link *link, const struct json *id)
{
	int64_t number;
	if (id == NULL || !json_int(id, &number) || number <= 0)
		return NULL;
	list_each (struct tool_call, call, &link->calls, entry) {
		if (call->id == number && call->error == TOOL_LINK_OK)
			return call;
	}
	return NULL;
}

static void take_response(struct tool_link *link, const struct json *id, const struct json *message)
{
	const struct json *error = json_member(message, "error");
	const struct json *result = json_member(message, "result");
	struct tool_call *call = find_call(link, id);
	char shown[STR_SHOWN_SIZE];
	int64_t number;
	if (call != NULL && error != NULL) {
		fail_call(call, TOOL_LINK_FAILED, "answered: %s", error_text(error, shown));
	} else if (call != NULL) {
		take_answer(call, result);
	} else if (link->state == STATE_READY || id == NULL || !json_int(id, &number) ||
	    number != link->state_id) {
		return; /* late: its call has timed out or was cancelled */
	} else if (error != NULL) {
		give_up(link, "refused %s: %s",
		    link->state == STATE_LISTING ? "tools/list" : "initialize",
		    error_text(error, shown));
	} else if (link->state == STATE_INITIALIZING) {
		take_initialize(link, result);
	} else {
		take_list(link, result);
	}
}

static void take_notification(struct tool_link *link, const char *method, const struct json *params)
{
	struct tool_call *call;
	if (strcmp(method, "notifications/tools/list_changed") == 0)
		link->is_list_old = true;
	if (strcmp(method, "notifications/progress") != 0)
		return;
	call = find_call(link, json_member(params, "progressToken"));
	if (call != NULL && call->order.progress != NULL)
		call->order.progress(call->order.data, params);
}

/* A message that cannot be read may be the answer of any call. */
static void take_unreadable(struct tool_link *link, enum tool_link_error error, const char *reason)
{
	if (link->state == STATE_READY)
		fail_calls(link, CALLS_SENT, error, reason);
	else
		give_up(link, "%s", reason);
}

/* A line that is no message, as of a program that prints its log. */
static void take_stray(struct tool_link *link, const char *line, size_t len)
{
	struct buf text;
	buf_init(&text, STR_SHOWN_SIZE * 2);
	(void)str_append_visible(&text, line, len); /* the beginning suffices */
	if (text.len > 0)
		str_shown((char *)text.data, text.len, link->stray);
	buf_finish(&text);
	if (++link->strays > TOOL_LINK_STRAYS_MAX)
		give_up(link, "does not speak MCP");
}

/* Reads a message, after a repair if need be. NULL with an error. */
static const struct json *read_message(
    struct json_reader *reader, const char *line, size_t len, struct json_error *ret_error)
{
	const struct json *message = json_read(reader, line, len, ret_error);
	struct buf repaired;
	if (message != NULL)
		return message;
	buf_init(&repaired, 3 * len);
	if (tool_server_repair(&repaired, line, len) == 0)
		message = json_read(reader, (const char *)repaired.data, repaired.len, ret_error);
	buf_finish(&repaired);
	return message;
}

static void take_message(struct tool_link *link, const struct json *message)
{
	const struct json *id = json_member(message, "id");
	const struct json *method = json_member(message, "method");
	struct buf answer;
	link->strays = 0;
	if (method == NULL || method->type != JSON_STRING) {
		take_response(link, id, message);
	} else if (id != NULL) {
		tool_server_message_answer(&answer, id, method->text);
		(void)send_message(link, &answer);
	} else {
		take_notification(link, method->text, json_member(message, "params"));
	}
}

static void on_line(void *data, const char *line, size_t len)
{
	struct tool_link *link = data;
	const struct json *message;
	char reason[TOOL_LINK_TEXT_SIZE / 2];
	struct json_error error;
	while (len > 0 && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	if (len == 0)
		return;
	if (*line != '{') {
		take_stray(link, line, len);
		return;
	}
	message = read_message(link->parts.reader, line, len, &error);
	if (message != NULL) {
		take_message(link, message);
	} else {
		(void)snprintf(
		    reason, sizeof reason, "wrote a message that cannot be read: %s", error.text);
		take_unreadable(link, TOOL_LINK_FAILED, reason);
	}
	if (len > TRIM_BYTES)
		json_reader_trim(link->parts.reader);
}

static void on_too_long(void *data)
{
	char reason[TOOL_LINK_TEXT_SIZE / 2];
	(void)snprintf(
	    reason, sizeof reason, "wrote a line of more than %zu bytes", TOOL_SERVER_LINE_MAX);
	take_unreadable(data, TOOL_LINK_LIMIT, reason);
}

/* It can answer no more. How it ends is the reason for its calls. */
static void on_closed(void *data)
{
	struct tool_link *link = data;
	enum tool_link_state state = link->state;
	end_process(link);
	link->lost_in = state;
}

static const struct tool_server_process_handlers process_handlers = {
    .line = on_line,
    .too_long = on_too_long,
    .closed = on_closed,
    .ended = on_ended,
};

/* For the rest of the daemon. */

struct tool_link *tool_link_new(const struct tool_link_parts *parts, const char *name,
    const struct tool_link_handlers *handlers, void *data)
{
	struct tool_link *link = xcalloc(1, sizeof *link);
	link->parts = *parts;
	link->is_off_told = true;
	link->name = xstrdup(name);
	link->handlers = handlers;
	link->data = data;
	list_init(&link->calls);
	link->timer = loop_timer_new(parts->base, on_timer, link);
	link->turn = loop_timer_new(parts->base, on_turn, link);
	return link;
}

void tool_link_free(struct tool_link *link)
{
	if (link == NULL)
		return;
	while (!list_is_empty(&link->calls))
		free_call(list_entry(link->calls.next, struct tool_call, entry));
	tool_server_process_free(link->process);
	tool_server_list_finish(&link->list);
	loop_timer_free(link->timer);
	loop_timer_free(link->turn);
	mem_free(link->name);
	mem_free(link->command);
	mem_free(link->argv);
	mem_free(link->env);
	mem_free(link->cwd);
	mem_free(link);
}

static bool is_same(const char *const *one, const char *const *other)
{
	if (one == NULL)
		return false;
	for (; *one != NULL && *other != NULL && strcmp(*one, *other) == 0; one++)
		other++;
	return *one == NULL && *other == NULL;
}

bool tool_link_needs_program(const struct tool_link *link, const char *const *command)
{
	bool runs = link->state == STATE_READY || link->state == STATE_INITIALIZING ||
	    link->state == STATE_LISTING;
	return !runs || !is_same(link->command, command);
}

/* Copies a list of strings into one block. */
static const char **copy_strings(const char *const *strings)
{
	return job_env_join(strings, NULL, SIZE_MAX);
}

static void keep_spec(struct tool_link *link, const struct tool_link_spec *spec)
{
	const struct tool_server_program *program = &spec->program;
	link->idle_ms = spec->idle_ms;
	if (!is_same(link->command, spec->command)) {
		mem_free(link->command);
		link->command = copy_strings(spec->command);
		link->is_stale = true;
	}
	if (program->argv == NULL)
		return;
	mem_free(link->argv);
	mem_free(link->env);
	mem_free(link->cwd);
	link->argv = copy_strings(program->argv);
	link->env = copy_strings(program->env);
	link->cwd = xstrdup(program->cwd);
}

static void on_call_late(void *data)
{
	struct tool_call *call = data;
	if (call->error != TOOL_LINK_OK)
		return;
	send_cancelled(call, "timeout");
	if (call->id == 0)
		fail_call(call, TOOL_LINK_TIMEOUT, "was not ready within %.3g s",
		    (double)call->order.timeout_ms / 1000);
	else
		fail_call(call, TOOL_LINK_TIMEOUT,
		    "did not answer within %.3g s; the call is cancelled, its effect unknown",
		    (double)call->order.timeout_ms / 1000);
}

struct tool_call *tool_link_call(
    struct tool_link *link, const struct tool_link_spec *spec, const struct tool_link_order *order)
{
	struct tool_call *call = xcalloc(1, sizeof *call);
	bool is_full = count_calls(link, CALLS_SENT | CALLS_WAITING) >= TOOL_LINK_CALLS_MAX;
	link->is_off_told = false;
	call->link = link;
	call->order = *order;
	call->order.tool = xstrdup(order->tool);
	call->order.arguments = xmemdup(order->arguments, order->arguments_len);
	call->order.gives = copy_strings(order->gives);
	call->timer = loop_timer_new(link->parts.base, on_call_late, call);
	loop_timer_arm(call->timer, order->timeout_ms);
	list_append(&link->calls, &call->entry);
	keep_spec(link, spec);
	if (is_full)
		fail_call(call, TOOL_LINK_BUSY, "has %d calls already, the most there may be",
		    TOOL_LINK_CALLS_MAX);
	else if (order->arguments_len > TOOL_LINK_ARGUMENTS_MAX)
		fail_call(call, TOOL_LINK_LIMIT, "takes no arguments of more than %zu bytes",
		    TOOL_LINK_ARGUMENTS_MAX);
	settle(link);
	return call;
}

void tool_link_cancel(struct tool_call *call)
{
	struct tool_link *link = call->link;
	if (call->error == TOOL_LINK_OK)
		send_cancelled(call, "the caller has left");
	free_call(call);
	settle(link);
}

void tool_link_stop(struct tool_link *link, const char *reason)
{
	fail_calls(link, CALLS_SENT | CALLS_WAITING, TOOL_LINK_GONE, reason);
	if (link->process != NULL && link->state != STATE_ENDING)
		end_process(link);
	settle(link);
}

void tool_link_check(const struct tool_link *link, const char *tool, const char *const *gives,
    char *ret_reason, size_t size)
{
	ret_reason[0] = '\0';
	if (link->has_list)
		(void)tool_server_list_check(&link->list, tool, gives, ret_reason, size);
}

/* All calls that done is due for, those that have failed as well. */
static unsigned count_open(const struct tool_link *link)
{
	const struct list *at;
	unsigned count = 0;
	list_for_each (at, &link->calls)
		count++;
	return count;
}

void tool_link_info(const struct tool_link *link, struct tool_link_info *ret_info)
{
	*ret_info = (struct tool_link_info){
	    .state = state_names[link->state],
	    .failure = link->failure,
	    .calls = link->sent,
	    .running = count_open(link),
	    .starts = link->starts,
	};
	if (link->state == STATE_OFF && loop_timer_is_armed(link->timer))
		ret_info->state = "waiting";
	if (link->process != NULL)
		tool_server_process_measure(link->process, &ret_info->pid, &ret_info->rss_kb);
}
