/* SPDX-License-Identifier: ISC */
/* A host as it is inside: the floor of host_set.c, of its link and of its calls. */
#pragma once

#include "daemon/fleet/host.h"

struct host_set {
	struct host_set_parts parts;
	struct json_reader *reader;
	struct list hosts; /* sorted by name and server */
	struct list removed; /* their processes end */
	size_t count;
};

#define HOST_MUTE_REASON "it does not answer"

/*
 * One connection to the daemon of a host: ssh with muxbus relay, or the socket of a daemon here.
 * Lines go both ways behind the hello. No handler is called before host_link_new() returns. Only
 * ended may free the link.
 */
struct host_link_handlers {
	void (*up)(void *data, const char *version); /* the hello was read; "": it has none */
	void (*line)(void *data, const char *line, size_t len); /* lent, without its end */
	void (*ended)(void *data, const char *reason); /* the last one */
};

struct host_link *host_link_new(struct event_base *base, const struct host_spec *spec,
    const struct host_link_handlers *handlers, void *data);
void host_link_free(struct host_link *link); /* NULL is accepted */

/* Queues a line with its end. False: HOST_QUEUE_BYTES are unread, or the link is not open. */
bool host_link_write(struct host_link *link, const void *line, size_t len);
/* Whether it takes lines. False: it is NULL, the hello is to come, or it ends; ended follows. */
bool host_link_is_open(const struct host_link *link);
/* Ends the link: ended follows, with this reason. */
void host_link_end(struct host_link *link, const char *reason);

void host_calls_free(struct host *host); /* calls no done */
/* The link is up: sends all that wait. */
void host_calls_send(struct host *host);
/* Progress of a call has come. */
void host_calls_progress(struct host *host, const struct json *params);
/* A response has come. */
void host_calls_take(struct host *host, const struct json *message);
/* The link has ended, or an attempt to make it, for which urgent calls waited. */
void host_calls_lost(struct host *host, const char *reason, bool is_attempt);
/* The host is removed: fails all, now. */
void host_calls_end(struct host *host);
/* In the next turn of the loop: done of calls that have failed. */
void host_calls_fail(void *host);
/* Adds a call, and sends it if the host is up. */
struct host_call *host_calls_add(struct host *host, const struct host_order *order);
