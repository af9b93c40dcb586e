/* SPDX-License-Identifier: ISC */
#include "daemon/server/dispatch.h"

#include <malloc.h>

#include "daemon/core/config.h"
#include "daemon/core/counters.h"
#include "daemon/server/peer.h"
#include "daemon/server/repeat.h"
#include "daemon/server/request.h"
#include "daemon/server/tmux_call.h"
#include "daemon/tmux/flow_wait.h"
#include "daemon/tmux/output_source.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"

/* The memory for a line of at least this many bytes is freed at once. */
#define BIG_LINE_BYTES ((size_t)64 * 1024)

#define HELD_PANES_MAX 64 /* maximum panes for whose output later requests are held */
#define SCRATCH_KEEP_BYTES ((size_t)4096)
#define ENVELOPE_BYTES 4096 /* maximum bytes of a provider's response besides its result */

struct dispatch {
	struct daemon *parts;
	struct json_reader *reader;
	struct buf scratch; /* memory of the texts in args */
	struct buf id; /* id of the present request, as JSON text */
	void *args; /* room for the arguments of any method */
	struct dispatch_hooks hooks;
	struct list put_offs;
	struct list holds;
	uint64_t last;
};

/* Makes a reader of lines. A result of a provider may be longer than a request. */
static struct json_reader *reader_new(struct daemon *parts)
{
	const struct config_limits *limits = &parts->config->limits;
	int64_t bytes = limits->result_bytes + ENVELOPE_BYTES;
	struct json_reader *reader =
	    json_reader_new((size_t)(bytes > limits->line_bytes ? bytes : limits->line_bytes));
	json_reader_limit_depth(reader);
	return reader;
}

struct dispatch *dispatch_new(struct daemon *parts)
{
	struct dispatch *dispatch = xcalloc(1, sizeof *dispatch);
	size_t args_size;
	dispatch->parts = parts;
	list_init(&dispatch->put_offs);
	list_init(&dispatch->holds);
	dispatch->reader = reader_new(parts);
	buf_init(&dispatch->scratch, (size_t)parts->config->limits.line_bytes * 2 + 65536);
	buf_init(&dispatch->id, MESSAGE_ID_BYTES);
	args_size = METHOD_ARGS_MAX;
	for (const struct method *m = method_next(NULL); m != NULL; m = method_next(m))
		if (m->args_size > args_size)
			args_size = m->args_size;
	dispatch->args = xcalloc(1, args_size);
	return dispatch;
}

static void leave_put_offs(struct dispatch *dispatch);

void dispatch_free(struct dispatch *dispatch)
{
	if (dispatch == NULL)
		return;
	leave_put_offs(dispatch);
	json_reader_free(dispatch->reader);
	buf_finish(&dispatch->scratch);
	buf_finish(&dispatch->id);
	mem_free(dispatch->args);
	mem_free(dispatch);
}

struct dispatch_hooks *dispatch_hooks(struct dispatch *dispatch)
{
	return &dispatch->hooks;
}

static void give_back(struct dispatch *dispatch, size_t line_len)
{
	buf_shrink(&dispatch->scratch, SCRATCH_KEEP_BYTES);
	if (line_len < BIG_LINE_BYTES)
		return;
	json_reader_free(dispatch->reader);
	dispatch->reader = reader_new(dispatch->parts);
	(void)malloc_trim(0);
}

static const char *write_id(struct dispatch *dispatch, const struct json *id)
{
	struct json_writer writer;
	buf_clear(&dispatch->id);
	json_writer_init(&writer, &dispatch->id);
	message_write_id(&writer, id);
	return (const char *)dispatch->id.data;
}

static void refuse_method(struct request *request, const char *name)
{
	struct buf shown = BUF(80);
	const char *text, *nearest, *advice = method_advice(name);
	(void)str_append_visible(&shown, name, strlen(name));
	text = shown.data ? (const char *)shown.data : "";
	nearest = method_nearest(name);
	if (advice != NULL) {
		request_fail(
		    request, MESSAGE_METHOD, "there is no method \"%s\": %s", text, advice);
	} else if (nearest != NULL) {
		char *data = xasprintf("\"nearest\":\"%s\"", nearest);
		request_fail_data(request, MESSAGE_METHOD, data,
		    "there is no method \"%s\"; did you mean \"%s\"? \"describe\" lists all "
		    "methods",
		    text, nearest);
		mem_free(data);
	} else {
		request_fail(request, MESSAGE_METHOD,
		    "there is no method \"%s\"; \"describe\" lists all methods", text);
	}
	buf_finish(&shown);
}

