/* SPDX-License-Identifier: ISC */
/* Turns a request into a call of its provider, and the answer into a response. */
#include "daemon/methods/provide_call.h"

#include "daemon/deliver/wake.h"
#include "daemon/provide/offer.h"
#include "daemon/provide/provide.h"
#include "daemon/provide/provide_flow.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "daemon/server/server.h"
#include "daemon/tool/tool_arguments.h"
#include "daemon/tool/tool_folder.h"
#include "daemon/tool/tool_kept.h"

#define CALLER_MAX (6 * PATH_MAX + 1024) /* bytes of "caller" as JSON */
#define LEFT_MIN_MS 1000 /* least time limit of a resumed call */
#define LINE_MAX_BYTES (MESSAGE_ID_BYTES + (size_t)16384) /* bytes of a report with a short text */

/* An open call; the request may be answered already. */
struct provided_call {
	struct request *request; /* NULL: the request was answered with the call's id */
	struct tool_kept_set *kept;
	struct provide_call *call;
	char id[NOTIFICATION_ID_SIZE]; /* id of the call if request is NULL */
};

static void fail(struct request *request, const char *name, const struct tool_failure *failure)
{
	request_fail(request, failure->error, "%s: %s", name, failure->text);
}

static void on_done(void *data, const struct provide_answer *answer)
{
	struct provided_call *call = data;
	struct request *request = call->request;
	if (request == NULL) {
		tool_kept_end(call->kept, call->id, answer->result, answer->failure);
	} else {
		method_put_result(request_result(request), answer->result);
		if (answer->result != NULL)
			request_done(request);
		else
			fail(request, request_method(request)->name, answer->failure);
	}
	mem_free(call);
}

/* Sends a report to a peer that speaks JSON-RPC, if its request has an id. */
static void pass_line(struct request *request, const struct request_report *report)
{
	const char *id = request_id(request);
	struct peer *peer = request_peer(request);
	struct json_writer writer;
	struct buf line;
	if (peer == NULL || id == NULL || strcmp(id, "null") == 0)
		return;
	json_start(&writer, &line, LINE_MAX_BYTES);
	message_begin_notice(&writer, "progress");
	json_put_raw(&writer, "request", id, strlen(id));
	if (report->text != NULL)
		json_put_str(&writer, "text", report->text);
	if (report->has_done)
		json_put_double(&writer, "done", report->done);
	if (report->has_of)
		json_put_double(&writer, "of", report->of);
	message_end_notice(&writer);
	if (!writer.is_cut)
		(void)peer_send_line(peer, (const char *)line.data, line.len);
	buf_finish(&line);
}

void provide_call_progress(struct request *request, const struct request_report *report)
{
	if (request_is_formatted(request))
		request_progress(request, report);
	else
		pass_line(request, report);
}

static void on_progressed(void *data, const struct request_report *report)
{
	struct provided_call *call = data;
	if (call->request != NULL)
		provide_call_progress(call->request, report);
}

static void on_cancelled(void *data)
{
	struct provided_call *call = data;
	provide_flow_cancel(call->call);
	mem_free(call);
}

static const struct provide_handlers waiting_handlers = {
    .done = on_done, .progressed = on_progressed};
/* If the daemon ends, the next daemon notifies that a kept call has failed, or resumes it. */
static const struct provide_handlers kept_handlers = {.done = on_done, .forgotten = mem_free};

/* Writes the name of a process. */
static void put_program(struct json_writer *writer, pid_t pid)
{
	char path[64], name[64];
	FILE *file;
	(void)snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
	file = fopen(path, "re");
	if (file != NULL && fgets(name, sizeof name, file) != NULL)
		(void)json_put_text(writer, "program", name, strcspn(name, "\n"));
	if (file != NULL)
		(void)fclose(file);
}

/* Writes the member "caller" of a call: pane, program, role, directory. */
static void write_caller(
    struct buf *out, struct request *request, const struct pane_ref *pane, const char *cwd)
{
	struct peer *peer = request_peer(request);
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	if (pane->pane != MUXBUS_NO_ID)
		json_put_id(&writer, "pane", '%', pane->pane);
	if (peer != NULL) {
		json_put_int(&writer, "pid", peer_pid(peer));
		put_program(&writer, peer_pid(peer));
	}
	json_put_str(&writer, "role", role_names[request_role(request)]);
	json_put_str(&writer, "cwd", cwd);
	json_object_end(&writer);
}

void provide_call_answer_begun(struct request *request, const char *id, const struct pane_ref *pane)
{
	json_put_str(request_result(request), "id", id);
	wake_write(request, "Started, see get_tool_answer.", id, pane);
	request_done(request);
}

