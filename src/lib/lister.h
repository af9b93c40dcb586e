/* SPDX-License-Identifier: ISC */
/*
 * When the server is listed. The first sign of a change lists at once; signs during a
 * listing cause one more. A minimum time between two, growing with their cost, keeps a
 * storm of signs from taking all of tmux's time, and the model true within 50 ms.
 */
#ifndef LIB_LISTER_H
#define LIB_LISTER_H

#include <muxbus.h>

#include "lib/state.h"

void lister_init(struct muxbus_sync *sync);
void lister_finish(struct lister *lister);

/* Something changed. */
void lister_mark(struct muxbus_sync *sync);

/*
 * Calls done, later, when a listing that was begun at most max_age_us ago is the model;
 * with 0 one that begins from now on. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int lister_wait(struct muxbus_sync *sync, int64_t max_age_us, muxbus_done_fn *done, void *data);

/* Whether the model is of a listing that was begun at most max_age_us ago. */
bool lister_is_fresh(const struct lister *lister, int64_t max_age_us);

/* There is a connection again, or none any more: those who wait hear of the error. */
void lister_resume(struct muxbus_sync *sync);
void lister_fail(struct muxbus_sync *sync, int error);

/* Calls those for whom the model is young enough. */
void lister_answer(struct muxbus_sync *sync);

#endif
