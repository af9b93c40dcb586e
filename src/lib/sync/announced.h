/* SPDX-License-Identifier: ISC */
/*
 * The events of tmux that announce a change. The text of an event changes the model only if the
 * text suffices and is trusted. Otherwise the window or session in the event is listed, so a forged
 * event costs a listing and changes nothing.
 *
 * Text is trusted only if no reply is awaited on the connection, since pane text in a reply may
 * look like events, and not soon after a message or a buffer name, which may contain lines. Only
 * text of the primary connection is used, because the order of events on two connections is
 * unknown. A layout change on another connection has its window listed, since tmux sends it only to
 * the clients of the window's sessions. Events of all connections may show new ids (seen_ids.h), and
 * may end the hold of an event (leaving.h).
 */
#pragma once

#include <muxbus.h>

struct attachment;

/* Returns true if the model may be outdated after an event of this kind. */
bool announced_changes_model(enum muxbus_event_kind kind);

/* After an event of another kind, whose text may contain lines, trusts no event for a while. */
void announced_note_text(struct muxbus_sync *sync);

/* Handles the removal of a link to a known window, seen in an event or by a failed listing. */
void announced_unlinked(struct muxbus_sync *sync, uint32_t window);

/* Changes the model by an event, or marks the parts that must be listed again. */
void announced_take(
    struct muxbus_sync *sync, struct attachment *attachment, const struct muxbus_event *event);
