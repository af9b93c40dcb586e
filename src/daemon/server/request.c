/* SPDX-License-Identifier: ISC */
#include "daemon/server/request.h"

#include "daemon/core/config.h"
#include "daemon/core/counters.h"
#include "daemon/core/meter.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/server/action_history.h"
#include "daemon/server/audit.h"
#include "daemon/server/output.h"
#include "daemon/server/peer.h"
#include "daemon/server/peer_pane.h"
#include "daemon/tmux/tmux.h"

/* maximum bytes of a response without its result */
#define ENVELOPE_BYTES (MESSAGE_ID_BYTES + 128)
/* maximum bytes of an error's message, with its NUL; a longer message ends with "…" */
#define ERROR_TEXT_MAX 8192
#define FIRST_BYTES 256

struct request {
	struct daemon *parts;
	struct peer *peer; /* NULL: none, or disconnected */
	struct response_slot *response_slot; /* NULL: no peer, or no response is due */
	const struct method *method;
	enum role role;
	struct buf out;
	struct json_writer writer;
	bool has_result; /* `out` has the begin of the result */
	bool is_notification; /* the request has no id, and so gets no response */
	int64_t begun_ms; /* CLOCK_MONOTONIC */
	uint64_t audit; /* number of the request's line in the audit; 0: none */
	int64_t audit_ms; /* CLOCK_MONOTONIC when the line was written */
	bool is_unaudited; /* the line for the audit could not be written */
	bool has_durable; /* request_note_durable() was called */
	uint64_t history; /* number in the history; 0: not noted, or its end is noted */
	void (*cancelled)(void *data);
	void *cancelled_data;
	const char *cancelled_text;
	void (*sent)(struct peer *peer, void *data);
	void *sent_data;
	const struct response_format *response_format; /* NULL: JSON-RPC's own */
	void *format_data;
	size_t format_line_max;
	struct request_view view;
	char **session_env; /* NULL: tmux was not asked */
	size_t members_from; /* offset in `out` where the members of the result begin */
	struct request_key key;
	bool is_first; /* the request is the first with its key */
	bool is_done; /* the request has had its effect, even if its result is too long */
	struct list open; /* in the list `all` */
	struct list link; /* in the list `joined` of another request, or in `orphans` */
	struct list joined;
	struct request_origin origin;
	char id[];
};

static struct list all = {&all, &all};

/* Requests that are completed because of their keys, although their peers have disconnected. */
static struct {
	struct list list;
	size_t count;
} orphans = {.list = {&orphans.list, &orphans.list}};

static const struct request *in_turn;

static void leave_list(void *data)
{
	struct request *request = data;
	if (request->key.is_done_once && !list_is_empty(&request->link))
		orphans.count--;
	list_remove(&request->link);
}

bool request_release(struct request *request)
{
	void (*cancelled)(void *) = request->cancelled;
	if (cancelled == NULL)
		return false;
	request->cancelled = NULL;
	cancelled(request->cancelled_data);
	return !request_fail(request, MESSAGE_CANCELLED, "%s",
	    request->cancelled_text != NULL ? request->cancelled_text : "the peer has gone");
}

static void cancel(struct request *request)
{
	request->peer = NULL;
	request->response_slot = NULL;
	(void)request_release(request);
}

/*
 * Called when the peer disconnects. A request with a key may go on (see request_begin_once()), as
 * the program may repeat it over another connection.
 */
static void on_peer_gone(void *data)
{
	struct request *request = data;
	if (!request->key.is_done_once || request->cancelled == NULL ||
	    request->method->effects & METHOD_READS || orphans.count == REQUEST_ORPHANS_MAX) {
		cancel(request);
		return;
	}
	request->peer = NULL;
	request->response_slot = NULL;
	list_append(&orphans.list, &request->link);
	orphans.count++;
}

/*
 * Returns true if the meter counts a request. The meter counts methods that wait and are tools for
 * agents. It is stored, so the role read_only must not change it.
 */
static bool is_metered(const struct request *request)
{
	unsigned flags = METHOD_WAITS | METHOD_TOOL;
	return request->parts->meter != NULL && request->method != NULL &&
	    (request->method->flags & flags) == flags && request_role(request) != ROLE_READ_ONLY;
}

