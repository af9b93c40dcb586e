/* SPDX-License-Identifier: ISC */
/* Asks tmux for the details of panes once a second, while a caller wants them. */
#pragma once

struct muxbus_sync;

/* Prepares its timer, which muxbus_sync_stop() stops. */
void detail_watch_init(struct muxbus_sync *sync);
