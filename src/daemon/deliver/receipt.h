/* SPDX-License-Identifier: ISC */
/*
 * Receipts: what became of a notification on its way to an agent or a person. A receipt is a JSON
 * object that is stored with the notification and published as an event. Its member "result":
 *
 * - deferred: not delivered yet, for the reason given; tried again later.
 * - submitted: typed and submitted, as far as this can be seen.
 * - typed: typed, but not seen to be submitted, so a person has to look.
 * - handed_over: given to the agent without typing, or to a person's program.
 * - shown: shown to a person by the tmux clients.
 * - refused: never delivered, for the reason given, such as a closed pane.
 *
 * "typed_before" has how often the line may have been typed before, without its end being seen.
 * "way" says how: typed, follow (a follower's output), hook (the agent's own hook), queue_command
 * (the agent's command for it), waited (a request waited for it; "consumer": the named consumer
 * that acknowledged it), shown (to a person), on_notify (the person's program), or none (it stays
 * queued or is refused, because of reason).
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/queue/notification.h"

#define RECEIPT_MAX 8192 /* bytes */

/* Begins a receipt in an initialised buffer; members may follow. way and reason may be NULL. */
void receipt_begin(struct buf *out, struct json_writer *writer, const char *result, const char *way,
    const char *reason);

/*
 * Ends the receipt, stores it with the notification's new state, publishes it, and frees the
 * buffer's memory. The state of an acknowledged or cancelled notification stays. For a
 * notification that has left the queue, only frees the memory.
 */
void receipt_give(const struct daemon *parts, uint64_t seq, enum notification_state state,
    struct buf *receipt, struct json_writer *writer);

/* Gives a receipt without further members. */
void receipt_put(const struct daemon *parts, uint64_t seq, enum notification_state state,
    const char *result, const char *way, const char *reason);

/* Gives many notifications the same receipt, in one transaction. */
void receipt_put_all(const struct daemon *parts, const uint64_t *seqs, size_t count,
    enum notification_state state, const char *result, const char *way, const char *reason);
