/* SPDX-License-Identifier: ISC */
/*
 * When the server is listed. The first sign of a change lists at once; signs during a
 * listing cause one more. A minimum time between two, growing with their cost, keeps a
 * storm of signs from taking all of tmux's time, and the model true within 50 ms.
 */
#ifndef LIB_LISTER_H
#define LIB_LISTER_H

#include <muxbus.h>

#include "base/list.h"
#include "lib/loop.h"

struct lister {
	struct loop_timer timer; /* the next listing is due */
	bool is_running;
	bool is_publishing; /* the next one waits until all is told */
	bool is_dirty; /* something changed since the running listing began */
	uint64_t begun; /* listings begun; the number of the running one */
	uint64_t done; /* the last one that became the model */
	uint64_t previous; /* the one before that */
	int64_t begun_us;
	int64_t done_begun_us; /* when the one that became the model was begun */
	int64_t cost_us;
	struct list waits;
};

void lister_init(struct lister *lister, struct muxbus_sync *sync);
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
