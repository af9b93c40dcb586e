/* SPDX-License-Identifier: ISC */
#include "daemon/provide/provide_exchange.h"

#include "base/process.h"
#include "daemon/deliver/wake.h"
#include "daemon/provide/offer.h"
#include "daemon/provide/provide_program.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "daemon/tool/tool_folder.h"
#include "daemon/tool/tool_kept.h"
#include "io/loop_timer.h"

#define CALLER_MAX (6 * PATH_MAX + 1024) /* bytes of the member caller as JSON */
#define LEFT_MIN_MS 1000 /* minimum time limit of a resumed call */
/* bytes of a report of progress with a short text */
#define LINE_MAX_BYTES (MESSAGE_ID_BYTES + (size_t)16384)

static bool has_calls(const struct provider *provider, bool are_sent)
{
	list_each (const struct provide_call, call, &provider->set->calls.list, link)
		if (call->provider == provider && (call->provider_pid > 0) == are_sent)
			return true;
	return false;
}

static void update_busy(struct provider *provider)
{
	if (provider->program == NULL)
		return;
	provide_program_set_busy(
	    provider->program, provide_calls_open(&provider->set->calls, provider) > 0);
	if (provider->server != NULL && provider->server->is_stale && !has_calls(provider, true) &&
	    has_calls(provider, false))
		provide_program_restart(provider->program);
}

static bool is_ready(const struct provider *provider)
{
	return provider->peer != NULL &&
	    (provider->program == NULL || provide_program_is_ready(provider->program)) &&
	    (provider->server == NULL ||
		(!provider->server->is_stale && !provider->server->is_leaving));
}

static void fail_request(struct request *request, const struct tool_failure *failure)
{
	request_fail(
	    request, failure->error, "%s: %s", request_method(request)->name, failure->text);
}

/* Ends a call. result NULL: it failed. Returns true if the tool server may forget the answer. */
static bool finish(
    struct provide_call *call, const struct json *result, const struct tool_failure *failure)
{
	struct tool_kept_set *kept = call->provider->set->parts->kept_calls;
	bool is_stored = true;
	list_remove(&call->link);
	update_busy(call->provider);
	if (call->request == NULL) {
		is_stored = tool_kept_end(kept, call->kept, result, failure);
	} else if (result == NULL) {
		fail_request(call->request, failure);
	} else {
		method_put_result(request_result(call->request), result);
		request_done(call->request);
	}
	provide_call_free(call);
	return is_stored;
}

void provide_exchange_fail(
    struct provider *provider, bool only_sent, bool is_gone, const char *reason)
{
	struct list *link = provider->set->calls.list.next;
	while (link != &provider->set->calls.list) {
		struct provide_call *call = list_entry(link, struct provide_call, link);
		struct tool_failure failure;
		bool is_sent = call->provider_pid > 0;
		link = link->next;
		if (call->provider != provider || (only_sent && !is_sent))
			continue;
		if (provider->server != NULL)
			(void)tool_fail(&failure,
			    is_sent || is_gone ? MESSAGE_GONE : MESSAGE_TOOL_FAILED, "%s %s%s",
			    provider->title, reason,
			    is_sent ? "; the effect of the call is unknown" : "");
		else
			(void)tool_fail(&failure,
			    is_sent || is_gone ? MESSAGE_GONE : MESSAGE_NOT_READY,
			    "the provider of %s %s", call->name, reason);
		(void)finish(call, NULL, &failure);
		link = provider->set->calls.list.next; /* other calls may have ended meanwhile */
	}
}

bool provide_exchange_program_failed(void *data, const char *reason, bool has_provided)
{
	struct provider *provider = data;
	provide_exchange_fail(provider, has_provided, false, reason);
	return has_calls(provider, false);
}

static void on_timeout(void *data)
{
	struct provide_call *call = data;
	const struct provider *provider = call->provider;
	const char *title = provider->server != NULL ? provider->title : "its provider";
	double sec = (double)(clock_mono_ms() - call->begun_ms) / 1000;
	struct tool_failure failure;
	provide_call_send_cancel(call, provider->peer, "timeout");
	if (call->provider_pid > 0)
		(void)tool_fail(&failure, MESSAGE_TIMEOUT, "%s did not answer within %.10g s%s",
		    title, (double)call->timeout_ms / 1000,
		    provider->server != NULL ? "; the call is cancelled, its effect unknown" : "");
	else if (provider->server != NULL)
		(void)tool_fail(&failure, MESSAGE_TIMEOUT, "%s was not ready within %.10g s", title,
		    (double)call->timeout_ms / 1000);
	else
		(void)tool_fail(&failure, MESSAGE_NOT_READY,
		    "its provider %s did not come within %.3g s", provider->name, sec);
	(void)finish(call, NULL, &failure);
}

