/* SPDX-License-Identifier: ISC */
/*
 * Calls on their way: from a row to its provider, and the answer back. A call whose program is not
 * there waits for it, at most PROVIDE_WAIT_MS. Handlers are called from the event loop, or while the
 * line of another peer is handled, never from within provide_flow_begin().
 */
#pragma once

#include "daemon/provide/provider.h"

/* Begins a call. NULL with a failure. The call is lent until done, or it is cancelled. */
struct provide_call *provide_flow_begin(
    struct provide_set *set, const struct provide_order *order, struct tool_failure *ret_failure);
/*
 * Takes up a call of an earlier daemon, with what is left of its time, which the server of a peer has
 * under an id. False: it is known, or the peer is no server.
 */
bool provide_flow_take_up(
    struct provide_set *set, const struct peer *peer, const char *id, struct provide_order *order);
/* The caller has gone: the provider hears of it, and done is not called. */
void provide_flow_cancel(struct provide_call *call);

/* A response of a peer; as dispatch_response_fn, with a set as data. */
bool provide_flow_response(void *set, struct peer *peer, const struct json *id,
    const struct json *response, const char *reason);

/* Passes on a report of a call, by its id; drops one that fits no call, or comes too soon. */
void provide_flow_progress(const struct provide_set *set, const struct peer *peer, const char *id,
    const struct request_report *report);

/*
 * Fails the open calls of a provider that were sent, or all of them: as gone, but for those of
 * is_gone false that were not sent. reason: a verb with why.
 */
void provide_flow_fail(struct provider *provider, bool only_sent, bool is_gone, const char *reason);
/* As failed of struct provide_program_parts: what had provided is started for calls that wait. */
bool provide_flow_program_failed(void *provider, const char *reason, bool has_provided);
/* The program of a file has come: sends the calls that wait for it. */
void provide_flow_resume(struct provider *provider);
