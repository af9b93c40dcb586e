/* SPDX-License-Identifier: ISC */
/* Calls to a host. */
#include "daemon/fleet/host_parts.h"

#include "io/loop_timer.h"
#include "wire/message.h"

enum {
	CANCEL_BYTES = 256,
	TELL_BYTES = 4096,
	TEXT_SIZE = HOST_REASON_SIZE + 256,
};

struct host_call {
	struct list entry;
	struct host *host;
	int64_t id;
	int64_t sent_ms, due_ms; /* CLOCK_MONOTONIC; due_ms 0: no deadline */
	struct loop_timer *timer;
	struct host_order order; /* owns its member method */
	char *line;
	bool is_sent; /* the request was sent on the present link, and is not answered */
	/* the call was cancelled or has failed; its answer still proves that the host is alive */
	bool is_left;
	/* the request writes, and a link was cut after it was sent: it may have had its effect */
	bool may_be_done;
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
	loop_timer_arm(call->host->turn, 0);
}

static void free_call(struct host_call *call)
{
	list_remove(&call->entry);
	call->host->call_count--;
	loop_timer_free(call->timer);
	mem_free((char *)(uintptr_t)call->order.method);
	mem_free(call->line);
	mem_free(call->text);
	mem_free(call);
}

/* Arms the timer for the deadline, or for the timeout of an answer, whichever is first. */
static void arm(struct host_call *call)
{
	int64_t now_ms = clock_mono_ms(), due_ms = call->is_left ? 0 : call->due_ms;
	int64_t silent_ms = call->is_sent && !(call->order.flags & HOST_CALL_WAITS)
	    ? call->sent_ms + call->host->set->parts.answer_ms
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
	struct host *host = call->host;
	int64_t now_ms = clock_mono_ms(), answer_ms = host->set->parts.answer_ms;
	char reason[TEXT_SIZE];
	bool was_sent = call->is_sent;
	if (!call->is_left && call->due_ms != 0 && now_ms >= call->due_ms) {
		if (was_sent)
			fail_call(call, MESSAGE_TIMEOUT, "%s did not answer %s in time",
			    host->label, call->order.method);
		else
			fail_call(call, MESSAGE_TIMEOUT, "%s was not reached in time", host->label);
		host->is_mute |= was_sent;
		if (was_sent && host->state == HOST_UP)
			(void)snprintf(host->reason, sizeof host->reason, HOST_MUTE_REASON);
	}
	if (was_sent && !(call->order.flags & HOST_CALL_WAITS) &&
	    now_ms >= call->sent_ms + answer_ms) {
		(void)snprintf(reason, sizeof reason, "no answer to %s within %.10g s",
		    call->order.method, (double)answer_ms / 1000);
		host->silent(host, reason);
	} else if (!call->has_failed) {
		arm(call);
	}
}

static void send_call(struct host_call *call)
{
	struct host *host = call->host;
	if (host_link_is_open(host->link)) {
		call->is_sent = host_link_write(host->link, call->line, strlen(call->line));
		call->sent_ms = clock_mono_ms();
		if (!call->is_sent)
			fail_call(call, MESSAGE_BUSY, "%s does not read its requests", host->label);
	}
	if (!call->has_failed)
		arm(call);
}

void host_calls_send(struct host *host)
{
	list_each (struct host_call, call, &host->calls, entry)
		if (!call->is_sent && !call->has_failed)
			send_call(call);
}

struct host_call *host_calls_add(struct host *host, const struct host_order *order)
{
	struct host_call *call = xcalloc(1, sizeof *call);
	call->host = host;
	call->id = ++host->last_id;
	call->order = *order;
	call->order.method = xstrdup(order->method);
	call->line =
	    xasprintf("{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":\"%s\",\"params\":%s}\n",
		call->id, order->method, order->params != NULL ? order->params : "{}");
	call->timer = loop_timer_new(host->set->parts.base, on_timer, call);
	call->due_ms = order->deadline_ms > 0 ? clock_mono_ms() + order->deadline_ms : 0;
	list_append(&host->calls, &call->entry);
	if (++host->call_count > HOST_CALLS_MAX)
		fail_call(call, MESSAGE_LIMIT, "%s has %d open requests already", host->label,
		    HOST_CALLS_MAX);
	else if (host->state == HOST_UP)
		send_call(call);
	else
		arm(call);
	return call;
}

/*
 * Gives up a call. A call that was sent without HOST_CALL_WAITS is kept until its answer, its
 * timeout or the end of the link. At the timeout the link is cut, as the host does not answer.
 */
static void leave(struct host_call *call)
{
	call->is_left = true;
	call->has_failed = false;
	mem_free(call->text);
	call->text = NULL;
	if (call->is_sent && !(call->order.flags & HOST_CALL_WAITS))
		arm(call);
	else
		free_call(call);
}

/* Cancels a waiting request on the host, which would wait as long as the link lasts. */
static void send_cancelled(struct host_call *call)
{
	struct buf line = BUF(CANCEL_BYTES);
	if (buf_printf(&line,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		"\"params\":{\"requestId\":%" PRId64 "}}\n",
		call->id) == 0)
		(void)host_link_write(call->host->link, line.data, line.len);
	buf_finish(&line);
}

