/* SPDX-License-Identifier: ISC */
/* A link to a daemon on an event loop. A lost connection is made again, unless is_once is set. */
#pragma once

#include "client/link.h"

#define LOOP_LINK_UNSENT_MAX \
	((size_t)16 * 1024 * 1024) /* bytes of the queue, unless one line is longer */

struct event_base;

/*
 * Arguments are lent to the handlers. Only down() may free the link, and only if is_once is set. No
 * handler is called before loop_link_start() returns.
 */
struct loop_link_handlers {
	void (*up)(void *data);
	/*
	 * An attempt to connect failed, or the connection is lost. error is an errno (EMSGSIZE: a
	 * line was too long), or 0: the daemon has closed it, or loop_link_end() was called.
	 */
	void (*down)(void *data, int error);
	void (*event)(void *data, const struct json *params); /* NULL: events are ignored */
	/* If not NULL, gets each line without its newline; event() and answers do not. */
	void (*line)(void *data, const char *line, size_t len);
	void *data;
};

struct loop_link_options {
	const char *path; /* of the socket; copied */
	size_t line_max; /* the longest line in bytes; a longer line ends the connection */
	bool is_once; /* do not connect again */
};

/* Never returns NULL. The link connects, without blocking, after loop_link_start(). */
struct loop_link *loop_link_new(struct event_base *base, const struct loop_link_options *options,
    const struct loop_link_handlers *handlers);
void loop_link_free(
    struct loop_link *link); /* open requests are dropped without an answer; NULL is allowed */
void loop_link_start(struct loop_link *link);
/* Ends the connection from the event loop, and calls down() there with error 0. */
void loop_link_end(struct loop_link *link);

/* Returns true if the link takes requests: it is connected and not known to end. */
bool loop_link_is_up(const struct loop_link *link);

/* Returns the text of an error of down(), lent until the next call. */
const char *loop_link_reason(int error);

/* Takes the response, once; NULL: the connection ended. loop_link_free() does not call this. */
typedef void loop_link_answer_fn(void *data, const struct json *response);

/*
 * Sends a request. params is the text of a JSON object, or NULL. Returns false, without a call of
 * answer(), if the link is down or the queue has no room.
 */
bool loop_link_ask(struct loop_link *link, const char *method, const char *params,
    loop_link_answer_fn *answer, void *data);

/* Sends a line, which includes its newline. Returns false in the same cases as loop_link_ask(). */
bool loop_link_write(struct loop_link *link, const void *line, size_t len);

/*
 * Sends a line, and waits while there is no room. If sending fails, or the daemon does not read
 * within LINK_SEND_TIMEOUT_MS, the link ends. If the link is down, the line is lost.
 */
void loop_link_write_all(struct loop_link *link, const void *line, size_t len);

/*
 * Pauses or resumes reading on the present connection. While nothing is read, the daemon replaces
 * events by a gap, and may in the end disconnect us.
 */
void loop_link_pause(struct loop_link *link, bool is_paused);
