/* SPDX-License-Identifier: ISC */
/*
 * A client of a daemon on the event loop: a link whose lines come by callback, with requests that
 * are answered by callback. After a loss it connects again by itself, at growing intervals.
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "client/link.h"

#define CLIENT_UNSENT_MAX ((size_t)16 * 1024 * 1024) /* of requests that the daemon has not read */

struct client;
struct event_base;

/*
 * All data is lent. A handler may ask, pause and end the client, but not free it; only down of a
 * client that does not connect again may. None is called before client_start() has returned.
 */
struct client_handlers {
	void (*up)(void *data);
	/*
	 * Also for each try that failed. error: an errno, such as EPERM if another user listens,
	 * and EMSGSIZE for a line that is too long; 0: the daemon has closed, or client_end().
	 */
	void (*down)(void *data, int error);
	void (*event)(void *data, const struct json *params); /* NULL: no events are wanted */
	/* Takes all lines, without their ends, before they are read; NULL: messages are read. */
	void (*line)(void *data, const char *line, size_t len);
	void *data;
};

struct client_options {
	const char *path; /* of the socket; copied */
	size_t line_max; /* bytes of a line; a longer one ends the link */
	bool is_once; /* does not connect again */
};

/* Never NULL. It connects, without waiting, after client_start(). */
struct client *client_new(struct event_base *base, const struct client_options *options,
    const struct client_handlers *handlers);
void client_free(struct client *client); /* NULL is allowed; requests are not answered any more */
void client_start(struct client *client);
/* Closes the link: down follows, with 0. */
void client_end(struct client *client);

/* Whether the link takes requests: it is there, and does not end as far as is known. */
bool client_is_up(const struct client *client);

/* The text of an error of down. */
const char *client_reason(int error);

/* Takes the response to a request, or NULL if the link was lost before it. Called once. */
typedef void client_answer_fn(void *data, const struct json *response);

/*
 * Asks the daemon. params is JSON text of an object, or NULL. False if the link is down, or
 * CLIENT_UNSENT_MAX bytes are not read.
 */
bool client_ask(struct client *client, const char *method, const char *params,
    client_answer_fn *answer, void *data);
/* How many requests are not answered yet. */
size_t client_pending(const struct client *client);

/* Sends a line with its end. False as client_ask(). */
bool client_write(struct client *client, const void *line, size_t len);

/* While paused nothing is read: the daemon replaces events that have no room by a gap. */
void client_pause(struct client *client, bool is_paused);

#endif
