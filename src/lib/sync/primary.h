/* SPDX-License-Identifier: ISC */
/*
 * The primary attachment of a sync: the one that runs the commands. It is a connection, or, of a
 * detached sync, one that runs one-shots.
 */
#pragma once

#include <muxbus.h>

struct attachment;

/* Chooses it among those that are LIVE, at the end of a turn. */
void primary_choose(struct muxbus_sync *sync);

/* For a detached one: asks the server for its version. attachment_ready, or the loss of the server, follows. */
int primary_greet(struct attachment *attachment);

/* Says, once, that the sync that was to attach has attached. */
void primary_tell(struct muxbus_sync *sync);
