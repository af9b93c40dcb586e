/* SPDX-License-Identifier: ISC */
/* A call waits until its program has connected, at most PROVIDE_WAIT_MS. */
#pragma once

#include "daemon/provide/provider.h"

struct request_report;

/* The handler of all rows of providers. args: a struct declaration_args, then the row's values. */
void provide_exchange_handle(struct request *request, const void *args);

/* waits: the request gets the call's answer; else the call's id, and the end is notified. */
void provide_exchange_begin(struct request *request, const struct pane_ref *pane, bool waits,
    const struct provide_order *order);
/* For a request whose call does not wait. */
void provide_exchange_answer_begun(
    struct request *request, const char *id, const struct pane_ref *pane);

/* request: provide, from the server. calls: those that the server has; NULL: none. */
void provide_exchange_take_up_all(struct request *request, const struct json *calls);

/* A dispatch_response_fn whose data is a set. */
bool provide_exchange_response(void *set, struct peer *peer, const struct json *id,
    const struct json *response, const char *reason);

/* Passes on a progress report of a call. Drops reports of unknown calls, and too frequent ones. */
void provide_exchange_progress(const struct provide_set *set, const struct peer *peer,
    const char *id, const struct request_report *report);
/* Sends a progress report to the peer of a request, in the peer's protocol. */
void provide_exchange_report(struct request *request, const struct request_report *report);

/*
 * Fails the open calls of a provider or, if only_sent, the calls that were sent, which fail as
 * gone. Others fail as not_ready, or as tool_failed for a server of tools; as gone if is_gone.
 * reason: a verb and why, as "has connected again".
 */
void provide_exchange_fail(
    struct provider *provider, bool only_sent, bool is_gone, const char *reason);
/* The handler "failed" of a program's parts. Returns true if calls wait for the next start. */
bool provide_exchange_program_failed(void *provider, const char *reason, bool has_provided);
/* Sends the calls that wait for the program of a provider, which is ready. */
void provide_exchange_resume(struct provider *provider);

/* Calls of declared tools: tool_call.c. */

/* args is a struct declaration_args, followed by the values of the declared fields. */
void tool_call_handle(struct request *request, const void *args);

/* The result is that of a job that has ended and is a call of a tool. */
void tool_call_answer(struct request *request, const struct job_set *jobs, const struct job *job);
