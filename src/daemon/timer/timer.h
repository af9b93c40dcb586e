/* SPDX-License-Identifier: ISC */
/*
 * Timers: a source of notifications. A sleep belongs to a pane, which has at most one: of two that
 * are asked for, the one that ends earlier stands. A reminder is a timer with a text, of which a
 * pane has any number. Kept in the store with its deadline on both clocks: on the same start of the
 * machine the boot clock counts, so that setting the wall clock moves nothing; after another start
 * the wall clock does. A timer that came due meanwhile fires once, and says how late.
 */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/queue/notification.h"
#include "daemon/server/method.h"

#define TIMERS_MAX 100000 /* each costs about 170 bytes here, and its record in the store */
#define REMINDERS_MAX 1000 /* of these with a text, of TIMER_TEXT_MAX bytes */
#define TIMER_TEXT_MAX 1000
#define TIMER_FIRE_MAX 64 /* that fire in one turn of the loop; the next turn goes on */
#define TIMER_SECONDS_MAX (10.0 * 366 * 86400) /* ten years */
#define TIMER_RECURRING_MIN_SEC 3600

struct once;
struct queue;

struct timer {
	size_t place; /* in the heap */
	uint64_t number; /* of two that are due at once, the older one fires first */
	struct timer *same_pane; /* another one with the same pane id */
	char id[NOTIFICATION_ID_SIZE];
	struct pane_ref pane; /* cleared: of no pane; it only notifies */
	int64_t boot_due_ms;
	int64_t real_due_ms;
	int64_t period_ms; /* 0: once */
	char *text; /* of a reminder; NULL: a sleep */
	char boot_id[BOOT_ID_SIZE]; /* of the start that boot_due_ms counts from */
	bool is_written; /* its record was; see timer_is_durable() */
};

/* Loads what the queue's store holds, and arms the clock. The clock must outlive the set. */
struct timer_set *timer_set_new(struct queue *queue, const struct boot_clock *clock);
void timer_set_free(struct timer_set *set);

/* The outcome of a request to sleep. */
enum timer_verdict {
	TIMER_SET,
	TIMER_REPLACED, /* an earlier one that ended later is gone */
	TIMER_IGNORED, /* one that ends earlier stands, and is returned */
	TIMER_FULL,
};

/*
 * Sets the sleep of a pane; recurring ones come again every ms until cancelled. *ret_timer
 * is the one that stands (not for TIMER_FULL), lent until the next call; old_id gets the id
 * of the one that was replaced. once is that of the request, or NULL.
 */
enum timer_verdict timer_sleep(struct timer_set *set, const struct pane_ref *pane, int64_t ms,
    bool is_recurring, const struct once *once, const struct timer **ret_timer,
    char old_id[NOTIFICATION_ID_SIZE]);

/* Sets a reminder: text is copied. NULL: there are REMINDERS_MAX, or TIMERS_MAX. */
const struct timer *timer_remind(struct timer_set *set, const struct pane_ref *pane, int64_t ms,
    bool is_recurring, const char *text, const struct once *once);

/* Whether it survives kill -9: false while the disk did not take it. */
bool timer_is_durable(const struct timer_set *set, const struct timer *timer);

/*
 * Ends one with a notification in state cancelled; false if there is none of that id.
 * *ret_is_durable says whether its end survives kill -9.
 */
bool timer_cancel(struct timer_set *set, const char *id, bool *ret_is_durable);

/* NULL if there is none of that id. */
const struct timer *timer_find(const struct timer_set *set, const char *id);
/* The timers of a pane: NULL starts, NULL ends. */
const struct timer *timer_of_pane(
    const struct timer_set *set, const struct pane_ref *pane, const struct timer *previous);
/* Soonest first: NULL starts, which sorts them if any has changed; NULL ends. */
const struct timer *timer_next(const struct timer_set *set, const struct timer *previous);
size_t timer_count(const struct timer_set *set);

/* The alarm rang: fires what is due, TIMER_FIRE_MAX at a time. */
void timer_ring(struct timer_set *set);

/* The methods of timers, in timer_methods.c. */
extern const struct method methods_timer[];
