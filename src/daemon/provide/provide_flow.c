/* SPDX-License-Identifier: ISC */
#include "daemon/provide/provide_flow.h"

#include "daemon/provide/provide_program.h"
#include "daemon/provide/tool_server.h"
#include "daemon/server/peer.h"
#include "io/loop_timer.h"

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

/* Returns true if calls can be sent to a provider now. */
static bool is_ready(const struct provider *provider)
{
	return provider->peer != NULL &&
	    (provider->program == NULL || provide_program_is_ready(provider->program)) &&
	    (provider->server == NULL ||
		(!provider->server->is_stale && !provider->server->is_leaving));
}

static void finish(struct provide_call *call, const struct provide_answer *answer)
{
	struct provider *provider = call->provider;
	const struct provide_handlers *handlers = call->handlers;
	void *data = call->data;
	provide_call_free(call);
	update_busy(provider);
	handlers->done(data, answer);
}

static void fail(struct provide_call *call, const struct tool_failure *failure)
{
	finish(call, &(struct provide_answer){.failure = failure});
}

void provide_flow_fail(struct provider *provider, bool only_sent, bool is_gone, const char *reason)
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
		fail(call, &failure);
		link = provider->set->calls.list.next; /* done() may have ended other calls */
	}
}

bool provide_flow_program_failed(void *data, const char *reason, bool has_provided)
{
	struct provider *provider = data;
	provide_flow_fail(provider, has_provided, false, reason);
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
	fail(call, &failure);
}

/* Sends a call. Returns false with a failure if the provider does not read, or lacks the tool. */
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
		    call->timer, call->timeout_ms); /* a server's limit runs since the call began */
	return true;
}

/* Returns how long a call may wait for its provider to connect. */
static int64_t wait_ms(const struct provide_call *call)
{
	return call->timeout_ms < PROVIDE_WAIT_MS || call->provider->server != NULL
	    ? call->timeout_ms
	    : PROVIDE_WAIT_MS;
}

struct provide_call *provide_flow_begin(
    struct provide_set *set, const struct provide_order *order, struct tool_failure *ret_failure)
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
	call = provide_call_new(&set->calls, order);
	call->depth = depth;
	call->timer = loop_timer_new(set->parts->base, on_timeout, call);
	loop_timer_arm(call->timer, wait_ms(call));
	update_busy(provider);
	if (!is_ready(provider)) {
		provide_program_need(provider->program);
	} else if (!send_call(call, ret_failure)) {
		provide_call_free(call);
		update_busy(provider);
		return NULL;
	}
	return call;
}

bool provide_flow_take_up(
    struct provide_set *set, const struct peer *peer, const char *id, struct provide_order *order)
{
	struct provider *provider = provider_find(set, peer);
	struct provide_call *call;
	if (provider == NULL || provider->server == NULL)
		return false;
	order->provider = provider;
	order->server = provider->title;
	call = provide_call_take_up(&set->calls, order, id, peer_pid(peer));
	if (call == NULL)
		return false;
	call->timer = loop_timer_new(set->parts->base, on_timeout, call);
	loop_timer_arm(call->timer, order->timeout_ms);
	update_busy(provider);
	return true;
}

void provide_flow_cancel(struct provide_call *call)
{
	struct provider *provider = call->provider;
	provide_call_send_cancel(call, provider->peer, "the caller has left");
	provide_call_free(call);
	update_busy(provider);
}

void provide_flow_resume(struct provider *provider)
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
		fail(call, &failure);
		link = provider->set->calls.list.next;
	}
}

bool provide_flow_response(void *data, struct peer *peer, const struct json *id,
    const struct json *response, const char *reason)
{
	struct provide_set *set = data;
	struct provider *provider = provider_find(set, peer);
	struct provide_answer answer = {0};
	struct tool_failure failure;
	struct provide_call *call;
	if (provider == NULL)
		return false;
	call = id->type == JSON_STRING ? provide_calls_find(&set->calls, provider, id->text) : NULL;
	if (call == NULL) {
		if (response != NULL && ++provider->strays >= PROVIDE_STRAYS_MAX)
			peer_disconnect(peer, "it answers calls that it does not have");
		return false;
	}
	provider->strays = 0;
	if (!provide_call_check(call, response, reason, &answer.result, &failure))
		answer.failure = &failure;
	else if (provider->server != NULL)
		provide_program_note_work(provider->program);
	finish(call, &answer);
	return true;
}

void provide_flow_progress(const struct provide_set *set, const struct peer *peer, const char *id,
    const struct request_report *report)
{
	const struct provider *provider = provider_find(set, peer);
	struct provide_call *call =
	    provider != NULL ? provide_calls_find(&set->calls, provider, id) : NULL;
	if (call != NULL && provide_call_takes_progress(call))
		call->handlers->progressed(call->data, report);
}
