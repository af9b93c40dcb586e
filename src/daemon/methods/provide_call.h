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
 * Begins a call for a request, which gets its answer; waits false: the id of the call, whose end is
 * notified. order without handlers and data.
 */
void provide_call_begin(
    struct request *request, const struct pane_ref *pane, bool waits, struct provide_order *order);

/* Passes a report on progress to the peer of a request, in the form that it has asked in. */
void provide_call_progress(struct request *request, const struct request_report *report);

/* A server has connected, by this request: takes up its calls of an earlier daemon (or NULL). */
void provide_call_take_up_all(struct request *request, const struct json *calls);

/* Answers a request whose call does not wait. */
void provide_call_answer_begun(
    struct request *request, const char *id, const struct pane_ref *pane);

/* The providers of a daemon, which has its other parts. changed: as in struct provide_set. */
struct provide_set *provide_call_set_new(
    const struct daemon *daemon, void (*changed)(void *data, bool is_listed), void *data);