void host_call_cancel(struct host_call *call)
{
	if (call->is_sent && call->order.flags & HOST_CALL_WAITS)
		send_cancelled(call);
	leave(call);
}

void host_call_leave(struct host_call *call, void (*done)(void *host, const struct json *message))
{
	call->order.done = done;
	call->order.progressed = NULL;
	call->order.was_cut = NULL;
	call->order.data = call->host;
}

static struct host_call *find_call(struct host *host, int64_t id)
{
	list_each (struct host_call, call, &host->calls, entry)
		if (call->is_sent && call->id == id)
			return call;
	return NULL;
}

void host_calls_progress(struct host *host, const struct json *params)
{
	struct host_call *call = find_call(host, json_get_int(params, "request", 0));
	if (call != NULL && !call->is_left && call->order.progressed != NULL)
		call->order.progressed(call->order.data, params);
}

static bool is_response(const struct json *message)
{
	const struct json *result = json_member(message, "result");
	const struct json *error = json_member(message, "error");
	return result != NULL ? result->type == JSON_OBJECT
			      : error != NULL && error->type == JSON_OBJECT;
}

void host_calls_take(struct host *host, const struct json *message)
{
	const struct json *id = json_member(message, "id");
	void (*done)(void *, const struct json *);
	void *data;
	struct host_call *call;
	int64_t number;
	if (!json_int(id, &number) || message_is_ending(message))
		/* invalid, or the host's daemon ends: see host_calls_lost() */
		return;
	call = find_call(host, number);
	if (call == NULL)
		return; /* such as the answer to a wait that was cancelled */
	if (!call->is_left && !is_response(message)) {
		call->is_sent = false;
		fail_call(call, MESSAGE_INTERNAL,
		    "%s answered %s with neither a result nor an error", host->label,
		    call->order.method);
		return;
	}
	done = call->is_left ? NULL : call->order.done;
	data = call->order.data;
	free_call(call);
	if (done != NULL)
		done(data, message);
}

/* Calls done() with the error of a call. done() may make and cancel calls. */
static void finish_failed(struct host_call *call)
{
	struct host *host = call->host;
	struct json_writer writer;
	struct json_error ignored;
	const struct json *message;
	struct buf line;
	void (*done)(void *, const struct json *) = call->is_left ? NULL : call->order.done;
	void *data = call->order.data;
	json_start(&writer, &line, TEXT_SIZE * 6 + JSON_SPARE);
	message_write_error(&writer, "null", call->error, call->text, NULL);
	leave(call);
	message = json_read(host->set->reader, (const char *)line.data, line.len, &ignored);
	if (done != NULL)
		done(data, message);
	buf_finish(&line);
}

static struct host_call *next_failed(struct host *host)
{
	list_each (struct host_call, call, &host->calls, entry)
		if (call->has_failed)
			return call;
	return NULL;
}

void host_calls_fail(void *data)
{
	struct host_call *call;
	while ((call = next_failed(data)) != NULL)
		finish_failed(call);
}

static void fail_unreached(struct host_call *call, const char *reason)
{
	const char *label = call->host->label;
	if (call->may_be_done)
		fail_call(call, MESSAGE_GONE,
		    "the connection to %s was cut, and %s cannot be reached (%s); the effect of "
		    "%s is unknown",
		    label, label, reason, call->order.method);
	else
		fail_call(call, MESSAGE_NOT_READY, "%s cannot be reached: %s", label, reason);
}

void host_calls_lost(struct host *host, const char *reason, bool is_attempt)
{
	list_each_safe (struct host_call, call, &host->calls, entry) {
		bool was_sent = call->is_sent;
		call->is_sent = false;
		call->may_be_done |= was_sent && !(call->order.flags & HOST_CALL_READS);
		if (was_sent && !call->is_left && call->order.was_cut != NULL)
			*call->order.was_cut = true;
		if (call->is_left)
			free_call(call);
		else if (was_sent && !(call->order.flags & (HOST_CALL_READS | HOST_CALL_KEYED)))
			fail_call(call, MESSAGE_GONE,
			    "the connection to %s was cut (%s); the effect of %s is unknown",
			    host->label, reason, call->order.method);
		else if (!was_sent && is_attempt && call->order.flags & HOST_CALL_URGENT)
			fail_unreached(call, reason);
		else if (!call->has_failed)
			arm(call);
	}
}

void host_calls_end(struct host *host)
{
	list_each (struct host_call, call, &host->calls, entry) {
		call->is_sent = false;
		fail_call(
		    call, MESSAGE_GONE, "%s: it is in the list of hosts no more", host->label);
	}
	host_calls_fail(host);
}

void host_calls_free(struct host *host)
{
	list_each_safe (struct host_call, call, &host->calls, entry)
		free_call(call);
}

void host_tell(struct host *host, const char *method, unsigned flags, int64_t deadline_ms,
    const char *params, ...)
{
	struct host_order order = {.method = method, .flags = flags, .deadline_ms = deadline_ms};
	struct buf text = BUF(TELL_BYTES);
	va_list args;
	if (flags == 0 && !host_link_is_open(host->link))
		return;
	va_start(args, params);
	(void)buf_vprintf(&text, params, args);
	va_end(args);
	order.params = (const char *)text.data;
	(void)host_calls_add(host, &order);
	buf_finish(&text);
}
