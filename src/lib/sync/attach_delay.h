/* SPDX-License-Identifier: ISC */
/*
 * Decides when a connection may be opened. tmux up to 3.6b crashes if it sends a notification while
 * a `tmux -C` process is starting. For those versions such a connection is opened only after a
 * quiet moment, and user commands wait until it is open. (Other clients can still cause the crash
 * in those few hundred microseconds.) A direct client cannot cause it: see direct.h.
 */
#pragma once

#include "lib/sync/state.h"

void attach_delay_init(struct muxbus_sync *sync);
/* Fails the waiting commands with an error. */
void attach_delay_fail(struct muxbus_sync *sync, int error);

/* Notes that the server is changing now. */
void attach_delay_disturb(struct muxbus_sync *sync);

/* Returns true if a connection may be opened now. If not, settles the sync again later. */
bool attach_delay_may_open(struct muxbus_sync *sync);

/*
 * Runs a user command now, or when a connection that is being opened is ready. Lists the parts in
 * read_back afterwards; NULL: none. Returns 0 or an error of muxbus_sync_run().
 */
int attach_delay_run(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *read_back, muxbus_reply_fn *reply, void *data);
/*
 * Called when the server answers a ping. If the connection has waited for a reply for
 * detached_hold_ms(), then tmux has run the first list, and a hook delays its reply.
 */
void attach_delay_hold(struct muxbus_sync *sync);
/*
 * Returns true if the connection is idle or if, after a hook has delayed a list, tmux has run all
 * earlier requests. Otherwise detached_go_on() is called once the connection is idle.
 */
bool attach_delay_may_run_beside(struct muxbus_sync *sync);
/* Runs the waiting commands, unless a connection is being opened. */
void attach_delay_release(struct muxbus_sync *sync);

/* Closes adopted panes whose end was reported, except those to be kept. */
void adopted_end(struct muxbus_sync *sync);
