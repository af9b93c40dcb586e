/* SPDX-License-Identifier: ISC */
/* Asks tmux for the details of panes at intervals, while a caller wants them. */
#pragma once

#include "base/base.h"

struct muxbus_sync;

/* Prepares the timer. muxbus_sync_stop() stops it. */
void detail_watch_init(struct muxbus_sync *sync);
/*
 * Returns true if the server has sessions, or may have got one: a session shows as a child process
 * of the server. Also returns true if the last whole listing is older than EMPTY_US.
 */
bool detail_watch_is_due(const struct muxbus_sync *sync);