void dispatch_refuse(struct request *request, const struct field_error *error)
{
	struct buf data;
	struct json_writer writer;
	json_start(&writer, &data, 8192);
	/* Cut a very long name: users only have to recognise it. */
	if (error->field != NULL)
		(void)json_put_text(&writer, "field", error->field, strnlen(error->field, 256));
	request_fail_data(
	    request, MESSAGE_PARAMS, data.data ? (const char *)data.data : NULL, "%s", error->text);
	buf_finish(&data);
}

bool dispatch_may_wait(struct request *request)
{
	int64_t waits = request_daemon(request)->config->limits.waits;
	const struct peer *peer = request_peer(request);
	return peer == NULL || (int64_t)peer_wait_count(peer) <= waits ||
	    request_fail(request, MESSAGE_LIMIT,
		"%lld requests of this connection wait already (limit waits): let some end first",
		(long long)waits);
}

static bool is_admitted(
    struct dispatch *dispatch, struct request *request, const struct method *method)
{
	struct daemon *parts = dispatch->parts;
	if (method->flags & METHOD_WAITS && !dispatch_may_wait(request))
		return false;
	if (method->flags & METHOD_NEEDS_TMUX &&
	    !(parts->tmux != NULL && tmux_is_live(parts->tmux))) {
		const char *reason = parts->tmux != NULL ? tmux_reason(parts->tmux) : "";
		return request_fail(request, MESSAGE_TMUX_UNAVAILABLE,
		    "the tmux server at %s is not followed now%s%s", parts->config->tmux_socket,
		    *reason ? ": " : "", reason);
	}
	return true;
}

static struct {
	struct request *request;
	bool may_be_put_off; /* tmux is followed, and was not just listed for the request */
	bool may_look_at; /* in addition, no window was just listed for the request */
	struct work work;
} turn;

bool dispatch_put_off_until(struct request *request, dispatch_begin_fn *begin, void *context)
{
	if (turn.request != request)
		return false;
	turn.work = (struct work){.kind = WORK_OTHER, .begin = begin, .context = context};
	return true;
}

static bool put_off_for(const struct request *request, enum work_kind kind)
{
	if (turn.request != request)
		return false;
	turn.work = (struct work){.kind = kind, .window = MUXBUS_NO_ID};
	return true;
}

bool dispatch_attach_first(struct request *request)
{
	if (request_daemon(request)->config->attach == ATTACH_NEVER) {
		request_fail(request, MESSAGE_REFUSED,
		    "only a client of tmux gets this, and this muxbusd never is one: start it "
		    "without -o attach=never");
		return true;
	}
	if (!tmux_is_detached(request_daemon(request)->tmux))
		return false;
	/* Attaching runs the user's hooks of tmux, and changes which sessions are attached. */
	if (request_role(request) == ROLE_READ_ONLY) {
		request_audit_refusal(request);
		request_fail_data(request, MESSAGE_FORBIDDEN, "\"role\":\"read_only\"",
		    "this attaches a client to tmux, which the role read_only of this "
		    "connection does not allow");
		return true;
	}
	return put_off_for(request, WORK_ATTACH);
}

bool dispatch_look_first(struct request *request)
{
	return tmux_is_detached(request_daemon(request)->tmux) && dispatch_put_off(request);
}

bool dispatch_put_off(struct request *request)
{
	return turn.may_be_put_off && put_off_for(request, WORK_LOOK);
}

bool dispatch_look_at(struct request *request, uint32_t window)
{
	if (!turn.may_look_at || !put_off_for(request, WORK_LOOK_AT_WINDOW))
		return false;
	turn.work.window = window;
	return true;
}

struct hold {
	struct list link;
	struct dispatch *dispatch; /* NULL: freed */
	uint32_t peer; /* number of the peer; 0: the daemon stops */
	uint64_t number; /* number of the earlier request */
	size_t count; /* panes whose output does not flow yet, plus 1 while hold() runs */
};

static void release(struct dispatch *dispatch);

static void on_flowing(void *data, bool is_gone UNUSED)
{
	struct hold *hold = data;
	struct dispatch *dispatch = hold->dispatch;
	if (--hold->count > 0)
		return;
	if (dispatch != NULL)
		list_remove(&hold->link);
	mem_free(hold);
	if (dispatch != NULL)
		release(dispatch);
}

static uint64_t begun_flows(const struct dispatch *dispatch)
{
	const struct stream_set *streams = dispatch->parts->streams;
	return streams != NULL ? output_source_begun(stream_sources(streams)) : 0;
}

