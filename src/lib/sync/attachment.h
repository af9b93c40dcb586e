/* SPDX-License-Identifier: ISC */
/*
 * A session and the connection that is attached to it. A lost connection is opened again. A
 * detached attachment has neither: it runs commands as one-shots.
 *
 * Output is never turned off again: with queued output, the flag no-output makes tmux up to 3.6b
 * hang, and :off crashes it. Single panes are paused instead, which costs tmux as little, drops the
 * queued output, and is safe on all versions.
 */
#pragma once

#include "lib/connection/loop.h"

enum attachment_state {
	ATTACHMENT_WAITING, /* no connection; one is opened when due, if no other is being opened */
	ATTACHMENT_OPENING, /* tmux has not answered yet */
	ATTACHMENT_LIVE,
	ATTACHMENT_CLOSING, /* detaching; freed when the connection has ended */
};

struct attachment {
	struct list link; /* in sync->attachments */
	struct muxbus_sync *sync;
	struct muxbus_connection *connection; /* NULL while WAITING, and if detached */
	uint32_t session; /* MUXBUS_NO_ID: detached, or tmux has not chosen one yet */
	pid_t pid; /* of the control client; 0: none */
	enum attachment_state state;

	bool is_due; /* while WAITING: a connection may be opened */
	bool had_people; /* a user's client was attached to the session */
	bool is_second_life; /* has been LIVE */
	bool is_scout; /* the first connection: see touch_scout() */
	struct detached *detached; /* runs the commands without a connection; else NULL */
	struct loop_timeout timer;
	unsigned delay_ms; /* delay before the next try */
	int64_t live_ms; /* when the attachment became LIVE */
	uint64_t on_since; /* lister.begun when LIVE began, or output was turned on or lost */

	bool has_output; /* the flag no-output is off, or will be */
	bool knows_last; /* last_pane is set */
	uint32_t last_pane; /* highest pane id when output was turned on; new ids are higher */
	struct map paused; /* if has_output: set of the panes that do not flow */
	unsigned flowing; /* number of panes whose output this attachment shall deliver */

	/* For exact captures: */
	uint32_t last_output_pane; /* the pane of the last output */
	uint64_t outputs; /* number of pieces of output so far */
	uint64_t outputs_at_block; /* value of outputs at the last block of a reply */
	uint64_t flow_changes; /* number of changes of the set of flowing panes */
	uint64_t flows_sent; /* number of commands that change the flow */
	uint64_t flows_answered;
};

/* Makes an attachment that waits for its turn. session may be MUXBUS_NO_ID. NULL: out of memory. */
struct attachment *attachment_new(struct muxbus_sync *sync, uint32_t session);
/* Makes an attachment that is LIVE without a connection or events. NULL: out of memory. */
struct attachment *attachment_new_detached(struct muxbus_sync *sync);
void attachment_free(struct attachment *attachment);

/* Starts the connection; callbacks report the result. Returns 0, or an error without a callback. */
int attachment_open(struct attachment *attachment);
/*
 * Keeps a spare connection to the server for the client of the next session, while the sync is
 * attached without `tmux -C` processes. For a command that names no client, tmux uses the client
 * that was active last. For tmux, a new client was active when its connection was accepted. If that
 * was early, a person who has typed since was active later.
 */
void attachment_settle_spare(struct muxbus_sync *sync);
/* Detaches, and frees the attachment when its connection, if any, has ended. */
void attachment_close(struct attachment *attachment);
void attachment_close_others(struct muxbus_sync *sync); /* closes all but the primary */

/* Runs a list and always frees it. Both reply and attachment may be NULL. Returns 0 or an error. */
int attachment_run(struct attachment *attachment, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data);

/* Cancels the lists that run beside the connection (detached.h), with MUXBUS_ERR_CANCELLED. */
void attachment_end_beside(struct muxbus_sync *sync);

/* Returns the attachment of a session that is not CLOSING, or NULL. */
struct attachment *attachment_find(const struct muxbus_sync *sync, uint32_t session);
bool attachment_any(const struct muxbus_sync *sync, enum attachment_state state);

/* Makes wanted output flow, and pauses other output. */
void attachment_settle_output(struct muxbus_sync *sync);

/* Notes that tmux itself has paused a pane. */
void attachment_paused(struct attachment *attachment, uint32_t pane);
