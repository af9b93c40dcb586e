/* SPDX-License-Identifier: ISC */
/* A connection, for its own files. */
#pragma once

#include "lib/connection/handshake.h"
#include "lib/connection/loop.h"
#include "lib/connection/nonce.h"
#include "lib/connection/pending.h"
#include "lib/stream/event.h"

#define SENTINEL_COMMAND "display-message -p "

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
	struct muxbus_connection_options options; /* its socket_path is ours */

	enum connection_state state;
	bool is_in_turn; /* in a callback of the loop, which ends with end_turn() */
	bool is_reading; /* in the parser */
	bool is_output_over;

	bool has_failed;
	int error; /* the reason of the failure; 0: closed on request */
	char reason[ENDING_TEXT_SIZE];
	struct ending ending;

	struct client client;
	struct loop_watch *input_watch; /* only while the socket is full */
	struct loop_watch *output_watch;
	struct loop_watch *errors_watch;
	struct loop_watch *end_watch; /* news of its end */
	struct loop_timeout deadline; /* timeout of the greeting, then of the first list */
	struct loop_timeout end_timer; /* timeout of each stage of the end */
	struct loop_timeout soon; /* handles a failure outside of a turn */
	bool has_asked_to_detach;
	bool was_terminated; /* by client_terminate() */

	struct muxbus_parser *parser;
	struct pending_queue queue;
	int64_t first_since_us; /* when the list became the first */
	struct nonce_pool nonces;
	bool has_cheap_sentinel;
	struct nonce probe; /* the unknown command of the handshake */
};

/* The parser expects the replies of the first list from now on, and its timeout begins. */
void connection_begin_first(struct muxbus_connection *connection);
/* Whether all lists are answered. */
bool connection_is_idle(const struct muxbus_connection *connection);
/* Writes what the socket takes of the lists, and the rest when it takes more. */
void connection_flush(struct muxbus_connection *connection);