/*
 * Holds the later requests of a peer until the output that a request has asked for flows, or cannot
 * come. A later request, such as send_keys, may cause this output.
 */
static void hold(
    struct dispatch *dispatch, const struct peer *peer, uint64_t number, uint64_t begun)
{
	struct daemon *parts = dispatch->parts;
	uint32_t panes[HELD_PANES_MAX];
	size_t count =
	    output_source_coming(stream_sources(parts->streams), begun, panes, HELD_PANES_MAX);
	struct hold *hold;
	if (count == 0)
		return;
	hold = xalloc(sizeof *hold);
	*hold = (struct hold){
	    .dispatch = dispatch, .peer = peer_number(peer), .number = number, .count = count + 1};
	list_append(&dispatch->holds, &hold->link);
	for (size_t at = 0; at < count; at++)
		flow_wait(parts->base, parts->tmux, parts->streams, panes[at], on_flowing, hold);
	on_flowing(hold, false);
}

/*
 * Calls the handler of a request, if the request is admitted. done: the kind of work that was just
 * done for it. If the request was put off, returns the work to do; otherwise WORK_NONE.
 */
static struct work call(struct dispatch *dispatch, struct request *request,
    const struct json *params, enum work_kind done, uint64_t number)
{
	struct tmux *tmux = dispatch->parts->tmux;
	struct peer *peer = request_peer(request);
	uint64_t begun = begun_flows(dispatch);
	turn.request = request;
	turn.may_be_put_off = done != WORK_LOOK && tmux != NULL && tmux_is_live(tmux);
	turn.may_look_at = turn.may_be_put_off && !work_is_look(done);
	turn.work = (struct work){0};
	request_begin_turn(request);
	if (dispatch->hooks.admit(request, dispatch->args) && request_audit(request, params) &&
	    repeat_admit(request, dispatch->args))
		request_method(request)->handle(request, dispatch->args);
	request_begin_turn(NULL);
	turn.request = NULL;
	if (peer != NULL && begun_flows(dispatch) != begun)
		hold(dispatch, peer, number, begun);
	return turn.work;
}

struct put_off {
	struct list link;
	struct dispatch *dispatch; /* NULL: freed before the work was done */
	struct request *request;
	enum work_kind kind; /* WORK_NONE: the request is held behind an earlier one */
	uint64_t number; /* number in the order of arrival */
	bool has_peer; /* the request came from a peer, which may have disconnected */
	struct buf params; /* parameters as JSON; empty: none */
};

static bool read_args(struct dispatch *dispatch, struct request *request, const struct json *params)
{
	const struct method *method = request_method(request);
	struct field_error error = {0};
	buf_clear(&dispatch->scratch);
	if (field_read_tolerant(method->fields, request_tolerance(request), params, dispatch->args,
		method->args_size, &dispatch->scratch, &error) < 0) {
		dispatch_refuse(request, &error);
		return false;
	}
	request_key(request)->once.content = repeat_content(params);
	request_narrow(request, dispatch->args);
	return true;
}

static void go_on(struct dispatch *dispatch, struct request *request, const struct json *params,
    uint64_t number, enum work_kind done);

static void put_off_free(struct put_off *again)
{
	buf_finish(&again->params);
	mem_free(again);
}

static void handle_again(struct put_off *again)
{
	struct dispatch *dispatch = again->dispatch;
	struct peer *peer = request_peer(again->request);
	const struct method *method = request_method(again->request);
	struct json_error json_error;
	const struct json *params = NULL;
	if (again->params.len > 0)
		params = json_read(dispatch->reader, (const char *)again->params.data,
		    again->params.len, &json_error);
	if (peer != NULL)
		peer_forget_pane(peer);
	/* A method that waits and reads may take notifications, which no peer would get. */
	if (peer == NULL && again->has_peer && method->flags & METHOD_WAITS &&
	    method->effects & METHOD_READS)
		request_fail(again->request, MESSAGE_CANCELLED, "the connection was closed");
	else if (read_args(dispatch, again->request, params))
		go_on(dispatch, again->request, params, again->number, again->kind);
	give_back(dispatch, again->params.len);
}

static void on_done(void *data, int error)
{
	struct put_off *again = data;
	struct dispatch *dispatch = again->dispatch;
	if (dispatch == NULL) {
		request_fail(again->request, MESSAGE_CANCELLED, "the daemon ends");
		put_off_free(again);
		return;
	}
	list_remove(&again->link);
	/* If the listing failed, a method without METHOD_NEEDS_TMUX uses the old model. */
	if (error < 0 &&
	    (!work_is_look(again->kind) ||
		request_method(again->request)->flags & METHOD_NEEDS_TMUX))
		tmux_call_fail(again->request, error, NULL);
	else
		handle_again(again);
	put_off_free(again);
	release(dispatch);
	if (dispatch->hooks.handled != NULL)
		dispatch->hooks.handled(dispatch->hooks.handled_data);
}