struct request *request_new(
    struct daemon *parts, struct peer *peer, const char *id, const struct method *method)
{
	size_t id_len = id != NULL ? strlen(id) : 0;
	struct request *request = xcalloc(1, sizeof *request + id_len + 1);
	request->parts = parts;
	request->peer = peer;
	request->role = peer != NULL ? peer_role(peer) : ROLE_FULL;
	request->method = method;
	if (method != NULL && method->uses != NULL)
		++*method->uses;
	list_append(&all, &request->open);
	list_init(&request->link);
	list_init(&request->joined);
	request->is_notification = id == NULL;
	request->begun_ms = clock_mono_ms();
	if (id != NULL)
		memcpy(request->id, id, id_len);
	buf_init(&request->out, (size_t)parts->config->limits.result_bytes + ENVELOPE_BYTES);
	if (peer != NULL)
		request->response_slot = response_row_reserve(peer_responses(peer),
		    method != NULL && method->flags & METHOD_WAITS, on_peer_gone, request);
	return request;
}

void request_note(struct request *request, const struct json *params)
{
	if (request->parts->history && !(request->method->flags & METHOD_UNNOTED))
		request->history = history_begin(request->parts->history,
		    request->peer != NULL ? peer_pid(request->peer) : 0, request->method, params);
}

static struct audit_action action_of(struct request *request, const struct json *params)
{
	bool is_weak;
	return (struct audit_action){.peer = request->peer,
	    .pane = request_peer_pane(request, &is_weak),
	    .role = request->role,
	    .method = request->method,
	    .params = params};
}

bool request_audit(struct request *request, const struct json *params)
{
	struct audit_log *audit = request->parts->audit;
	struct audit_action action;
	if (audit == NULL || request->audit != 0 || request->is_unaudited ||
	    !audit_wants(request->method, params))
		return true;
	request->audit_ms = clock_mono_ms();
	action = action_of(request, params);
	request->audit = audit_begin(audit, &action);
	request->is_unaudited = request->audit == 0;
	if (!request->is_unaudited || !request->parts->config->audit_refuses)
		return true;
	return request_fail(request, MESSAGE_LIMIT,
	    "the audit cannot be written: %s; -o audit_full_disk=mark does without",
	    strerror(errno));
}

void request_audit_refusal(struct request *request)
{
	struct audit_action action = action_of(request, NULL);
	if (request->parts->audit != NULL)
		audit_refuse(request->parts->audit, &action);
}

static void note_end(struct request *request, const char *outcome, const char *text)
{
	if (request->audit != 0)
		audit_end(request->parts->audit, request->audit, outcome,
		    clock_mono_ms() - request->audit_ms);
	if (request->history != 0)
		history_end(request->parts->history, request->history, outcome, text);
	request->audit = request->history = 0;
}

struct request_key *request_key(struct request *request)
{
	return &request->key;
}

const struct once *request_once(const struct request *request)
{
	return request->key.text != NULL && !request->key.is_done_once ? &request->key.once : NULL;
}

void request_begin_turn(const struct request *request)
{
	in_turn = request;
}

void request_forget_result(struct request *request)
{
	request->has_result = request->has_durable = false;
	buf_clear(&request->out);
}

void request_begin_once(struct request *request)
{
	if (request->key.text == NULL)
		return;
	request->is_first = true;
	if (request->method->begun != NULL)
		return;
	once_keep(&request->key.once, "");
	once_set_runner(&request->key.once, request);
	request->key.is_done_once = true;
}

bool request_join(struct request *request)
{
	struct request *first = once_runner(&request->key.once);
	if (first == NULL)
		return false;
	list_append(&first->joined, &request->link);
	request_on_cancel(request, leave_list, request, NULL);
	return true;
}

static struct request *take_joined(struct request *request)
{
	struct request *joined;
	if (list_is_empty(&request->joined))
		return NULL;
	joined = list_entry(request->joined.next, struct request, link);
	leave_list(joined);
	return joined;
}

static void end_once(struct request *request)
{
	if (once_runner(&request->key.once) == request)
		once_set_runner(&request->key.once, NULL);
	leave_list(request);
	request->key.is_done_once = false;
}

