/* SPDX-License-Identifier: ISC */
/*
 * The events of tmux that announce a change. An event that says enough changes the model by its own
 * text; any other event names the window or session to list.
 *
 * Text is believed only if no reply is awaited on the connection, since the text of a pane in a
 * reply may look like events, and not soon after a message or a buffer name, which may have lines.
 * Of any other event the named object is listed: a forged event costs a listing and changes
 * nothing.
 *
 * Each connection gets the events in the order of its own replies, so a listing that runs there
 * shows what its events said before. The order of events of two connections is not known: text is
 * taken from the primary connection alone. Only layout changes of windows that its session does
 * not have come from another one, and name the window.
 */
#pragma once

#include <muxbus.h>

struct attachment;

/* Whether the model may be outdated after an event of this kind. */
bool announced_changes_model(enum muxbus_event_kind kind);

/* An event of another kind, whose text may have lines, on any connection. */
void announced_note_text(struct muxbus_sync *sync);

/* A link of a window of the model is gone, as an event or a failed listing says. */
void announced_unlinked(struct muxbus_sync *sync, uint32_t window);

/* Takes an event. */
void announced_take(
    struct muxbus_sync *sync, struct attachment *attachment, const struct muxbus_event *event);
