/* SPDX-License-Identifier: ISC */
/*
 * The control client of a connection: its streams, and its end. This process is the client
 * itself if the server understands it; else a `tmux -C` process is.
 */
#pragma once

#include <muxbus.h>

#include "lib/connection/direct.h"
#include "lib/connection/process.h"

struct client {
	enum muxbus_way way;
	pid_t pid; /* by which tmux knows it */
	int handle; /* readable when there is news of its end: see client_read_end() */
	int input; /* its standard input: a socket, non-blocking; send with MSG_NOSIGNAL */
	int output; /* its standard output: a pipe, non-blocking */
	int errors; /* its standard error, the same; -1: it has none */
	bool has_ended;
	struct buf out; /* bytes to send to its standard input */
	size_t sent; /* how much of out was written */
	struct direct direct;
	struct process process;
};

/* No client: all descriptors are -1. */
void client_init(struct client *client);

/*
 * Starts a closed client by the way of the options, if there is a server. Returns
 * MUXBUS_ERR_NO_SERVER, MUXBUS_ERR_TIMEOUT (the server accepts no connection), MUXBUS_ERR_SPAWN (no
 * process can be started), MUXBUS_ERR_SYSTEM with errno set, or MUXBUS_ERR_NOMEM.
 */
int client_open(struct client *client, const struct muxbus_connection_options *options);

/*
 * Whether the server hung up on an ended client because of its way. *ret_way is then the next
 * way to try.
 */
bool client_was_refused(const struct client *client, enum muxbus_way *ret_way);

/* Enlarges the pipe of its standard output, if the kernel allows. */
void client_widen_output(struct client *client);

enum client_sent {
	CLIENT_SENT_ALL,
	CLIENT_SENT_FULL, /* the socket takes no more now */
	CLIENT_SENT_BROKEN, /* the server reads no more; waiting bytes were dropped */
};

/* Writes as much of out as the socket takes, without waiting and without SIGPIPE. */
enum client_sent client_send(struct client *client);

/* Reads news of its end without blocking. True if it has ended. */
bool client_read_end(struct client *client);

/* Ends it from here: politely first, else at once. client_read_end() tells of the end. */
void client_terminate(struct client *client);
void client_kill(struct client *client);

/* Closes its streams. */
void client_close_streams(struct client *client);

/* Kills it and closes everything, but keeps out: client_open() may follow. */
void client_close(struct client *client);

/* Closes it, and frees out. */
void client_finish(struct client *client);