static void finish_once(struct request *request, const char *members, size_t len)
{
	static const char too_long[] =
	    "{\"message\":\"This was done already, but its result was too long to be kept.\"}";
	struct request *joined;
	end_once(request);
	if (len > ONCE_RESULT_MAX)
		once_set_result(&request->key.once, too_long, sizeof too_long - 1);
	while ((joined = take_joined(request)) != NULL) {
		if (len > 0)
			json_put_raw(request_result(joined), NULL, members, len);
		request_done(joined);
	}
}

static void finish_repeat(struct request *request)
{
	struct json_writer *writer = request_result(request);
	const char *members = (const char *)request->out.data + request->members_from;
	size_t len = request->out.len - request->members_from;
	char *result;
	if (!writer->is_cut && request->key.text != NULL) {
		result = xasprintf("{%.*s}", (int)len, members);
		once_set_result(&request->key.once, result, strlen(result));
		mem_free(result);
	}
	if (!writer->is_cut && request->key.is_done_once)
		finish_once(request, members, len);
	if (request->key.text != NULL && !(request->method->flags & METHOD_COUNTS_KEYS))
		request_note_durable(request);
	if (request->key.is_repeated)
		json_put_bool(writer, "repeated", true);
	if (request->is_unaudited)
		json_put_bool(writer, "audited", false);
}

struct daemon *request_daemon(const struct request *request)
{
	return request->parts;
}

struct peer *request_peer(const struct request *request)
{
	return request->peer;
}

void request_set_format(struct request *request, const struct response_format *response_format,
    void *data, size_t line_max)
{
	request->response_format = response_format;
	request->format_data = data;
	request->format_line_max = line_max;
}

struct request_view *request_view(struct request *request)
{
	return &request->view;
}

bool request_is_formatted(const struct request *request)
{
	return request->response_format != NULL;
}

const struct field_tolerance *request_tolerance(const struct request *request)
{
	return request != NULL && request->response_format != NULL
	    ? request->response_format->tolerance
	    : NULL;
}

void request_progress(struct request *request, const struct request_report *report)
{
	if (request->response_format != NULL && request->response_format->progress != NULL)
		request->response_format->progress(request->format_data, report);
}

void request_narrow(struct request *request, void *args)
{
	if (request->response_format != NULL && request->response_format->narrow != NULL)
		request->response_format->narrow(request->format_data, request, args);
}

const char *request_id(const struct request *request)
{
	return request->is_notification ? NULL : request->id;
}

static bool has_id(const void *data, const void *key)
{
	const struct request *request = data;
	return !request->is_notification && strcmp(request->id, key) == 0;
}

struct request *request_find(struct peer *peer, const char *id)
{
	return response_row_find(peer_responses(peer), has_id, id);
}

void request_withdraw(struct request *request)
{
	struct buf none = BUF(0);
	if (request->response_slot != NULL)
		peer_respond(request->response_slot, &none, NULL, NULL);
	cancel(request);
}

const struct method *request_method(const struct request *request)
{
	return request->method;
}

enum role request_role(const struct request *request)
{
	return request->role;
}

int64_t request_begun_ms(const struct request *request)
{
	return request->begun_ms;
}

void request_on_cancel(
    struct request *request, void (*cancelled)(void *data), void *data, const char *text)
{
	request->cancelled = cancelled;
	request->cancelled_data = data;
	request->cancelled_text = text;
}

bool request_is_cancelled(const struct request *request)
{
	return request->cancelled == NULL;
}

void request_on_sent(
    struct request *request, void (*sent)(struct peer *peer, void *data), void *data)
{
	mem_free(request->sent_data);
	request->sent = sent;
	request->sent_data = data;
}

char ***request_session_env(struct request *request)
{
	return &request->session_env;
}

struct json_writer *request_result(struct request *request)
{
	if (!request->has_result) {
		request->has_result = true;
		if (buf_reserve(&request->out, FIRST_BYTES) < 0)
			log_debug("a first buffer was refused"); /* the JSON writer notices it */
		json_writer_init(&request->writer, &request->out);
		if (request->response_format != NULL)
			json_object_begin(&request->writer, NULL);
		else
			message_begin_result(
			    &request->writer, request->is_notification ? "null" : request->id);
		request->members_from = request->out.len;
	}
	return &request->writer;
}

