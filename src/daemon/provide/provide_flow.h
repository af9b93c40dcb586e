/* SPDX-License-Identifier: ISC */
/*
 * Calls on their way: from a row to its provider, and the answer back. A call waits until its
 * program has connected, at most PROVIDE_WAIT_MS. Handlers are called from the event loop, or while
 * the line of another peer is handled, never from within provide_flow_begin().
 */
#pragma once

#include "daemon/provide/provider.h"

/* Begins a call, valid until done() or provide_flow_cancel(). Returns NULL with a failure. */
struct provide_call *provide_flow_begin(
    struct provide_set *set, const struct provide_order *order, struct tool_failure *ret_failure);
/*
 * Resumes a call of an earlier daemon that the server of a peer runs under this id. timeout_ms of
 * the order is the time that the call has left. Returns false if the call is known already, or if
 * the peer is not a server of tools.
 */
bool provide_flow_take_up(
    struct provide_set *set, const struct peer *peer, const char *id, struct provide_order *order);
/* Cancels a call, as when its caller has disconnected. Tells the provider; does not call done(). */
void provide_flow_cancel(struct provide_call *call);

/* Handles a response of a peer; a dispatch_response_fn whose data is a set. */
bool provide_flow_response(void *set, struct peer *peer, const struct json *id,
    const struct json *response, const char *reason);

/* Passes on a progress report of a call. Drops reports of unknown calls, and too frequent ones. */
void provide_flow_progress(const struct provide_set *set, const struct peer *peer, const char *id,
    const struct request_report *report);

/*
 * Fails the open calls of a provider or, if only_sent, the calls that were sent. Calls that were
 * sent fail as gone. Others fail as not_ready, or as tool_failed for a server of tools; as gone if
 * is_gone. reason: a verb and why, as "has connected again".
 */
void provide_flow_fail(struct provider *provider, bool only_sent, bool is_gone, const char *reason);
/* The handler "failed" of a program's parts. Returns true if calls wait for the next start. */
bool provide_flow_program_failed(void *provider, const char *reason, bool has_provided);
/* Sends the calls that wait for the program of a provider. Call when the program is ready. */
void provide_flow_resume(struct provider *provider);
