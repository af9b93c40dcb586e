/* SPDX-License-Identifier: ISC */
/* Calls of provided methods: the handler of all their rows. */
#pragma once

#include "base/base.h"

struct daemon;
struct json;
struct pane_ref;
struct provide_order;
struct request;
struct request_report;

/*
 * Begins a call for a request. If waits, the request gets the call's answer; else at once the
 * call's id, and the end is notified. order has neither handlers nor data.
 */
void provide_call_begin(
    struct request *request, const struct pane_ref *pane, bool waits, struct provide_order *order);

/* Sends a progress report to the peer of a request, in the peer's protocol. */
void provide_call_progress(struct request *request, const struct request_report *report);

/* A server has connected with this request: resumes its calls of an earlier daemon (NULL: none). */
void provide_call_take_up_all(struct request *request, const struct json *calls);

/* Answers a request whose call does not wait. */
void provide_call_answer_begun(
    struct request *request, const char *id, const struct pane_ref *pane);

/* Makes the providers of a daemon, whose other parts exist. changed: as in struct provide_set. */
struct provide_set *provide_call_set_new(
    const struct daemon *daemon, void (*changed)(void *data, bool is_listed), void *data);
