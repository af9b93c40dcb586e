/* SPDX-License-Identifier: ISC */
/*
 * Receipts: what became of a notification on its way to the agent of a pane, as a JSON
 * object that stays on it and is published as an event:
 *
 *   deferred     not yet, because ...; it is tried again
 *   submitted    typed; the line was seen at the prompt, and seen to leave it after Enter
 *   typed        typed, but not seen to be submitted: a person has to look
 *   handed_over  given to the agent by another way than typing, or to a person's program
 *   shown        to a person, by clients of tmux
 *   refused      never: the pane, or the program it was meant for, is gone
 *
 * A typed one has "typed_before" if a daemon may have been killed while it typed: the number
 * of times, at most, that it was submitted already. "way" says how: typed, follow (a follower's
 * stream), hook (the agent's own hook), queue_command (the agent's command for it), waited (a
 * request waited for it; "consumer": the named one that acknowledged it), shown (to a person),
 * on_notify (the person's program), or none (it stays queued, because of reason).
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/queue/notification.h"

#define RECEIPT_MAX 8192 /* bytes */

/* Begins a receipt in an initialised buffer; way and reason may be NULL. Add members, then end it. */
void receipt_begin(struct buf *out, struct json_writer *writer, const char *result, const char *way,
    const char *reason);

/*
 * Ends a receipt, puts it on a notification with its new state, and publishes it. A notification
 * that was acknowledged or cancelled meanwhile keeps that state. Finishes the buffer.
 */
void receipt_give(const struct daemon *parts, uint64_t seq, enum notification_state state,
    struct buf *receipt, struct json_writer *writer);

/* Both, where there is nothing to add. */
void receipt_put(const struct daemon *parts, uint64_t seq, enum notification_state state,
    const char *result, const char *way, const char *reason);

/* The same receipt on many notifications, in one transaction. */
void receipt_put_all(const struct daemon *parts, const uint64_t *seqs, size_t count,
    enum notification_state state, const char *result, const char *way, const char *reason);