static bool send_call(struct provide_call *call, struct tool_failure *ret_failure)
{
	struct provider *provider = call->provider;
	const struct tool_server *server = provider->server;
	char reason[DECLARATION_REASON_SIZE];
	if (server != NULL &&
	    tool_server_list_check(
		&server->list, call->method, call->gives, reason, sizeof reason) < 0)
		return tool_fail(ret_failure, MESSAGE_TOOL_FAILED,
		    "the server \"%s\" does not fit its declaration: %s", server->name, reason);
	if (!provide_call_send(call, provider->peer))
		return tool_fail(ret_failure, MESSAGE_BUSY, "its provider does not read its calls");
	provider->calls++;
	if (provider->server == NULL)
		loop_timer_arm(
		    /* a tool server's time limit has run since the call began */
		    call->timer, call->timeout_ms);
	return true;
}

static int64_t wait_ms(const struct provide_call *call)
{
	return call->timeout_ms < PROVIDE_WAIT_MS || call->provider->server != NULL
	    ? call->timeout_ms
	    : PROVIDE_WAIT_MS;
}

/* Starts the timer of a call, and notes that its provider is busy. */
static void start(struct provide_call *call, int64_t ms)
{
	call->timer = loop_timer_new(call->provider->set->parts->base, on_timeout, call);
	loop_timer_arm(call->timer, ms);
	update_busy(call->provider);
}

static void drop(struct provide_call *call)
{
	struct provider *provider = call->provider;
	provide_call_free(call);
	update_busy(provider);
}

static struct provide_call *begin(struct provide_set *set, const struct provide_order *order,
    const char *kept, struct tool_failure *ret_failure)
{
	struct provider *provider = order->provider;
	struct provide_call *call;
	unsigned depth;
	if (provider == NULL) {
		(void)tool_fail(ret_failure, MESSAGE_GONE, "its provider has ended");
		return NULL;
	}
	if (!provide_calls_admit(&set->calls, provider, order, &depth, ret_failure))
		return NULL;
	call = provide_call_new(&set->calls, order, kept);
	call->depth = depth;
	start(call, wait_ms(call));
	if (!is_ready(provider)) {
		provide_program_need(provider->program);
	} else if (!send_call(call, ret_failure)) {
		drop(call);
		return NULL;
	}
	return call;
}

static void on_cancelled(void *data)
{
	struct provide_call *call = data;
	provide_call_send_cancel(call, call->provider->peer, "the caller has left");
	drop(call);
}

void provide_exchange_answer_begun(
    struct request *request, const char *id, const struct pane_ref *pane)
{
	json_put_str(request_result(request), "id", id);
	wake_write(request, "Started, see get_tool_answer.", id, pane);
	request_done(request);
}

void provide_exchange_begin(struct request *request, const struct pane_ref *pane, bool waits,
    const struct provide_order *order)
{
	struct daemon *daemon = request_daemon(request);
	char kept[NOTIFICATION_ID_SIZE] = "";
	struct tool_failure failure;
	struct provide_call *call;
	if (!waits)
		tool_kept_begin(daemon->kept_calls, order->name, pane, kept);
	call = begin(daemon->provides, order, kept, &failure);
	if (call == NULL) {
		fail_request(request, &failure);
		if (!waits)
			tool_kept_drop(daemon->kept_calls, kept);
	} else if (waits) {
		call->request = request;
		request_on_cancel(
		    request, on_cancelled, call, "the peer has gone; the call is cancelled");
	} else {
		provide_exchange_answer_begun(request, kept, pane);
	}
}

static int64_t left_ms(const char *tool, int64_t begun_ms)
{
	const struct method *method = method_find(tool);
	int64_t left = LEFT_MIN_MS - clock_since_ms(begun_ms);
	if (method != NULL && method->group != NULL && tool_of(method) != NULL)
		left += tool_of(method)->declaration->timeout_ms;
	return left > LEFT_MIN_MS ? left : LEFT_MIN_MS;
}

/* Continues a call of an earlier daemon that is still awaited; the peer is its tool server. */
static void take_up(struct request *request, const char *kept, const char *id)
{
	struct daemon *daemon = request_daemon(request);
	struct peer *peer = request_peer(request);
	struct provider *provider = provider_find(daemon->provides, peer);
	struct provide_order order = {.provider = provider};
	struct provide_call *call;
	int64_t begun_ms;
	order.name = tool_kept_awaited(daemon->kept_calls, kept, &begun_ms);
	if (order.name == NULL || provider == NULL || provider->server == NULL)
		return;
	order.server = provider->title;
	order.timeout_ms = left_ms(order.name, begun_ms);
	call = provide_call_take_up(&provider->set->calls, &order, kept, id, peer_pid(peer));
	if (call == NULL)
		return;
	start(call, order.timeout_ms);
	tool_kept_take_up(daemon->kept_calls, kept);
}

