/* SPDX-License-Identifier: ISC */
/*
 * The link to muxbusd: requests and events as JSON lines over its socket, on the event loop. The
 * link connects again by itself after a loss.
 */
#ifndef NATS_LINK_H
#define NATS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/json.h"

#define LINK_LINE_MAX ((size_t)64 * 1024 * 1024) /* the daemon's largest line */
#define LINK_UNSENT_MAX ((size_t)16 * 1024 * 1024) /* of requests; more ends the link */

struct event_base;
struct link;

/* All data is lent. A handler may ask, and may pause the link, but not free it. */
struct link_handlers {
	void (*up)(void *data);
	void (*down)(void *data, const char *reason); /* also for each try that failed */
	void (*event)(void *data, const struct json *params); /* NULL: no events are wanted */
	void *data;
};

/* Takes the response to a request, or NULL if the link was lost before it. Called once. */
typedef void link_answer_fn(void *data, const struct json *response);

struct link *link_new(
    struct event_base *base, const char *socket, const struct link_handlers *handlers);
void link_free(struct link *link); /* NULL is allowed; requests are not answered any more */
void link_start(struct link *link);
bool link_is_up(const struct link *link);

/* Asks the daemon. params is JSON text of an object, or NULL. False if the link is down. */
bool link_ask(
    struct link *link, const char *method, const char *params, link_answer_fn *answer, void *data);
/* How many requests are not answered yet. */
size_t link_pending(const struct link *link);

/* While paused nothing is read: the daemon replaces events that have no room by a gap. */
void link_pause(struct link *link, bool is_paused);

#endif
