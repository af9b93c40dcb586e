/* SPDX-License-Identifier: ISC */
/*
 * Exchanges with providers: from the request for a provided method to its answer. A call waits for
 * the connection of its program at most PROVIDE_WAIT_MS, or its own time limit if that is shorter.
 * A call of a tool server waits for its own time limit.
 */
#pragma once

#include "daemon/provide/provider.h"

struct request_report;

/* The handler of providers' rows. args: struct declaration_args, then the fields' values. */
void provide_exchange_handle(struct request *request, const void *args);

/* Begins a call, or fails request. waits: it gets the answer; else an id, and the end notifies. */
void provide_exchange_begin(struct request *request, const struct pane_ref *pane, bool waits,
    const struct provide_order *order);
/* Answers with the id of a call that has begun and that the request does not wait for. */
void provide_exchange_answer_begun(
    struct request *request, const char *id, const struct pane_ref *pane);

/*
 * Continues calls of an earlier daemon. request: a request provide from a tool server. calls: those
 * that the server still has; NULL: none.
 */
void provide_exchange_take_up_all(struct request *request, const struct json *calls);

/* Takes the response of a provider: as response() of struct dispatch_hooks. */
bool provide_exchange_response(void *set, struct peer *peer, const struct json *id,
    const struct json *response, const char *reason);

/* Passes a report of progress on. Drops it if no request waits for the call, or if too frequent. */
void provide_exchange_progress(const struct provide_set *set, const struct peer *peer,
    const char *id, const struct request_report *report);
/* Sends a report of progress to the peer of a request, in the peer's protocol. */
void provide_exchange_report(struct request *request, const struct request_report *report);

/*
 * Fails the open calls of a provider; only_sent: only those that were sent. Calls that were sent
 * fail as gone. Others fail as gone if is_gone, else as tool_failed for a tool server, or
 * not_ready. reason: a verb and why, as "has connected again".
 */
void provide_exchange_fail(
    struct provider *provider, bool only_sent, bool is_gone, const char *reason);
/* For failed() of struct provide_program_parts. Returns true if calls wait for the next start. */
bool provide_exchange_program_failed(void *provider, const char *reason, bool has_provided);
/* Sends the calls that wait for a provider's program, or fails them. Call this when it is ready. */
void provide_exchange_resume(struct provider *provider);

/* Calls of declared tools are in tool_call.c. */

/* The handler of declared tools. args: struct declaration_args, then the fields' values. */
void tool_call_handle(struct request *request, const void *args);

/* Answers with the result of a job that has ended and is the call of a tool. */
void tool_call_answer(struct request *request, const struct job *job);
