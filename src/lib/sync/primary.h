/* SPDX-License-Identifier: ISC */
/* The primary attachment runs the commands of a sync, by its connection or as one-shots. */
#pragma once

#include <muxbus.h>

struct attachment;

/* Chooses among the LIVE attachments, at the end of a turn. Without any, uses a detached one. */
void primary_choose(struct muxbus_sync *sync);
/* Returns true if commands can be run. */
bool primary_can_run(struct muxbus_sync *sync);
/* Returns true if the server announces nothing, since commands are run without a connection. */
bool primary_is_detached(const struct muxbus_sync *sync);

/* Asks a detached attachment's server for its version. attachment_ready or the loss follows. */
int primary_greet(struct attachment *attachment);

/* Calls sync->attached, once, when the sync has attached as requested. */
void primary_tell(struct muxbus_sync *sync);
