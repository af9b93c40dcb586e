/* SPDX-License-Identifier: ISC */
/*
 * When the server is listed, and which parts of it. A change that no event describes is listed at
 * the end of the turn; signs during a listing start one more. The time between two whole listings
 * grows with their cost, so many signs cannot take all of tmux's time, and the model is true
 * within 50 ms.
 *
 * A caller that needs the model fresh also needs the fields that tmux does not announce. tmux
 * numbers all that it runs, also each key of a person and each event: if it ran nothing since the
 * last listing, only the windows are listed in which a terminal was written to. If there is none,
 * one empty command proves the model.
 */
#pragma once

#include "lib/sync/state.h"

void lister_init(struct muxbus_sync *sync);
void lister_finish(struct lister *lister);

/* Mark parts, a window, or the whole server as changed, so that they are listed. */
void lister_mark(struct muxbus_sync *sync, const struct parts *parts);
void lister_mark_window(struct muxbus_sync *sync, uint32_t window);
void lister_mark_all(struct muxbus_sync *sync);

/* Notes that a connection is new: the server is listed when no connection is being opened. */
void lister_mark_attached(struct muxbus_sync *sync);

/*
 * Calls done (NULL: nothing), later, when these parts of the model are of a listing that began at
 * most max_age_us ago, and nothing else is known to be outdated; with 0 the listing begins after
 * this call. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int lister_wait(struct muxbus_sync *sync, const struct parts *parts, int64_t max_age_us,
    muxbus_done_fn *done, void *data);
/*
 * Notes the replies of commands that only read: if tmux ran nothing else since the last listing, it
 * has still done nothing.
 */
void lister_note_reading(
    struct muxbus_sync *sync, const struct muxbus_reply *replies, size_t count);
/* Lists what is marked as outdated, if the sync is live and detached: no caller waits for that. */
void lister_look_detached(struct muxbus_sync *sync);

/* Begins the listing that is due: no command runs beside the connection now. */
void lister_take_turn(struct muxbus_sync *sync);

/* Whether the running listing, which began after the last event of its connection, has a window. */
bool lister_reads_window(const struct lister *lister, uint32_t window);

/* There is a connection again, or none: lister_fail() answers all waiting callers. */
void lister_resume(struct muxbus_sync *sync);
void lister_fail(struct muxbus_sync *sync, int error);

/* Answers the callers for whom the model is young enough, and begins what is due. */
void lister_answer(struct muxbus_sync *sync);
