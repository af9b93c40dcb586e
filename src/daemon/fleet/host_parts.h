/* SPDX-License-Identifier: ISC */
/* Internals of hosts, shared by host_set.c, host_link.c and host_call.c. */
#pragma once

#include "daemon/fleet/host.h"

struct host_set {
	struct host_set_parts parts;
	struct json_reader *reader;
	struct list hosts; /* sorted by name and server */
	struct list removed; /* removed hosts whose links have not ended */
	size_t count;
};

#define HOST_MUTE_REASON "it does not answer"

/*
 * A link: a connection to a host's daemon, by an ssh that runs "muxbus relay", or by the socket of
 * a daemon on this machine. The relay first sends a line, the hello. No handler is called before
 * host_link_new() returns. Of the handlers, only `ended` may free the link.
 */
struct host_link_handlers {
	/* the link is open; version is "" for a daemon on this machine */
	void (*up)(void *data, const char *version);
	/* line has no newline, and is valid only during the call */
	void (*line)(void *data, const char *line, size_t len);
	void (*ended)(void *data, const char *reason); /* the last call */
};

struct host_link *host_link_new(struct event_base *base, const struct host_spec *spec,
    const struct host_link_handlers *handlers, void *data);
void host_link_free(struct host_link *link); /* link may be NULL */

/* Queues a line. Returns false if the link is not open, or its queue is full. */
bool host_link_write(struct host_link *link, const void *line, size_t len);
/* Returns true if the link is open and not ending. link may be NULL. */
bool host_link_is_open(const struct host_link *link);
/* Ends the link. `ended` is called later, with this reason unless the link was ending already. */
void host_link_end(struct host_link *link, const char *reason);

void host_calls_free(struct host *host); /* without calling done() */
/* Sends the calls that wait for the link. Call this when the link is up. */
void host_calls_send(struct host *host);
void host_calls_progress(struct host *host, const struct json *params);
void host_calls_take(struct host *host, const struct json *message);
/* Call this when the link is lost. is_attempt: it was never up, so urgent calls fail. */
void host_calls_lost(struct host *host, const char *reason, bool is_attempt);
void host_calls_end(struct host *host);
/* Calls done() for the calls that have failed. host is a struct host. */
void host_calls_fail(void *host);
/* Adds a call, and sends it if the host is up; fails it if the host has too many. */
struct host_call *host_calls_add(struct host *host, const struct host_order *order);
