/* SPDX-License-Identifier: ISC */
/* Asks tmux for the details of panes every second, while a caller wants them. */
#pragma once

struct muxbus_sync;

/* Prepares the timer. muxbus_sync_stop() stops it. */
void detail_watch_init(struct muxbus_sync *sync);