void provide_exchange_take_up_all(struct request *request, const struct json *calls)
{
	json_each (value, calls)
		take_up(request, json_get_str(value, "kept", ""), json_get_str(value, "id", ""));
}

/* Writes the member caller of a call. */
static void write_caller(
    struct buf *out, struct request *request, const struct pane_ref *pane, const char *cwd)
{
	struct peer *peer = request_peer(request);
	struct json_writer writer;
	char name[64];
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	if (pane->pane != MUXBUS_NO_ID)
		json_put_id(&writer, "pane", '%', pane->pane);
	if (peer != NULL)
		json_put_int(&writer, "pid", peer_pid(peer));
	if (peer != NULL && process_read(peer_pid(peer), "comm", name, sizeof name) > 0)
		(void)json_put_text(&writer, "program", name, strcspn(name, "\n"));
	json_put_str(&writer, "role", role_names[request_role(request)]);
	json_put_str(&writer, "cwd", cwd);
	json_object_end(&writer);
}

void provide_exchange_handle(struct request *request, const void *data)
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
		provide_exchange_begin(request, &pane, args->waits,
		    &(struct provide_order){.provider = offer->provider,
			.name = offer->declaration->name,
			.timeout_ms = offer->declaration->timeout_ms,
			.arguments = (const char *)arguments.data,
			.arguments_len = arguments.len,
			.caller = (const char *)caller.data,
			.caller_pid = peer != NULL ? peer_pid(peer) : 0,
			.within = origin->has_within ? origin->within : NULL});
	} else {
		dispatch_refuse(request, &error);
	}
	buf_finish(&arguments);
	buf_finish(&caller);
}

void provide_exchange_resume(struct provider *provider)
{
	struct list *link = provider->set->calls.list.next;
	update_busy(provider); /* calls may have begun before the program was ready */
	while (link != &provider->set->calls.list) {
		struct provide_call *call = list_entry(link, struct provide_call, link);
		struct tool_failure failure;
		link = link->next;
		if (call->provider != provider || call->provider_pid > 0 ||
		    send_call(call, &failure))
			continue;
		(void)finish(call, NULL, &failure);
		link = provider->set->calls.list.next;
	}
}

bool provide_exchange_response(void *data, struct peer *peer, const struct json *id,
    const struct json *response, const char *reason)
{
	struct provide_set *set = data;
	struct provider *provider = provider_find(set, peer);
	const struct json *result = NULL;
	struct tool_failure failure;
	struct provide_call *call;
	char given[PROVIDE_ID_SIZE];
	bool is_kept;
	if (provider == NULL)
		return false;
	(void)snprintf(given, sizeof given, "%s", id->type == JSON_STRING ? id->text : "");
	call = provide_calls_find(&set->calls, provider, given);
	if (call == NULL) {
		/* such as the answer to a call of an earlier daemon, or to a call that has ended */
		provide_call_send_stored(provider, given);
		if (response != NULL && ++provider->strays >= PROVIDE_STRAYS_MAX)
			peer_disconnect(peer, "it answers calls that it does not have");
		return false;
	}
	is_kept = call->request == NULL;
	provider->strays = 0;
	if (provide_call_check(call, response, reason, &result, &failure) &&
	    provider->server != NULL)
		provide_program_note_work(provider->program);
	if (finish(call, result, &failure) && is_kept)
		provide_call_send_stored(provider, given);
	return true;
}

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
	json_put_given(&writer, "text", report->text);
	if (report->has_done)
		json_put_double(&writer, "done", report->done);
	if (report->has_of)
		json_put_double(&writer, "of", report->of);
	message_end_notice(&writer);
	if (!writer.is_cut)
		(void)peer_send_line(peer, (const char *)line.data, line.len);
	buf_finish(&line);
}

void provide_exchange_report(struct request *request, const struct request_report *report)
{
	if (request_is_formatted(request))
		request_progress(request, report);
	else
		pass_line(request, report);
}

void provide_exchange_progress(const struct provide_set *set, const struct peer *peer,
    const char *id, const struct request_report *report)
{
	const struct provider *provider = provider_find(set, peer);
	struct provide_call *call =
	    provider != NULL ? provide_calls_find(&set->calls, provider, id) : NULL;
	if (call != NULL && provide_call_takes_progress(call))
		provide_exchange_report(call->request, report);
}
