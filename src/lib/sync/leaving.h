/* SPDX-License-Identifier: ISC */
/*
 * A pane that leaves a window has closed or moved to another window; tmux announces both in the
 * same way. So the event is held for a moment. If the processes of the panes end meanwhile, tmux is
 * asked only where the panes are. Otherwise the window or its sessions are listed. Only one window
 * is held at a time.
 */
#pragma once

#include <muxbus.h>

void leaving_init(struct muxbus_sync *sync);
void leaving_finish(struct muxbus_sync *sync);

/* Holds an event of a window: a new layout that lacks panes, or NULL for a closed window. */
void leaving_hold(struct muxbus_sync *sync, uint32_t window, const char *layout);

/* Notes a new active pane of the held window. Returns false if the window is not held. */
bool leaving_take_active(struct muxbus_sync *sync, uint32_t window, uint32_t pane);

/*
 * Ends the hold if an event may show where the panes are, or changes their window again. Events
 * that every connection gets count only if is_primary; a layout change, for example, counts always.
 */
void leaving_note(struct muxbus_sync *sync, const struct muxbus_event *event, bool is_primary);

/* Ends the hold: lists the panes, and the window or its sessions. Returns false if none is held. */
bool leaving_ask(struct muxbus_sync *sync);

/* At the end of a turn: applies the held event if its panes have closed; else may ask tmux. */
void leaving_settle(struct muxbus_sync *sync);
