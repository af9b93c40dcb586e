/* SPDX-License-Identifier: ISC */
/* Listing the server after changes, but not too often. */
#include "lib/sync/lister.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "lib/model/listing.h"
#include "lib/sync/attachment.h"

#define SPACING_MIN_US 10000
#define SPACING_MAX_US 40000 /* more only if a listing takes half of it */
#define SPACING_COSTS 4
#define RETRY_MS 100

struct lister_wait {
	struct list link;
	uint64_t number; /* of the awaited listing */
	muxbus_done_fn *done;
	void *data;
};

static void begin(struct muxbus_sync *sync);

static void on_timer(void *data)
{
	begin(data);
}

void lister_init(struct muxbus_sync *sync)
{
	struct lister *lister = &sync->lister;
	list_init(&lister->waits);
	loop_timer_init(&lister->timer, sync->loop, on_timer, sync);
}

void lister_finish(struct lister *lister)
{
	struct list *link, *after;
	loop_timer_stop(&lister->timer);
	list_for_each_safe (link, after, &lister->waits) {
		list_remove(link);
		mem_free(list_entry(link, struct lister_wait, link));
	}
}

/* The time between the beginnings of two listings. */
static int64_t spacing_us(const struct lister *lister)
{
	int64_t spacing = lister->cost_us * SPACING_COSTS;
	if (spacing > SPACING_MAX_US)
		spacing = SPACING_MAX_US;
	if (spacing < lister->cost_us * 2)
		spacing = lister->cost_us * 2;
	return spacing > SPACING_MIN_US ? spacing : SPACING_MIN_US;
}

/* Whether a caller waits for a listing that has not begun. */
static bool next_is_awaited(const struct lister *lister)
{
	const struct list *link;
	list_for_each (link, &lister->waits) {
		if (list_entry(link, struct lister_wait, link)->number > lister->begun)
			return true;
	}
	return false;
}

/* Begins the next listing if one is needed, now or after the spacing. */
static void consider(struct muxbus_sync *sync)
{
	struct lister *lister = &sync->lister;
	int64_t wait_us = lister->begun_us + spacing_us(lister) - clock_mono_us();
	if (lister->is_running || lister->is_publishing || sync->primary == NULL)
		return;
	if (next_is_awaited(lister))
		wait_us = 0;
	else if (!lister->is_dirty)
		return;
	if (wait_us <= 0 || lister->begun_us == 0)
		begin(sync);
	else if (!loop_timer_is_running(&lister->timer))
		loop_timer_start(&lister->timer, (wait_us + 999) / 1000);
}

static void try_again_later(struct muxbus_sync *sync)
{
	sync->lister.is_dirty = true;
	loop_timer_start(&sync->lister.timer, RETRY_MS);
}

static void on_listed(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct muxbus_sync *sync = data;
	struct lister *lister = &sync->lister;
	uint64_t number = lister->begun;
	struct listing listing;
	lister->is_running = false;
	lister->cost_us = clock_mono_us() - lister->begun_us;
	if (error == 0)
		error = listing_read(replies, count, sync->version.caps, &listing);
	lister->is_publishing = true;
	if (error == 0)
		error = sync->callbacks->listed(sync, &listing, number);
	lister->is_publishing = false;
	if (error != 0) {
		if (sync->primary != NULL)
			try_again_later(sync);
		return;
	}
	lister->previous = lister->done;
	lister->done = number;
	lister->done_begun_us = lister->begun_us;
	sync->callbacks->published(sync);
	lister_answer(sync);
	consider(sync);
}

static void begin(struct muxbus_sync *sync)
{
	struct lister *lister = &sync->lister;
	struct muxbus_command *command;
	int error;
	loop_timer_stop(&lister->timer);
	if (lister->is_running || lister->is_publishing || sync->primary == NULL)
		return;
	if (muxbus_command_new(&command) != 0) {
		try_again_later(sync);
		return;
	}
	listing_write(command);
	lister->begun_us = clock_mono_us();
	error = attachment_run(sync->primary, command, on_listed, sync);
	if (error != 0) {
		try_again_later(sync);
		return;
	}
	lister->is_running = true;
	lister->is_dirty = false;
	lister->begun++;
	seen_ids_begin_listing(&sync->seen_ids);
}

void lister_mark(struct muxbus_sync *sync)
{
	sync->lister.is_dirty = true;
	consider(sync);
}

/* Whether the last listing began recently enough, and nothing has changed since. */
static bool is_young(const struct lister *lister, int64_t max_age_us)
{
	return max_age_us > 0 && !lister->is_dirty && lister->begun > 0 &&
	    lister->begun_us >= clock_mono_us() - max_age_us;
}

bool lister_is_fresh(const struct lister *lister, int64_t max_age_us)
{
	return lister->done == lister->begun && is_young(lister, max_age_us);
}

int lister_wait(struct muxbus_sync *sync, int64_t max_age_us, muxbus_done_fn *done, void *data)
{
	struct lister *lister = &sync->lister;
	struct lister_wait *wait = mem_calloc(1, sizeof *wait);
	if (wait == NULL)
		return MUXBUS_ERR_NOMEM;
	wait->done = done;
	wait->data = data;
	wait->number = lister->begun + 1;
	if (is_young(lister, max_age_us))
		wait->number = lister->begun;
	list_append(&lister->waits, &wait->link);
	if (wait->number <= lister->done)
		sync_settle_later(sync);
	else
		consider(sync);
	return 0;
}

void lister_resume(struct muxbus_sync *sync)
{
	sync->lister.is_running = false;
	sync->lister.is_dirty = true;
	sync->lister.begun_us = 0;
	consider(sync);
}

/* Answers all callers that wait for a listing up to number. */
static void answer(struct muxbus_sync *sync, uint64_t number, int error)
{
	struct list ready;
	struct list *link, *after;
	list_init(&ready);
	list_for_each_safe (link, after, &sync->lister.waits) {
		if (list_entry(link, struct lister_wait, link)->number > number)
			continue;
		list_remove(link);
		list_append(&ready, link);
	}
	while (!list_is_empty(&ready)) {
		struct lister_wait *wait = list_entry(ready.next, struct lister_wait, link);
		list_remove(&wait->link);
		wait->done(wait->data, error);
		mem_free(wait);
	}
}

void lister_fail(struct muxbus_sync *sync, int error)
{
	loop_timer_stop(&sync->lister.timer);
	sync->lister.is_running = false;
	sync->lister.is_dirty = false;
	sync->lister.begun_us = 0;
	answer(sync, UINT64_MAX, error);
}

void lister_answer(struct muxbus_sync *sync)
{
	answer(sync, sync->lister.done, 0);
}