/* Sends the response. Afterwards, the request has no peer and no dialect. */
static void respond(struct request *request, struct buf *line)
{
	if (request->is_notification)
		buf_clear(line);
	if (request->response_slot != NULL) {
		peer_respond(request->response_slot, line, request->sent, request->sent_data);
		request->sent_data = NULL;
	}
	request->response_slot = NULL;
	request->peer = NULL;
	request_on_sent(request, NULL, NULL);
	buf_finish(line);
	if (request->response_format != NULL && request->response_format->finish != NULL)
		request->response_format->finish(request->format_data);
	request->response_format = NULL;
	mem_free(request->key.text);
	request->key.text = NULL;
	list_remove(&request->open);
}

static void answer(struct request *request)
{
	respond(request, &request->out);
	mem_free_strings(request->session_env);
	if (in_turn == request)
		in_turn = NULL;
	if (request->method != NULL && request->method->uses != NULL)
		--*request->method->uses;
	mem_free(request);
}

/* Writes a response in the dialect's format. text NULL: a result, otherwise an error. */
static void response_format(
    struct request *request, enum message_error error, const char *text, const char *members)
{
	struct buf result = request->out;
	struct json_writer *writer = &request->writer;
	buf_init(&request->out, request->format_line_max + ENVELOPE_BYTES);
	json_writer_init(writer, &request->out);
	message_begin(writer, request->is_notification ? "null" : request->id);
	if (text != NULL)
		request->response_format->error(request->format_data, writer, error, text, members);
	else
		request->response_format->result(
		    request->format_data, writer, (const char *)result.data, result.len);
	message_end(writer);
	buf_finish(&result);
}

/* Counts an answer in the meter. An answer that was given at once has not avoided any look. */
static void count_wait(const struct request *request)
{
	int64_t now_ms = clock_mono_ms();
	if (in_turn == request)
		meter_count_fetch(request->parts->meter, now_ms);
	else
		meter_count_wait(request->parts->meter, now_ms, now_ms - request->begun_ms);
}

void request_done(struct request *request)
{
	int64_t max = request->parts->config->limits.result_bytes;
	struct json_writer *writer = request_result(request);
	request->is_done = true;
	request->cancelled = NULL;
	finish_repeat(request);
	if (request->response_format != NULL)
		json_object_end(writer);
	else
		message_end_result(writer);
	if (writer->is_cut || request->out.len > (size_t)max) {
		request_fail(request, MESSAGE_LIMIT,
		    "the result is larger than %lld bytes (limit result_bytes): request "
		    "less, or start the daemon with -o result_bytes=...",
		    (long long)max);
		return;
	}
	if (request->history != 0)
		history_result(request->parts->history, request->history, request->method,
		    buf_text(&request->out), request->response_format == NULL);
	request->history = 0;
	note_end(request, "done", "");
	if (is_metered(request) && request->peer != NULL && !request->is_notification)
		count_wait(request);
	if (request->response_format != NULL && !request->is_notification)
		response_format(request, MESSAGE_INTERNAL, NULL, NULL);
	answer(request);
}

static void __attribute__((format(printf, 2, 0)))
format_text(char text[ERROR_TEXT_MAX], const char *format, va_list args)
{
	static const char more[] = "\xe2\x80\xa6";
	size_t len = ERROR_TEXT_MAX - sizeof more;
	int wanted = vsnprintf(text, ERROR_TEXT_MAX, format, args);
	if (wanted < ERROR_TEXT_MAX)
		return;
	len -= utf8_incomplete_tail(text, len);
	memcpy(text + len, more, sizeof more);
}

/*
 * Stores the error with the key if the request may have had an effect; if not, forgets a key that
 * has no result. Returns true if the error is stored.
 */
static bool set_error(const struct request *request, enum message_error error, const char *text)
{
	/*
	 * Such an error may come after an effect: the first of several tmux commands has run, or
	 * only the result was too long.
	 */
	bool may_have_effect = message_error_info(error)->may_have_effect;
	bool is_early = request == in_turn && !request->is_done && error != MESSAGE_INTERNAL;
	char *whole;
	if (!may_have_effect || is_early)
		once_forget_begun(&request->key.once);
	if (!may_have_effect || is_early || !request->key.is_done_once)
		return false;
	whole = xasprintf("%s: %s", message_error_info(error)->kind, text);
	once_set_error(&request->key.once, whole);
	mem_free(whole);
	return true;
}

/* Joins two texts of JSON members; data may be NULL. The caller frees the result. */
static char *members_with(const char *member, const char *data)
{
	return xasprintf("%s%s%s", member, data != NULL ? "," : "", data != NULL ? data : "");
}