void provide_call_begin(
    struct request *request, const struct pane_ref *pane, bool waits, struct provide_order *order)
{
	struct daemon *daemon = request_daemon(request);
	struct provided_call *call = xcalloc(1, sizeof *call);
	struct tool_failure failure;
	call->kept = daemon->kept_calls;
	if (!waits) {
		tool_kept_begin(daemon->kept_calls, order->name, pane, call->id);
		order->kept = call->id;
	}
	call->request = waits ? request : NULL;
	order->handlers = waits ? &waiting_handlers : &kept_handlers;
	order->data = call;
	call->call = provide_flow_begin(daemon->provides, order, &failure);
	if (call->call == NULL) {
		fail(request, request_method(request)->name, &failure);
		if (!waits)
			tool_kept_drop(daemon->kept_calls, call->id);
		mem_free(call);
	} else if (waits) {
		request_on_cancel(
		    request, on_cancelled, call, "the peer has gone; the call is cancelled");
	} else {
		provide_call_answer_begun(request, call->id, pane);
	}
}

/* Returns how much time a call of an earlier daemon has left. */
static int64_t left_ms(const char *tool, int64_t begun_ms)
{
	const struct method *method = method_find(tool);
	int64_t left = LEFT_MIN_MS - (clock_real_ms() - begun_ms);
	if (method != NULL && method->group != NULL && tool_of(method) != NULL)
		left += tool_of(method)->declaration->timeout_ms;
	return left > LEFT_MIN_MS ? left : LEFT_MIN_MS;
}

/* Resumes a call of an earlier daemon, if it is awaited and the connected server has it. */
static bool take_up(struct request *request, struct provided_call *call, const char *id)
{
	struct daemon *daemon = request_daemon(request);
	struct provide_order order = {.handlers = &kept_handlers, .data = call};
	int64_t begun_ms;
	call->kept = daemon->kept_calls;
	order.name = tool_kept_awaited(call->kept, call->id, &begun_ms);
	if (order.name == NULL)
		return false;
	order.timeout_ms = left_ms(order.name, begun_ms);
	if (!provide_flow_take_up(daemon->provides, request_peer(request), id, &order))
		return false;
	tool_kept_take_up(call->kept, call->id);
	return true;
}

void provide_call_take_up_all(struct request *request, const struct json *calls)
{
	json_each (value, calls) {
		struct provided_call *call = xcalloc(1, sizeof *call);
		(void)snprintf(call->id, sizeof call->id, "%s", json_get_str(value, "kept", ""));
		if (!take_up(request, call, json_get_str(value, "id", "")))
			mem_free(call);
	}
}

/* args is a struct declaration_args, followed by the values of the row's fields. */
static void provide_call_handle(struct request *request, const void *data)
{
	const struct declaration_args *args = data;
	const struct offer *offer = offer_of(request_method(request));
	const struct request_origin *origin = request_origin(request);
	struct peer *peer = request_peer(request);
	struct field_error error = {0};
	struct buf arguments, caller;
	struct pane_ref pane;
	char cwd[PATH_MAX];
	if (requester_look_first(request, args->pane))
		return;
	if (!requester_pane(request, args->pane, &pane) ||
	    !requester_cwd(request, NULL, &pane, cwd, sizeof cwd))
		return;
	buf_init(&arguments, TOOL_ARGUMENTS_MAX);
	buf_init(&caller, CALLER_MAX);
	if (tool_arguments_write(&arguments, offer->declaration, args, &error)) {
		write_caller(&caller, request, &pane, cwd);
		provide_call_begin(request, &pane, args->waits,
		    &(struct provide_order){.provider = offer->provider,
			.name = offer->declaration->name,
			.timeout_ms = offer->declaration->timeout_ms,
			.arguments = (const char *)arguments.data,
			.arguments_len = arguments.len,
			.caller = (const char *)caller.data,
			.caller_pid = peer != NULL ? peer_pid(peer) : 0,
			.within = origin->has_within ? origin->within : NULL});
	} else {
		(void)request_fail_field(
		    request, error.field, "%s", error.text + strlen(error.field) + 2);
	}
	buf_finish(&arguments);
	buf_finish(&caller);
}

struct provide_set *provide_call_set_new(
    const struct daemon *daemon, void (*changed)(void *data, bool is_listed), void *data)
{
	struct provide_set *set = provide_set_new(daemon, provide_call_handle, changed, data);
	dispatch_hooks(server_dispatch(daemon->server))->response = provide_flow_response;
	dispatch_hooks(server_dispatch(daemon->server))->response_data = set;
	return set;
}
