/* SPDX-License-Identifier: ISC */
/*
 * When a connection may be opened. Up to 3.6b a notification that tmux sends while a control
 * client is still introducing itself ends the whole server. So on those versions one is
 * opened only when nothing has happened for a moment, and while it is being opened no
 * command of ours runs that could make something happen. (What others do in those few
 * hundred microseconds is out of our hands.)
 */
#ifndef LIB_ATTACH_DELAY_H
#define LIB_ATTACH_DELAY_H

#include <muxbus.h>
#include <stdbool.h>

#include "lib/state.h"

void attach_delay_init(struct muxbus_sync *sync);
/* Answers the commands that wait with an error. */
void attach_delay_fail(struct muxbus_sync *sync, int error);

/* Something has happened on the server, or is about to. */
void attach_delay_disturb(struct muxbus_sync *sync);

/* Whether a connection may be opened now; if not, sync is settled again when it may. */
bool attach_delay_may_open(struct muxbus_sync *sync);

/* Runs a command of the user now, or when the connection that is being opened is. */
int attach_delay_run(struct muxbus_sync *sync, struct muxbus_command *command, bool read_back,
    muxbus_reply_fn *reply, void *data);
/* Runs those that wait, if no connection is being opened. */
void attach_delay_release(struct muxbus_sync *sync);

#endif
