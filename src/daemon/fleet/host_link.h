/* SPDX-License-Identifier: ISC */
/*
 * One connection to the daemon of a host: ssh with muxbus relay, or the socket of a daemon here.
 * Lines go both ways behind the hello.
 */
#ifndef DAEMON_FLEET_HOST_LINK_H
#define DAEMON_FLEET_HOST_LINK_H

#include <stdbool.h>
#include <stddef.h>

struct event_base;
struct host_link;
struct host_spec;

/* No handler is called before host_link_new() returns. Only ended may free the link. */
struct host_link_handlers {
	void (*up)(void *data, const char *version); /* the hello was read; "": it has none */
	void (*line)(void *data, const char *line, size_t len); /* lent, without its end */
	void (*ended)(void *data, const char *reason); /* the last one */
};

struct host_link *host_link_new(struct event_base *base, const struct host_spec *spec,
    const struct host_link_handlers *handlers, void *data);
/* NULL is accepted. */
void host_link_free(struct host_link *link);

/* Queues a line with its end. False: HOST_QUEUE_BYTES are unread, or the link ends. */
bool host_link_write(struct host_link *link, const void *line, size_t len);

/* Whether it takes lines. False: the hello is to come, or the link ends, and ended follows. */
bool host_link_is_open(const struct host_link *link);

/* Ends the link: ended follows, with this reason. */
void host_link_end(struct host_link *link, const char *reason);

#endif
