/* SPDX-License-Identifier: ISC */
/* The connection, for the files that implement it. */
#pragma once

#include "lib/connection/handshake.h"
#include "lib/connection/loop.h"
#include "lib/connection/pending.h"
#include "lib/stream/event.h"

#define CONNECTION_HOOKED_US 1000000
/* A list's last sentinel: these with a nonce between, or just the nonce if has_cheap_sentinel. */
#define SENTINEL_BEFORE LIST_COMMANDS " -F "
#define SENTINEL_BEHIND " " LIST_ONE

/* connection.c explains the states. */
enum connection_state {
	STATE_STARTING,
	STATE_GREETED,
	STATE_HANDSHAKE,
	STATE_READY,
	STATE_CLOSING,
	STATE_FAILED,
	STATE_ENDED,
};

struct muxbus_connection {
	struct muxbus_loop *loop;
	struct muxbus_connection_handlers handlers;
	void *data;
	struct muxbus_connection_options options; /* socket_path is a copy */

	enum connection_state state;
	bool is_in_turn; /* inside a callback of the loop, which ends with end_turn() */
	bool is_reading; /* inside the parser */
	bool is_output_over; /* the client's standard output was read to its end */

	bool has_failed;
	int error; /* the reason of the failure; 0 after muxbus_connection_close() */
	char reason[ENDING_TEXT_SIZE];
	struct ending ending;
	/* tmux has answered all commands that it ran, then ended the client, and all was read. */
	bool was_told_to_end;

	struct client client;
	struct loop_watch *input_watch; /* exists only while the socket is full */
	struct loop_watch *output_watch;
	struct loop_watch *errors_watch;
	struct loop_watch *end_watch; /* watches client.handle */
	struct loop_timeout deadline; /* timeout of the greeting, later of the first list */
	struct loop_timeout end_timer; /* timeout of the current step of closing or ending */
	struct loop_timeout soon; /* fires to handle a failure outside of a turn */
	bool has_asked_to_detach;
	bool was_terminated; /* client_end() was called with SIGTERM */

	struct muxbus_parser *parser;
	struct pending_queue queue;
	int64_t first_since_us; /* when tmux began with the first list */
	bool was_hooked; /* a hook ran when a reply was late by CONNECTION_HOOKED_US or more */
	bool has_cheap_sentinel; /* tmux answers a nonce alone with the expected parse error */
	struct nonce probe; /* the handshake sends this nonce alone, to set has_cheap_sentinel */
};

/* As muxbus_connection_open(), but a direct client takes the connection *spare unless it is -1. */
int connection_open(struct muxbus_loop *loop, const struct muxbus_connection_options *options,
    int *spare, const struct muxbus_connection_handlers *handlers, void *data,
    struct muxbus_connection **ret_connection);
/* Makes the parser expect the replies of the first list, and starts its timeout. */
void connection_begin_first(struct muxbus_connection *connection);
/* As muxbus_connection_run(), but the caller keeps the list. is_ordered: see struct pending. */
int connection_run_kept(struct muxbus_connection *connection, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data, bool is_ordered);
/* Returns true if tmux has certainly run no command of a failed list. */
bool connection_ran_none(
    const struct muxbus_connection *connection, int error, const struct muxbus_reply *replies);
/* Returns true if a hook has delayed a reply since the last call. */
bool connection_take_hooked(struct muxbus_connection *connection);
bool connection_is_idle(const struct muxbus_connection *connection); /* no list is pending */
/* Returns how long the reply to the first list has been awaited; 0: no list is pending. */
int64_t connection_awaited_ms(const struct muxbus_connection *connection);
/* Returns true if no pending list has is_ordered. */
bool connection_may_pass(const struct muxbus_connection *connection);
/* Sends queued lines until the socket is full; the rest follows when it has room. */
void connection_flush(struct muxbus_connection *connection);
