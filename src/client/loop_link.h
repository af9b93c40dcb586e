/* SPDX-License-Identifier: ISC */
/*
 * A link to a daemon on an event loop: lines come by callback, requests are
 * answered by callback. After a loss it connects again by itself, at growing intervals.
 */
#pragma once

#include "client/link.h"

#define LOOP_LINK_UNSENT_MAX \
	((size_t)16 * 1024 * 1024) /* of requests that the daemon has not read */

struct event_base;

/*
 * All data is lent. A handler may ask, pause and end the link. No handler may free the link, but
 * for down() of a link that does not connect again. loop_link_start() returns before the first
 * call.
 */
struct loop_link_handlers {
	void (*up)(void *data);
	/*
	 * Also for each try that failed. error: an errno, such as EPERM if another user listens,
	 * and EMSGSIZE for a line that is too long; 0: the daemon has closed, or loop_link_end().
	 */
	void (*down)(void *data, int error);
	void (*event)(void *data, const struct json *params); /* NULL: no events are wanted */
	/* Takes all lines, without their ends, before they are read; NULL: messages are read. */
	void (*line)(void *data, const char *line, size_t len);
	void *data;
};

struct loop_link_options {
	const char *path; /* of the socket; copied */
	size_t line_max; /* bytes of a line; a longer one ends the link */
	bool is_once; /* does not connect again */
};

/* Never NULL. It connects, without waiting, after loop_link_start(). */
struct loop_link *loop_link_new(struct event_base *base, const struct loop_link_options *options,
    const struct loop_link_handlers *handlers);
void loop_link_free(
    struct loop_link *link); /* NULL is allowed; requests are not answered any more */
void loop_link_start(struct loop_link *link);
/* Closes the link: down follows, with 0. */
void loop_link_end(struct loop_link *link);

/* Whether the link takes requests: it is there, and does not end as far as is known. */
bool loop_link_is_up(const struct loop_link *link);

/* The text of an error of down. */
const char *loop_link_reason(int error);

/* Takes the response to a request, or NULL if the link was lost before it. Called once. */
typedef void loop_link_answer_fn(void *data, const struct json *response);

/*
 * Asks the daemon. params is JSON text of an object, or NULL. False if the link is down, or
 * LOOP_LINK_UNSENT_MAX bytes are not read.
 */
bool loop_link_ask(struct loop_link *link, const char *method, const char *params,
    loop_link_answer_fn *answer, void *data);
/* How many requests are not answered yet. */
size_t loop_link_pending(const struct loop_link *link);

/* Sends a line with its end. False as loop_link_ask(). */
bool loop_link_write(struct loop_link *link, const void *line, size_t len);

/* While paused nothing is read: the daemon replaces events that have no room by a gap. */
void loop_link_pause(struct loop_link *link, bool is_paused);
