/* SPDX-License-Identifier: ISC */
/* Calls of a host. */
#include "daemon/fleet/host_call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "daemon/fleet/host_limits.h"
#include "io/loop_timer.h"
#include "wire/json.h"
#include "wire/message.h"

enum {
	HEAD_BYTES = 256, /* of a request, around its params */
	TEXT_SIZE = HOST_REASON_SIZE + 256,
};

struct host_calls {
	struct host_calls_parts parts;
	struct list list; /* in order; those that were sent, and those that wait */
	size_t count;
	int64_t last_id;
	struct loop_timer *turn; /* calls have failed */
};

struct host_call {
	struct list entry;
	struct host_calls *calls;
	int64_t id; /* 0: it waits for the link */
	int64_t sent_ms, due_ms; /* due_ms 0: no deadline */
	struct loop_timer *timer;
	struct host_order
	    order; /* with copies of its texts; done NULL: only the answer is awaited */
	bool may_be_done; /* it writes, and was sent on a link that is lost */
	bool has_failed;
	enum message_error error;
	char *text; /* of the error */
};

static void __attribute__((format(printf, 3, 4)))
fail_call(struct host_call *call, enum message_error error, const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;
	if (call->has_failed)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	call->has_failed = true;
	call->error = error;
	call->text = xstrdup(text);
	loop_timer_arm(call->calls->turn, 0);
}

static void free_call(struct host_call *call)
{
	list_remove(&call->entry);
	call->calls->count--;
	loop_timer_free(call->timer);
	mem_free((char *)(uintptr_t)call->order.method);
	mem_free((char *)(uintptr_t)call->order.params);
	mem_free(call->text);
	mem_free(call);
}

/* Arms the timer for what comes first: the deadline, or the end of patience with the host. */
static void arm(struct host_call *call)
{
	int64_t now_ms = clock_mono_ms(), due_ms = call->order.done != NULL ? call->due_ms : 0;
	int64_t silent_ms = call->id != 0 && !(call->order.flags & HOST_CALL_WAITS)
	    ? call->sent_ms + call->calls->parts.answer_ms
	    : 0;
	if (due_ms == 0 || (silent_ms != 0 && silent_ms < due_ms))
		due_ms = silent_ms;
	if (due_ms != 0)
		loop_timer_arm(call->timer, due_ms - now_ms);
	else
		loop_timer_disarm(call->timer);
}

static void on_timer(void *data)
{
	struct host_call *call = data;
	struct host_calls *calls = call->calls;
	int64_t now_ms = clock_mono_ms();
	char reason[TEXT_SIZE];
	bool is_silent = call->id != 0 && !(call->order.flags & HOST_CALL_WAITS) &&
	    now_ms >= call->sent_ms + calls->parts.answer_ms;
	if (call->order.done != NULL && call->due_ms != 0 && now_ms >= call->due_ms) {
		if (call->id == 0)
			fail_call(call, MESSAGE_TIMEOUT, "%s was not reached in time",
			    calls->parts.label);
		else
			fail_call(call, MESSAGE_TIMEOUT, "%s did not answer %s in time",
			    calls->parts.label, call->order.method);
		if (call->id != 0)
			calls->parts.late(calls->parts.data);
	}
	if (is_silent) {
		(void)snprintf(reason, sizeof reason, "no answer to %s within %.3g s",
		    call->order.method, (double)calls->parts.answer_ms / 1000);
		calls->parts.silent(calls->parts.data, reason);
	} else if (!call->has_failed) {
		arm(call);
	}
}

static void send_call(struct host_call *call)
{
	struct host_calls *calls = call->calls;
	struct buf line;
	buf_init(&line, HEAD_BYTES + strlen(call->order.method) + call->order.params_len);
	/* The buffer has the room, unless memory is out. */
	if (buf_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":\"%s\"",
		calls->last_id + 1, call->order.method) < 0 ||
	    (call->order.params != NULL &&
		(buf_append_str(&line, ",\"params\":") < 0 ||
		    buf_append(&line, call->order.params, call->order.params_len) < 0)) ||
	    buf_append_str(&line, "}\n") < 0) {
		fail_call(call, MESSAGE_INTERNAL, "out of memory");
	} else if (!calls->parts.is_open(calls->parts.data)) {
		arm(call);
	} else if (calls->parts.send(calls->parts.data, line.data, line.len)) {
		call->id = ++calls->last_id;
		call->sent_ms = clock_mono_ms();
		arm(call);
	} else {
		fail_call(call, MESSAGE_BUSY, "%s does not read its requests", calls->parts.label);
	}
	buf_finish(&line);
}

void host_calls_send(struct host_calls *calls)
{
	list_each (struct host_call, call, &calls->list, entry) {
		if (call->id == 0 && !call->has_failed)
			send_call(call);
	}
}

struct host_call *host_calls_add(
    struct host_calls *calls, const struct host_order *order, bool is_up)
{
	struct host_call *call = xcalloc(1, sizeof *call);
	call->calls = calls;
	call->order = *order;
	call->order.method = xstrdup(order->method);
	call->order.params =
	    order->params != NULL ? xmemdup(order->params, order->params_len) : NULL;
	call->timer = loop_timer_new(calls->parts.base, on_timer, call);
	call->due_ms = order->deadline_ms > 0 ? clock_mono_ms() + order->deadline_ms : 0;
	list_append(&calls->list, &call->entry);
	if (++calls->count > HOST_CALLS_MAX)
		fail_call(call, MESSAGE_LIMIT, "%s has %d open requests already",
		    calls->parts.label, HOST_CALLS_MAX);
	else if (is_up)
		send_call(call);
	else
		arm(call);
	return call;
}

