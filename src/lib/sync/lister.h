/* SPDX-License-Identifier: ISC */
/*
 * When the server is listed. The first sign of a change starts a listing at once; signs
 * during a listing start one more. The time between two listings grows with their cost, so
 * many signs cannot take all of tmux's time, and the model is true within 50 ms.
 */
#ifndef LIB_SYNC_LISTER_H
#define LIB_SYNC_LISTER_H

#include <muxbus.h>

#include "lib/sync/state.h"

void lister_init(struct muxbus_sync *sync);
void lister_finish(struct lister *lister);

/* Notes a sign of a change. */
void lister_mark(struct muxbus_sync *sync);

/*
 * Calls done, later, when the model is of a listing that began at most max_age_us ago; with
 * 0 the listing begins after this call. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int lister_wait(struct muxbus_sync *sync, int64_t max_age_us, muxbus_done_fn *done, void *data);

/* Whether the model is of a listing that began at most max_age_us ago. */
bool lister_is_fresh(const struct lister *lister, int64_t max_age_us);

/* There is a connection again, or none: lister_fail() answers all waiting callers. */
void lister_resume(struct muxbus_sync *sync);
void lister_fail(struct muxbus_sync *sync, int error);

/* Answers the callers for whom the model is young enough. */
void lister_answer(struct muxbus_sync *sync);

#endif
