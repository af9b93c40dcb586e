/* SPDX-License-Identifier: ISC */
/*
 * Decides when the server is listed, and which parts. If an event does not say how a part has
 * changed, the part is listed soon. The time between two whole listings grows with their cost,
 * unless a caller waits, so that events cannot take all of tmux's time.
 *
 * A caller that needs a fresh model also needs the fields that tmux does not announce. tmux numbers
 * all that it runs, also keys and events. If tmux ran nothing since the last listing, only windows
 * with a terminal that was written to are listed. If there are none, one empty command proves that
 * the model is right.
 */
#pragma once

#include "lib/sync/state.h"

void lister_init(struct muxbus_sync *sync);
void lister_finish(struct lister *lister);

/* Mark parts, a window or the whole server to be listed, and schedule a listing. */
void lister_mark(struct muxbus_sync *sync, const struct parts *parts);
void lister_mark_window(struct muxbus_sync *sync, uint32_t window);
void lister_mark_all(struct muxbus_sync *sync);

/* Notes a new connection: the whole server is listed when no other connection is being opened. */
void lister_mark_attached(struct muxbus_sync *sync);

/*
 * Calls done (may be NULL) when a listing of these parts has ended that began at most max_age_us
 * ago (0: after this call), or has failed. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int lister_wait(struct muxbus_sync *sync, const struct parts *parts, int64_t max_age_us,
    muxbus_done_fn *done, void *data);
/* Notes replies of commands that only read. If tmux ran nothing else, the model is still right. */
void lister_note_reading(
    struct muxbus_sync *sync, const struct muxbus_reply *replies, size_t count);
/* Lists the dirty parts of a detached LIVE sync, which else lists only for waiting callers. */
void lister_look_detached(struct muxbus_sync *sync);

/* Begins a due listing, since no command runs beside the connection now. */
void lister_take_turn(struct muxbus_sync *sync);

/*
 * Returns true if a running listing includes the window. The reply then includes all changes of the
 * window that the connection announces before the reply.
 */
bool lister_reads_window(const struct lister *lister, uint32_t window);

/* Resume listing on another attachment; fail all waiting callers after the loss of the server. */
void lister_resume(struct muxbus_sync *sync);
void lister_fail(struct muxbus_sync *sync, int error);

/* Answers the callers whose listing has ended, and schedules the next listing. */
void lister_answer(struct muxbus_sync *sync);