/* The answer of a call that was sent still shows that the host answers. */
static void leave(struct host_call *call)
{
	call->order.done = NULL;
	call->has_failed = false;
	mem_free(call->text);
	call->text = NULL;
	if (call->id != 0 && !(call->order.flags & HOST_CALL_WAITS))
		arm(call);
	else
		free_call(call);
}

/* A wait would last as long as the link. */
static void send_cancelled(struct host_call *call)
{
	struct host_calls *calls = call->calls;
	struct buf line;
	buf_init(&line, HEAD_BYTES);
	if (buf_printf(&line,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		"\"params\":{\"requestId\":%" PRId64 "}}\n",
		call->id) == 0)
		(void)calls->parts.send(calls->parts.data, line.data, line.len); /* or it lasts */
	buf_finish(&line);
}

void host_call_cancel(struct host_call *call)
{
	if (call->id != 0 && call->order.flags & HOST_CALL_WAITS)
		send_cancelled(call);
	leave(call);
}

static struct host_call *find_call(struct host_calls *calls, int64_t id)
{
	list_each (struct host_call, call, &calls->list, entry) {
		if (call->id == id)
			return call;
	}
	return NULL;
}

/* All that is read of a response is in one of these objects. */
static bool is_response(const struct json *message)
{
	const struct json *result = json_member(message, "result");
	const struct json *error = json_member(message, "error");
	return result != NULL ? result->type == JSON_OBJECT
			      : error != NULL && error->type == JSON_OBJECT;
}

void host_calls_take(struct host_calls *calls, const struct json *message)
{
	const struct json *id = json_member(message, "id");
	void (*done)(void *, const struct json *);
	void *data;
	struct host_call *call;
	int64_t number;
	if (id == NULL || !json_int(id, &number) || number <= 0 || message_is_ending(message))
		return; /* of a daemon that ends the link is lost next, which decides */
	call = find_call(calls, number);
	if (call == NULL)
		return; /* of a call that waited and was cancelled */
	if (call->order.done != NULL && !is_response(message)) {
		call->id = 0; /* answered */
		fail_call(call, MESSAGE_INTERNAL,
		    "%s answered %s with neither a result nor an error", calls->parts.label,
		    call->order.method);
		return;
	}
	done = call->order.done;
	data = call->order.data;
	free_call(call);
	if (done != NULL)
		done(data, message);
}

/* Calls done with the error. done may make and cancel calls. */
static void finish_failed(struct host_call *call)
{
	struct host_calls *calls = call->calls;
	struct json_writer writer;
	struct json_error ignored;
	const struct json *message;
	struct buf line;
	void (*done)(void *, const struct json *) = call->order.done;
	void *data = call->order.data;
	buf_init(&line, HEAD_BYTES + TEXT_SIZE * 6 + JSON_SPARE);
	json_writer_init(&writer, &line);
	message_write_error(&writer, "null", call->error, call->text, NULL);
	leave(call);
	message = json_read(calls->parts.reader, (const char *)line.data, line.len, &ignored);
	if (done != NULL)
		done(data, message);
	buf_finish(&line);
}

static struct host_call *next_failed(struct host_calls *calls)
{
	list_each (struct host_call, call, &calls->list, entry) {
		if (call->has_failed)
			return call;
	}
	return NULL;
}

static void on_turn(void *data)
{
	struct host_calls *calls = data;
	struct host_call *call;
	while ((call = next_failed(calls)) != NULL)
		finish_failed(call);
}

/* An attempt to connect has failed, for which the call waited. */
static void fail_unreached(struct host_call *call, const char *reason)
{
	const char *label = call->calls->parts.label;
	if (call->may_be_done)
		fail_call(call, MESSAGE_GONE,
		    "the connection to %s was cut, and %s cannot be reached (%s); the effect of "
		    "%s is unknown",
		    label, label, reason, call->order.method);
	else
		fail_call(call, MESSAGE_NOT_READY, "%s cannot be reached: %s", label, reason);
}

void host_calls_lost(struct host_calls *calls, const char *reason, bool is_attempt)
{
	list_each_safe (struct host_call, call, &calls->list, entry) {
		bool was_sent = call->id != 0;
		call->id = 0;
		call->may_be_done |= was_sent && !(call->order.flags & HOST_CALL_READS);
		if (call->order.done == NULL)
			free_call(call);
		else if (was_sent && !(call->order.flags & (HOST_CALL_READS | HOST_CALL_KEYED)))
			fail_call(call, MESSAGE_GONE,
			    "the connection to %s was cut (%s); the effect of %s is unknown",
			    calls->parts.label, reason, call->order.method);
		else if (!was_sent && is_attempt && call->order.flags & HOST_CALL_URGENT)
			fail_unreached(call, reason);
		else if (!call->has_failed)
			arm(call);
	}
}

void host_calls_end(struct host_calls *calls)
{
	list_each (struct host_call, call, &calls->list, entry) {
		call->id = 0;
		fail_call(call, MESSAGE_GONE, "%s: it is in the list of hosts no more",
		    calls->parts.label);
	}
	on_turn(calls);
}

struct host_calls *host_calls_new(const struct host_calls_parts *parts)
{
	struct host_calls *calls = xcalloc(1, sizeof *calls);
	calls->parts = *parts;
	list_init(&calls->list);
	calls->turn = loop_timer_new(parts->base, on_turn, calls);
	return calls;
}

void host_calls_free(struct host_calls *calls)
{
	if (calls == NULL)
		return;
	while (!list_is_empty(&calls->list))
		free_call(list_entry(calls->list.next, struct host_call, entry));
	loop_timer_free(calls->turn);
	mem_free(calls);
}
