/* SPDX-License-Identifier: ISC */
/*
 * Decides when a connection may be opened, and whether a list of commands runs on the connection or
 * beside it. tmux up to 3.6b may crash if it sends an event while a `tmux -C` process starts. So a
 * connection by such a process waits a while for a quiet moment, and commands wait until the
 * connection is open. A direct client cannot cause this crash: see direct.h.
 */
#pragma once

#include "lib/sync/state.h"

void attach_delay_init(struct muxbus_sync *sync);
/* Fails the waiting commands with an error, and forgets the state of the server. */
void attach_delay_fail(struct muxbus_sync *sync, int error);

/* Notes that the server is changing now. */
void attach_delay_disturb(struct muxbus_sync *sync);

/* Returns true if a connection may be opened now. If not, settles the sync again later. */
bool attach_delay_may_open(struct muxbus_sync *sync);

/*
 * Runs a list of commands now, or when a connection that is being opened is ready or lost. Always
 * frees the list. Lists the parts read_back (or NULL) before reply() is called. Returns 0 or an
 * error as muxbus_sync_run().
 */
int attach_delay_run(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *read_back, muxbus_reply_fn *reply, void *data);
/*
 * Called when the server has answered a ping. If the connection has awaited a reply for
 * detached_hold_ms(), a hook delays the reply, and lists beside the connection no longer wait.
 */
void attach_delay_hold(struct muxbus_sync *sync);
/*
 * Returns true if there is no connection, or it is idle or, after a hook has delayed a list, tmux
 * has run its ordered lists (struct pending). Otherwise detached_go_on() is called when the
 * connection is idle.
 */
bool attach_delay_may_run_beside(struct muxbus_sync *sync);
/* Runs the waiting commands, unless they could crash tmux while a connection is being opened. */
void attach_delay_release(struct muxbus_sync *sync);
