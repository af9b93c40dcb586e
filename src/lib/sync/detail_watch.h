/* SPDX-License-Identifier: ISC */
/* Asks tmux for the details of panes every second, while a caller wants them. */
#pragma once

#include "base/base.h"

struct muxbus_sync;

/* Prepares the timer. muxbus_sync_stop() stops it. */
void detail_watch_init(struct muxbus_sync *sync);
/*
 * Returns true if the server has sessions, or may have got one since the last listing: a session
 * shows as a child process of the server. If that child has ended again, returns true after 30 s.
 */
bool detail_watch_is_due(const struct muxbus_sync *sync);
