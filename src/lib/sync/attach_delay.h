/* SPDX-License-Identifier: ISC */
/*
 * When a connection may be opened. tmux up to 3.6b crashes if it sends a notification while a
 * `tmux -C` process is starting. On those versions such a connection is opened only after a
 * quiet moment, and user commands wait until it is open. (Other clients can still cause the
 * crash in those few hundred microseconds.) A direct client cannot cause it: see direct.h.
 */
#pragma once

#include "lib/sync/state.h"

void attach_delay_init(struct muxbus_sync *sync);
/* Answers the waiting commands with an error. */
void attach_delay_fail(struct muxbus_sync *sync, int error);

/* Notes that the server changes now. */
void attach_delay_disturb(struct muxbus_sync *sync);

/* Whether a connection may be opened now; if not, the sync is settled again later. */
bool attach_delay_may_open(struct muxbus_sync *sync);

/*
 * Runs a user command now, or when the connection that is being opened is ready. read_back: these
 * parts are listed behind it; NULL: none.
 */
int attach_delay_run(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *read_back, muxbus_reply_fn *reply, void *data);
/* Whether the connection is idle; if not, detached_go_on() is called when it is. */
bool attach_delay_may_run_beside(struct muxbus_sync *sync);
/* Runs the waiting commands, unless a connection is being opened. */
void attach_delay_release(struct muxbus_sync *sync);

/* Closes those whose end was reported, but for the ones that are kept. */
void adopted_end(struct muxbus_sync *sync);
