/* SPDX-License-Identifier: ISC */
/*
 * Panes that leave a window: they are closed, or have moved to another window, and tmux announces
 * both in the same way. The event is held for a moment. If the processes of the panes end
 * meanwhile, the panes are closed; else the server is asked. One window at a time is held.
 */
#pragma once

#include <muxbus.h>

void leaving_init(struct muxbus_sync *sync);
void leaving_finish(struct muxbus_sync *sync);

/* Holds an event: a window with a new layout that lacks panes; NULL: the window is closed. */
void leaving_hold(struct muxbus_sync *sync, uint32_t window, const char *layout);

/* An event names the active pane of a window. False if the window is not held. */
bool leaving_take_active(struct muxbus_sync *sync, uint32_t window, uint32_t pane);

/*
 * Another event; it may show where the panes are, and ends the hold then. Each connection announces
 * each link, so the primary one is enough for these; a layout comes where the window is.
 */
void leaving_note(struct muxbus_sync *sync, const struct muxbus_event *event, bool is_primary);

/* The end of a turn, or the process of a pane has ended: the event is taken if it is certain. */
void leaving_settle(struct muxbus_sync *sync);
