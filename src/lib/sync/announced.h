/* SPDX-License-Identifier: ISC */
/*
 * The events of tmux that announce a change. The text of an event changes the model only if the
 * text suffices and is trusted. Otherwise the parts of the server that the event concerns are
 * listed, unless a listing that runs or is due shows them. A forged event costs listings at most.
 *
 * Pane text in a reply may look like an event, so text is not trusted while a reply is awaited on
 * the connection. Messages and buffer names may contain lines, so text is not trusted soon after
 * these events. Only text of the primary connection is used, because the order of events on two
 * connections is unknown. tmux sends a layout change only to the clients of the window's sessions,
 * so on another connection it causes at most a listing of the window. Events of all connections may
 * show new ids (seen_ids.h), and may end the hold of an event (leaving.h).
 */
#pragma once

#include <muxbus.h>

struct attachment;

/* Returns true if the model may be outdated after an event of this kind. */
bool announced_changes_model(enum muxbus_event_kind kind);

/* Notes an event whose text may contain lines like events: trusts no event for a while. */
void announced_note_text(struct muxbus_sync *sync);

/* Handles the removal of a link to a window, seen in an event or by a failed listing. */
void announced_unlinked(struct muxbus_sync *sync, uint32_t window);

/* Changes the model by an event, marks the parts to list again, or has leaving.c hold the event. */
void announced_take(
    struct muxbus_sync *sync, struct attachment *attachment, const struct muxbus_event *event);
