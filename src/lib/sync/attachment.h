/* SPDX-License-Identifier: ISC */
/*
 * Attachments: a session and the connection attached to it. An attachment reconnects when the
 * connection ends, and knows which panes' output flows on the connection.
 *
 * Output is never turned off again: with output queued, the flag no-output makes tmux up to
 * 3.6b hang, and :off crashes it. Panes are paused one by one instead, which costs tmux as
 * little, drops the queued output, and is safe on all versions.
 */
#pragma once

#include "lib/connection/loop.h"

enum attachment_state {
	ATTACHMENT_WAITING, /* no connection, until its turn or its timer */
	ATTACHMENT_OPENING, /* tmux has not answered yet */
	ATTACHMENT_LIVE,
	ATTACHMENT_CLOSING, /* detaching; freed afterwards */
};

struct attachment {
	struct list link; /* in sync->attachments */
	struct muxbus_sync *sync;
	struct muxbus_connection *connection; /* NULL while WAITING */
	uint32_t session; /* MUXBUS_NO_ID until the first connection is ready */
	pid_t pid; /* of its tmux process; 0: none */
	enum attachment_state state;

	bool is_due; /* WAITING, and its timer has fired */
	bool had_people; /* a user was attached to the session */
	bool is_second_life; /* it was LIVE before */
	bool is_scout; /* was attached before the sessions were known */
	struct detached *detached; /* in place of a connection; NULL: none */
	struct loop_timeout timer;
	unsigned delay_ms; /* before the next try */
	int64_t live_ms; /* when it became LIVE */
	uint64_t on_since; /* listings begun when it became LIVE, or its output was turned on */

	bool has_output; /* the no-output flag is off */
	bool knows_last; /* last_pane is known */
	uint32_t last_pane; /* the newest pane when output was turned on: ids only grow */
	struct map paused; /* panes that do not flow, if it has output */
	unsigned flowing; /* panes that are wanted and flow */

	/*
	 * For exact captures: the pane of the last output, the pieces of output, how many of
	 * these came before the last block of a reply, and the number of flow changes.
	 */
	uint32_t last_output_pane;
	uint64_t outputs;
	uint64_t outputs_at_block;
	uint64_t flow_changes;
	uint64_t flows_sent; /* commands about the flow */
	uint64_t flows_answered;
};

/* The new attachment waits for its turn. session may be MUXBUS_NO_ID. NULL: out of memory. */
struct attachment *attachment_new(struct muxbus_sync *sync, uint32_t session);
/* It is LIVE without a connection, and hears no event. NULL: out of memory. */
struct attachment *attachment_new_detached(struct muxbus_sync *sync);
/* Also kills its connection. */
void attachment_free(struct attachment *attachment);

/* Starts its connection; callbacks report the result. After an error there is no connection. */
int attachment_open(struct attachment *attachment);
/* Detaches, then frees the attachment. */
void attachment_close(struct attachment *attachment);
/* Closes all but the primary one. */
void attachment_close_others(struct muxbus_sync *sync);

/* Runs a list and always frees it. reply and attachment may be NULL. */
int attachment_run(struct attachment *attachment, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data);

/* Ends the lists that run beside its connection: they get MUXBUS_ERR_CANCELLED. */
void attachment_end_beside(struct muxbus_sync *sync);

struct attachment *attachment_find(const struct muxbus_sync *sync, uint32_t session);
/* Whether any attachment is in this state. */
bool attachment_any(const struct muxbus_sync *sync, enum attachment_state state);

/* Starts the flow of wanted output, and pauses all other output. */
void attachment_settle_output(struct muxbus_sync *sync);

/* Notes that tmux has paused a pane on its own. */
void attachment_paused(struct attachment *attachment, uint32_t pane);