/*
 * Calls set_error() for a request with a key, and fails the requests that wait for its answer.
 * Returns true if the stored error is only in memory.
 */
static bool fail_once(
    struct request *request, enum message_error error, const char *data, const char *text)
{
	struct request *joined;
	char *joined_data = members_with("\"repeated\":true", data);
	bool is_lost = set_error(request, error, text) && queue_is_degraded(request->parts->queue);
	if (request->key.is_done_once)
		end_once(request);
	while ((joined = take_joined(request)) != NULL)
		request_fail_data(joined, error, joined_data, "%s", text);
	mem_free(joined_data);
	return is_lost;
}

static void __attribute__((format(printf, 4, 0))) fail(struct request *request,
    enum message_error error, const char *data, const char *format, va_list args)
{
	char text[ERROR_TEXT_MAX] = "", *more = NULL;
	request->cancelled = NULL;
	format_text(text, format, args);
	if (request->is_first && fail_once(request, error, data, text))
		data = more = members_with("\"durable\":false", data);
	buf_finish(&request->out);
	json_start(&request->writer, &request->out,
	    ENVELOPE_BYTES + ERROR_TEXT_MAX * 6 + (data ? strlen(data) : 0));
	if (request->response_format)
		response_format(request, error, text, data);
	else
		message_write_error(&request->writer,
		    request->is_notification ? "null" : request->id, error, text, data);
	mem_free(more);
	note_end(request, message_error_info(error)->kind, text);
	request->parts->counters->errors += request->response_slot != NULL;
	request_on_sent(request, NULL, NULL);
	answer(request);
}

bool request_fail(struct request *request, enum message_error error, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fail(request, error, NULL, format, args);
	va_end(args);
	return false;
}

bool request_fail_field(struct request *request, const char *field, const char *format, ...)
{
	char data[64], text[ERROR_TEXT_MAX] = "";
	va_list args;
	va_start(args, format);
	format_text(text, format, args);
	va_end(args);
	(void)snprintf(data, sizeof data, "\"field\":\"%.40s\"", field);
	return request_fail_data(request, MESSAGE_PARAMS, data, "%s: %s", field, text);
}

bool request_fail_data(
    struct request *request, enum message_error error, const char *data, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fail(request, error, data, format, args);
	va_end(args);
	return false;
}

/* Fails a request and then cancels it. The store still has its key, without a result. */
static void end(struct request *request)
{
	static const char text[] = "the daemon ends: ask the next one";
	struct json_writer writer;
	struct buf line;
	while (!list_is_empty(&request->joined))
		end(list_entry(request->joined.next, struct request, link));
	if (request->key.is_done_once)
		end_once(request);
	request->is_first = false;
	note_end(request, message_error_info(MESSAGE_CANCELLED)->kind, text);
	request->sent = NULL;
	json_start(&writer, &line, ENVELOPE_BYTES + sizeof text + sizeof MESSAGE_ENDING);
	message_write_error(&writer, request->is_notification ? "null" : request->id,
	    MESSAGE_CANCELLED, text, MESSAGE_ENDING);
	respond(request, &line);
	cancel(request);
}

void request_end_all(void)
{
	while (!list_is_empty(&all))
		end(list_entry(all.next, struct request, open));
}

uint32_t request_peer_pane(struct request *request, bool *ret_weak)
{
	const struct peer_pane *own;
	struct tmux *tmux = request->parts->tmux;
	*ret_weak = false;
	if (request->peer == NULL || tmux == NULL || !tmux_is_live(tmux))
		return MUXBUS_NO_ID;
	own = peer_pane_of(request->peer);
	/* If the pane was closed or has another program, search the peer's pane again. */
	if (own->pane != MUXBUS_NO_ID && !peer_pane_lasts(own, tmux_model(tmux))) {
		peer_forget_pane(request->peer);
		own = peer_pane_of(request->peer);
	}
	*ret_weak = own->is_weak;
	return own->pane;
}

struct request_origin *request_origin(struct request *request)
{
	return &request->origin;
}

void request_note_durable(struct request *request)
{
	if (!request->has_durable)
		store_put_durable(
		    request_result(request), !queue_is_degraded(request->parts->queue));
	request->has_durable = true;
}