static struct put_off *put_off(struct dispatch *dispatch, struct request *request,
    const struct json *params, uint64_t number, enum work_kind kind)
{
	struct put_off *again = xalloc(sizeof *again);
	*again = (struct put_off){.dispatch = dispatch,
	    .request = request,
	    .kind = kind,
	    .number = number,
	    .has_peer = request_peer(request) != NULL};
	buf_init(&again->params, JSON_GROWTH * (size_t)dispatch->parts->config->limits.line_bytes);
	if (params != NULL)
		(void)json_append(&again->params, params);
	list_append(&dispatch->put_offs, &again->link);
	return again;
}

/*
 * Returns true if an earlier request of the peer waits for a listing of tmux; if for_look is false,
 * for an attach.
 */
static bool is_behind(
    const struct dispatch *dispatch, const struct request *request, uint64_t number, bool for_look)
{
	const struct peer *peer = request_peer(request);
	list_each (const struct put_off, again, &dispatch->put_offs, link)
		if (peer != NULL && request_peer(again->request) == peer &&
		    (for_look ? work_is_look(again->kind) : again->kind == WORK_ATTACH) &&
		    again->number < number)
			return true;
	return false;
}

/*
 * Returns true if a request must wait behind an earlier one that waits for an attach or for output.
 * Requests without a peer, and those with METHOD_WITHOUT_TMUX, have no order.
 */
static bool is_held(const struct dispatch *dispatch, const struct request *request, uint64_t number)
{
	const struct peer *peer = request_peer(request);
	if (peer == NULL || request_method(request)->flags & METHOD_WITHOUT_TMUX)
		return false;
	list_each (const struct hold, hold, &dispatch->holds, link)
		if (hold->peer == peer_number(peer) && hold->number < number)
			return true;
	return is_behind(dispatch, request, number, false);
}

size_t dispatch_waits_put_off(const struct dispatch *dispatch)
{
	size_t count = 0;
	list_each (const struct put_off, again, &dispatch->put_offs, link) {
		count += request_peer(again->request) != NULL &&
		    request_method(again->request)->flags & METHOD_WAITS;
	}
	return count;
}

static void release(struct dispatch *dispatch)
{
	struct list *link = dispatch->put_offs.next;
	while (link != &dispatch->put_offs) {
		struct put_off *again = list_entry(link, struct put_off, link);
		link = link->next;
		if (again->kind != WORK_NONE || is_held(dispatch, again->request, again->number))
			continue;
		list_remove(&again->link);
		handle_again(again);
		put_off_free(again);
		link = dispatch->put_offs.next;
	}
}

void dispatch_goodbye(struct dispatch *dispatch, struct peer *peer)
{
	if (dispatch->hooks.dialect != NULL)
		dispatch->hooks.dialect->goodbye(dispatch->hooks.dialect_data, peer);
	list_each (struct hold, hold, &dispatch->holds, link)
		if (hold->peer == peer_number(peer))
			hold->peer = 0;
}

/*
 * Detaches requests that are put off, and holds. Work that was begun goes on, and on_done() then
 * fails its request. A request that only waits behind another one fails now.
 */
static void leave_put_offs(struct dispatch *dispatch)
{
	while (!list_is_empty(&dispatch->put_offs)) {
		struct put_off *again = list_entry(dispatch->put_offs.next, struct put_off, link);
		list_remove(&again->link);
		again->dispatch = NULL;
		if (again->kind == WORK_NONE)
			on_done(again, 0);
	}
	while (!list_is_empty(&dispatch->holds)) {
		struct hold *hold = list_entry(dispatch->holds.next, struct hold, link);
		list_remove(&hold->link);
		hold->dispatch = NULL;
	}
}

/*
 * Passes a response of a peer to the hook. response NULL: only its id is known. Returns false if
 * the hook does not take the response.
 */
static bool pass_response(struct dispatch *dispatch, struct peer *peer, const struct json *id,
    const struct json *response, const char *reason)
{
	return dispatch->hooks.response != NULL && peer != NULL && id != NULL &&
	    dispatch->hooks.response(dispatch->hooks.response_data, peer, id, response, reason);
}

