/* SPDX-License-Identifier: ISC */
/* A connection's control client: this process, or a `tmux -C` process. */
#pragma once

#include <muxbus.h>

#include "lib/connection/direct.h"
#include "lib/connection/process.h"

struct client {
	enum muxbus_way way;
	pid_t pid; /* pid of the client as tmux sees it */
	int handle; /* readable for news, such as the end of the client: call client_read_end() */
	int input; /* the client's standard input: a non-blocking socket; use MSG_NOSIGNAL */
	int output; /* the client's standard output: a non-blocking pipe */
	int errors; /* the client's standard error: a non-blocking pipe; -1 if unused */
	bool has_ended;
	struct buf out; /* bytes to send to input */
	size_t sent; /* number of bytes of out that are already sent */
	struct direct direct;
	struct process process;
};

void client_init(struct client *client); /* makes a closed client */

/*
 * Opens a closed client by options->way. A direct client takes *spare, a connection to the server,
 * unless it is -1, and sets *spare to -1. Returns 0, MUXBUS_ERR_NO_SERVER, MUXBUS_ERR_TIMEOUT (the
 * server accepts no connection), MUXBUS_ERR_SPAWN, MUXBUS_ERR_SYSTEM with errno, or
 * MUXBUS_ERR_NOMEM.
 */
int client_open(struct client *client, const struct muxbus_connection_options *options, int *spare);

/* For a client that has ended. Returns true, with the next way to try, if the server refused it. */
bool client_was_refused(const struct client *client, enum muxbus_way *ret_way);

/* Enlarges the output pipe, if the kernel allows it. */
void client_widen_output(struct client *client);

enum client_sent {
	CLIENT_SENT_ALL,
	CLIENT_SENT_FULL, /* the socket is full; bytes are left in out */
	CLIENT_SENT_BROKEN, /* the other end reads no more; out was emptied */
};

/* Sends out, as far as the socket has room. Does not wait and raises no SIGPIPE. */
enum client_sent client_send(struct client *client);

/* Handles news of handle without waiting. Returns true if the client has ended. */
bool client_read_end(struct client *client);

/* Ends the client, by a signal if it is a process. client_read_end() reports the end. */
void client_end(struct client *client, int signal_number);

void client_close_streams(struct client *client);

/* Kills the client and closes its descriptors. Keeps out. client_open() may be called again. */
void client_close(struct client *client);

void client_finish(struct client *client); /* client_close(), and frees out */
