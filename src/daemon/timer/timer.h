/* SPDX-License-Identifier: ISC */
/*
 * A pane has at most one sleep: of two requests, the sleep that ends earlier is kept. A reminder is
 * a timer with a text; a pane may have many.
 *
 * The store keeps deadlines on both clocks. Until the machine reboots, the boot clock counts, so
 * that a change of the wall clock moves no timer. After a reboot the wall clock counts, even if it
 * is set after the start of the daemon. A timer that came due while no daemon ran fires once, and
 * says how late.
 */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/queue/notification.h"
#include "daemon/server/method.h"

#define TIMERS_MAX 100000 /* each costs about 170 bytes of memory, and its record in the store */
#define REMINDERS_MAX 1000 /* timers with a text */
#define TIMER_TEXT_MAX 1000
#define TIMER_FIRE_MAX 64 /* in one turn of the loop; the next turn continues */
#define TIMER_SECONDS_MAX (10.0 * 366 * 86400) /* ten years */
#define TIMER_RECURRING_MIN_SEC 3600

struct once;
struct queue;

struct timer {
	size_t place; /* in the heap */
	uint64_t number; /* of timers due at the same time, the lowest number fires first */
	struct timer *same_pane; /* the next timer whose pane has the same pane_ref_key() */
	char id[NOTIFICATION_ID_SIZE];
	struct pane_ref pane; /* is woken; cleared: none */
	int64_t boot_due_ms;
	int64_t real_due_ms;
	int64_t period_ms; /* 0: fires once */
	char *text; /* of a reminder; NULL: a sleep */
	char boot_id[BOOT_ID_SIZE]; /* the boot that boot_due_ms counts from */
	bool is_written; /* see timer_is_durable() */
};

/* Loads the timers of the queue's store. The clock must outlive the set. */
struct timer_set *timer_set_new(struct queue *queue, const struct boot_clock *clock);
void timer_set_free(struct timer_set *set);

enum timer_verdict {
	TIMER_SET,
	TIMER_REPLACED, /* an older sleep, which would end later, is deleted */
	TIMER_IGNORED, /* an older sleep ends earlier, and is returned */
	TIMER_FULL,
};

/*
 * A recurring sleep fires every ms milliseconds until cancelled. *ret_timer is the sleep that the
 * pane has now (not set for TIMER_FULL), lent until the next call; old_id gets the id of a replaced
 * sleep. once may be NULL.
 */
enum timer_verdict timer_sleep(struct timer_set *set, const struct pane_ref *pane, int64_t ms,
    bool is_recurring, const struct once *once, const struct timer **ret_timer,
    char old_id[NOTIFICATION_ID_SIZE]);

/* Copies text. Returns NULL if there are REMINDERS_MAX reminders or TIMERS_MAX timers. */
const struct timer *timer_remind(struct timer_set *set, const struct pane_ref *pane, int64_t ms,
    bool is_recurring, const char *text, const struct once *once);

/* Returns true if the timer survives kill -9. */
bool timer_is_durable(const struct timer_set *set, const struct timer *timer);

/* Returns false if no timer has this id. *ret_is_durable: the end survives kill -9. */
bool timer_cancel(struct timer_set *set, const char *id, bool *ret_is_durable);

const struct timer *timer_find(const struct timer_set *set, const char *id);
/* previous NULL gets the first; NULL at the end. */
const struct timer *timer_of_pane(
    const struct timer_set *set, const struct pane_ref *pane, const struct timer *previous);
/* In the order in which they are due; NULL at the end. previous NULL sorts all timers. */
const struct timer *timer_next(const struct timer_set *set, const struct timer *previous);
size_t timer_count(const struct timer_set *set);

/* Fires due timers, at most TIMER_FIRE_MAX. */
void timer_ring(struct timer_set *set);

extern const struct method methods_timer[];
