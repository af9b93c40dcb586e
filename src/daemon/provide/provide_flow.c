/* SPDX-License-Identifier: ISC */
/* The ways of calls: to the provider, and back. */
#include "daemon/provide/provide_flow.h"

#include "base/clock.h"
#include "daemon/provide/offer.h"
#include "daemon/provide/provide_program.h"
#include "daemon/server/peer.h"
#include "io/loop_timer.h"

static void update_busy(struct provider *provider)
{
	if (provider->program != NULL)
		provide_program_set_busy(
		    provider->program, provide_calls_open(&provider->set->calls, provider) > 0);
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

void provide_flow_fail(struct provider *provider, bool only_sent, const char *reason)
{
	struct list *link = provider->set->calls.list.next;
	while (link != &provider->set->calls.list) {
		struct provide_call *call = list_entry(link, struct provide_call, link);
		struct tool_failure failure;
		link = link->next;
		if (call->provider != provider || (only_sent && call->provider_pid == 0))
			continue;
		(void)tool_fail(&failure, call->provider_pid > 0 ? MESSAGE_GONE : MESSAGE_NOT_READY,
		    "the provider of %s %s", call->name, reason);
		fail(call, &failure);
		link = provider->set->calls.list.next; /* done may have ended others */
	}
}

static void on_timeout(void *data)
{
	struct provide_call *call = data;
	const struct provider *provider = call->provider;
	struct tool_failure failure;
	provide_call_send_cancel(call, provider->peer);
	if (call->provider_pid > 0)
		(void)tool_fail(&failure, MESSAGE_TIMEOUT,
		    "its provider did not answer within %.3g s", (double)call->timeout_ms / 1000);
	else
		(void)tool_fail(&failure, MESSAGE_NOT_READY,
		    "its provider %s did not come within %.3g s", provider->name,
		    (double)(clock_mono_ms() - call->begun_ms) / 1000);
	fail(call, &failure);
}

/* Sends a call. False: the provider does not read. */
static bool send_call(struct provide_call *call)
{
	if (!provide_call_send(call, call->provider->peer))
		return false;
	call->provider->calls++;
	loop_timer_arm(call->timer, call->timeout_ms);
	return true;
}

struct provide_call *provide_flow_begin(struct provide_set *set, const struct method *method,
    const struct provide_order *order, struct tool_failure *ret_failure)
{
	const struct offer *offer = offer_of(method);
	struct provider *provider = offer->provider;
	struct provide_call *call;
	unsigned depth;
	if (provider == NULL) {
		(void)tool_fail(ret_failure, MESSAGE_GONE, "its provider has ended");
		return NULL;
	}
	if (!provide_calls_admit(&set->calls, provider, order, &depth, ret_failure))
		return NULL;
	call = provide_call_new(&set->calls, offer->declaration->name, order);
	call->provider = provider;
	call->depth = depth;
	call->timeout_ms = offer->declaration->timeout_ms;
	call->timer = loop_timer_new(set->parts.base, on_timeout, call);
	update_busy(provider);
	if (provider->peer == NULL) {
		loop_timer_arm(call->timer,
		    call->timeout_ms < PROVIDE_WAIT_MS ? call->timeout_ms : PROVIDE_WAIT_MS);
		provide_program_need(provider->program);
	} else if (!send_call(call)) {
		(void)tool_fail(ret_failure, MESSAGE_BUSY, "its provider does not read its calls");
		provide_call_free(call);
		update_busy(provider);
		return NULL;
	}
	return call;
}

void provide_flow_cancel(struct provide_call *call)
{
	struct provider *provider = call->provider;
	provide_call_send_cancel(call, provider->peer);
	provide_call_free(call);
	update_busy(provider);
}

void provide_flow_resume(struct provider *provider)
{
	struct list *link = provider->set->calls.list.next;
	update_busy(provider); /* its program was not there when they began */
	while (link != &provider->set->calls.list) {
		struct provide_call *call = list_entry(link, struct provide_call, link);
		struct tool_failure failure;
		link = link->next;
		if (call->provider != provider || call->provider_pid > 0 || send_call(call))
			continue;
		(void)tool_fail(&failure, MESSAGE_BUSY, "its provider does not read its calls");
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
		if (response != NULL && ++provider->strays > PROVIDE_STRAYS_MAX)
			peer_disconnect(peer, "it answers calls that it does not have");
		return false;
	}
	provider->strays = 0;
	if (!provide_call_check(response, reason, &answer.result, &failure))
		answer.failure = &failure;
	finish(call, &answer);
	return true;
}

void provide_flow_progress(const struct provide_set *set, const struct peer *peer, const char *id,
    const struct provide_report *report)
{
	const struct provider *provider = provider_find(set, peer);
	struct provide_call *call =
	    provider != NULL ? provide_calls_find(&set->calls, provider, id) : NULL;
	if (call != NULL && provide_call_takes_progress(call))
		call->handlers->progressed(call->data, report);
}
