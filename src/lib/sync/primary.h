/* SPDX-License-Identifier: ISC */
/* The primary attachment runs listings and most commands, by its connection or as one-shots. */
#pragma once

#include <muxbus.h>

struct attachment;

/* Chooses the primary among the LIVE attachments. If none is usable, may make a detached one. */
void primary_choose(struct muxbus_sync *sync);
/* Returns true if commands can be run. May choose another primary. */
bool primary_can_run(struct muxbus_sync *sync);
/* Returns true if commands are run without a connection, so that the server announces nothing. */
bool primary_is_detached(const struct muxbus_sync *sync);

/* Asks a detached attachment's server for its version. attachment_ready() or the loss follows. */
int primary_greet(struct attachment *attachment);

/* Calls sync->attached, once, if the sync has attached as requested. */
void primary_tell(struct muxbus_sync *sync);
