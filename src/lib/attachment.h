/* SPDX-License-Identifier: ISC */
/*
 * A follow: one session, and the connection that is attached to it. It comes back by
 * itself when the connection ends. It knows which panes' output flows on it.
 *
 * Output is never turned off again once it was on: with output queued, the flag
 * no-output makes tmux up to 3.6b hang, and :off kills it. Panes are paused instead, one
 * by one, which costs tmux as little, drops what is queued, and is safe on all versions.
 */
#ifndef LIB_ATTACHMENT_H
#define LIB_ATTACHMENT_H

#include <muxbus.h>

#include "base/list.h"
#include "base/map.h"
#include "lib/loop.h"

struct track;

enum attachment_state {
	ATTACHMENT_WAITING, /* without a connection, until its turn or its time has come */
	ATTACHMENT_OPENING, /* tmux has not answered yet */
	ATTACHMENT_LIVE,
	ATTACHMENT_CLOSING, /* detaching; it goes when that is done */
};

struct attachment {
	struct list link; /* in sync->attachments */
	struct muxbus_sync *sync;
	struct muxbus_connection *connection; /* NULL while WAITING */
	uint32_t session; /* MUXBUS_NO_ID until the first connection has said */
	pid_t pid; /* of its tmux process; 0: none */
	enum attachment_state state;

	bool is_due; /* WAITING, and its time has come */
	bool had_people; /* somebody was attached to the session beside us */
	bool is_second_life; /* it was LIVE before */
	bool is_scout; /* was attached before the sessions were known */
	struct loop_timer timer;
	unsigned delay_ms; /* of the next try */
	int64_t live_ms; /* since when it is LIVE */
	uint64_t on_since; /* listings begun when it became LIVE, or its output went on */

	bool has_output; /* the no-output flag is off */
	bool knows_last; /* last_pane is known */
	uint32_t last_pane; /* the newest pane when output went on: ids only grow */
	struct map paused; /* panes that do not flow, if it has output */
	unsigned flowing; /* panes that are wanted and flow */

	/*
	 * For exact captures: whose output came last, how much came, how much of that
	 * before the last block of a reply, and how often we changed the flow.
	 */
	uint32_t last_output_pane;
	uint64_t outputs;
	uint64_t outputs_at_block;
	uint64_t flow_changes;
	uint64_t flows_sent; /* commands about the flow */
	uint64_t flows_answered;
};

/* Makes one that waits for its turn. session may be MUXBUS_NO_ID. NULL if out of memory. */
struct attachment *attachment_new(struct muxbus_sync *sync, uint32_t session);
/* Kills its connection, if it has one. */
void attachment_free(struct attachment *attachment);

/* Starts its connection. The result comes later by callback; an error means nothing began. */
int attachment_open(struct attachment *attachment);
/* Detaches in good order; it is freed when that is done. */
void attachment_close(struct attachment *attachment);

/* Runs a list and frees it, whatever happens. reply may be NULL, follow too. */
int attachment_run(struct attachment *attachment, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data);

struct attachment *attachment_find(const struct muxbus_sync *sync, uint32_t session);

/* The follow that hands over, or is to, the output of a pane; NULL if none can. */
struct attachment *attachment_owner(const struct muxbus_sync *sync, const struct track *track);

/* Has output flow where it is wanted, and nowhere else. */
void attachment_settle_output(struct muxbus_sync *sync);

/* tmux itself has paused a pane. */
void attachment_paused(struct attachment *attachment, uint32_t pane);

#endif
