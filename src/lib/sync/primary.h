/* SPDX-License-Identifier: ISC */
/*
 * The primary attachment of a sync runs the commands. It has a connection or, if the sync is
 * detached, runs one-shots.
 */
#pragma once

#include <muxbus.h>

struct attachment;

/*
 * Chooses the primary attachment among those that are LIVE, at the end of a turn. If no connection
 * is left, a detached attachment runs the commands until there is a connection again.
 */
void primary_choose(struct muxbus_sync *sync);
/* Returns true if commands can be run. */
bool primary_can_run(struct muxbus_sync *sync);
/* Returns true if the server announces nothing, since commands are run without a connection. */
bool primary_is_detached(const struct muxbus_sync *sync);

/* Asks a detached attachment's server for its version. attachment_ready or the loss follows. */
int primary_greet(struct attachment *attachment);

/* Calls sync->attached, once, when the sync has attached as requested. */
void primary_tell(struct muxbus_sync *sync);
