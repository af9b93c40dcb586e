/* SPDX-License-Identifier: ISC */
/*
 * Panes that leave a window have closed or moved to another window; tmux announces both in the same
 * way. The event is held for a moment. If the processes of the panes end meanwhile, the server is
 * asked only where the panes are; otherwise the window is listed. Only one window is held at a
 * time.
 */
#pragma once

#include <muxbus.h>

void leaving_init(struct muxbus_sync *sync);
void leaving_finish(struct muxbus_sync *sync);

/* Holds an event: a new layout that lacks panes, or NULL for a closed window. */
void leaving_hold(struct muxbus_sync *sync, uint32_t window, const char *layout);

/* Handles a new active pane of a window. Returns false if the window is not held. */
bool leaving_take_active(struct muxbus_sync *sync, uint32_t window, uint32_t pane);

/*
 * Ends the hold by an event that may show where the panes are. Kinds that every connection gets
 * count only if is_primary; others, such as a layout, on any connection.
 */
void leaving_note(struct muxbus_sync *sync, const struct muxbus_event *event, bool is_primary);

/* Lists the held window now. Returns true if one was held: its listing follows. */
bool leaving_ask(struct muxbus_sync *sync);

/* Applies the held event if it is certain. Called at the end of a turn and when a process ends. */
void leaving_settle(struct muxbus_sync *sync);
