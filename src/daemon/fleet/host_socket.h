/* SPDX-License-Identifier: ISC */
/* A connection to the socket of a daemon on this machine: lines in and out, never blocking. */
#ifndef DAEMON_FLEET_HOST_SOCKET_H
#define DAEMON_FLEET_HOST_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

struct event_base;
struct host_socket;

/* No handler is called before host_socket_new() returns. Only ended may free the connection. */
struct host_socket_handlers {
	void (*up)(void *data);
	void (*line)(void *data, const char *line, size_t len); /* lent, without its end */
	void (*too_long)(void *data); /* a line is skipped */
	void (*ended)(void *data, const char *how); /* the last one */
};

struct host_socket *host_socket_new(struct event_base *base, const char *path,
    const struct host_socket_handlers *handlers, void *data);
void host_socket_free(struct host_socket *socket); /* NULL is accepted */

/* Queues a line with its end. False: too much is unread, or the connection has ended. */
bool host_socket_write(struct host_socket *socket, const void *line, size_t len);

/* False: it ends, and ended follows. */
bool host_socket_is_open(const struct host_socket *socket);

/* Closes it: ended follows. */
void host_socket_stop(struct host_socket *socket);

#endif