/* Continues a request. done: the kind of work that was just done for it. */
static void go_on(struct dispatch *dispatch, struct request *request, const struct json *params,
    uint64_t number, enum work_kind done)
{
	struct work work = {0};
	if (is_held(dispatch, request, number)) {
		(void)put_off(dispatch, request, params, number, WORK_NONE);
		return;
	}
	if (done == WORK_NONE)
		work = work_before(request, params, is_behind(dispatch, request, number, true));
	if (work.kind == WORK_NONE)
		work = call(dispatch, request, params, done, number);
	if (work.kind == WORK_NONE)
		return;
	request_forget_result(request);
	work_begin(&work, request, on_done, put_off(dispatch, request, params, number, work.kind));
}

void dispatch_run(struct dispatch *dispatch, struct request *request, const struct json *params)
{
	request_note(request, params);
	if (!dispatch->hooks.begin(request, params))
		return;
	if (dispatch->hooks.route != NULL && !request_audit(request, params))
		return;
	if (dispatch->hooks.route != NULL &&
	    dispatch->hooks.route(dispatch->hooks.route_data, request, params))
		return;
	if (read_args(dispatch, request, params) &&
	    is_admitted(dispatch, request, request_method(request)))
		go_on(dispatch, request, params, ++dispatch->last, WORK_NONE);
}

/*
 * Sets the provider's call within which a request is made. A text that is too long for an id names
 * no call, and is ignored.
 */
static void set_within(struct request_origin *origin, const struct json *within)
{
	if (within->type == JSON_STRING && within->len >= sizeof origin->within)
		return;
	origin->has_within = true;
	if (within->type == JSON_STRING)
		strcpy(origin->within, within->text);
}

static void handle(struct dispatch *dispatch, struct peer *peer, const struct message *message)
{
	const struct method *method = method_find(message->method);
	const char *id = message->is_notification ? NULL : write_id(dispatch, message->id);
	struct request *request;
	if (peer != NULL && dispatch->hooks.dialect != NULL &&
	    dispatch->hooks.dialect->take(dispatch->hooks.dialect_data, peer, message, id))
		return;
	if (method == NULL && dispatch->hooks.foreign != NULL)
		method = dispatch->hooks.foreign(
		    dispatch->hooks.route_data, message->method, message->params);
	request = request_new(dispatch->parts, peer, id, method);
	if (message->within != NULL)
		set_within(request_origin(request), message->within);
	if (method != NULL)
		dispatch_run(dispatch, request, message->params);
	else
		refuse_method(request, message->method);
}

/* Refuses a line. If the line has the id of an awaited response, that response has failed. */
static void refuse(struct dispatch *dispatch, struct peer *peer, const struct json *id,
    enum message_error error, const char *reason)
{
	if (!pass_response(dispatch, peer, id, NULL, reason))
		request_fail(request_new(dispatch->parts, peer, write_id(dispatch, id), NULL),
		    error, "%s", reason);
}

static void refuse_line(
    struct dispatch *dispatch, struct peer *peer, const char *line, size_t len, const char *reason)
{
	struct lost_id lost = {0};
	lost_id_add(&lost, line, len);
	refuse(dispatch, peer, message_lost_id(dispatch->reader, &lost), MESSAGE_PARSE, reason);
}

void dispatch_line(void *data, struct peer *peer, const char *line, size_t len)
{
	struct dispatch *dispatch = data;
	struct json_error error;
	const struct json *value;
	struct message message;
	char reason[256 + sizeof error.text];
	if (line_is_blank(line, len))
		return;
	dispatch->parts->counters->requests++;
	value = json_read(dispatch->reader, line, len, &error);
	if (value == NULL) {
		(void)snprintf(
		    reason, sizeof reason, "cannot read the line as JSON: %s", error.text);
		refuse_line(dispatch, peer, line, len, reason);
	} else if (message_read(value, &message, reason, sizeof reason) < 0)
		refuse(dispatch, peer, message.id, MESSAGE_REQUEST, reason);
	else if (message.is_response)
		(void)pass_response(dispatch, peer, message.id, value, NULL);
	else
		handle(dispatch, peer, &message);
	give_back(dispatch, len);
	if (dispatch->hooks.handled != NULL)
		dispatch->hooks.handled(dispatch->hooks.handled_data);
}

void dispatch_too_long(void *data, struct peer *peer, const struct lost_id *lost)
{
	struct dispatch *dispatch = data;
	char reason[128];
	dispatch->parts->counters->requests++;
	(void)snprintf(reason, sizeof reason,
	    "the line is longer than %zu bytes, the limit of this connection, and was skipped",
	    *peer_line_max(peer));
	refuse(dispatch, peer, message_lost_id(dispatch->reader, lost), MESSAGE_REQUEST, reason);
}
