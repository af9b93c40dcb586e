/* SPDX-License-Identifier: ISC */
/*
 * Timers: sleeps and reminders. A pane has at most one sleep: of two requests, the sleep that ends
 * earlier is kept. A reminder is a timer with a text; a pane may have many.
 *
 * The store has each deadline on both clocks, the boot clock (core/boot_clock.h) and the wall
 * clock. Until the machine reboots, the boot clock counts, so that setting the wall clock moves no
 * timer. After a reboot the wall clock counts, even if it is set after the start of the daemon. A
 * timer that was due while no daemon ran fires once, and says how late it is.
 */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/queue/notification.h"
#include "daemon/server/method.h"

/* maximum number; each takes about 300 bytes of memory, and its record in the store */
#define TIMERS_MAX 100000
#define REMINDERS_MAX 1000 /* maximum number of timers with a text */
#define TIMER_TEXT_MAX 1000
/* maximum number of timers that fire in one turn of the loop; the next turn continues */
#define TIMER_FIRE_MAX 64
#define TIMER_SECONDS_MAX (10.0 * 366 * 86400) /* ten years */
#define TIMER_RECURRING_MIN_SEC 3600

struct once;
struct queue;

struct timer {
	size_t place; /* index in the heap */
	/* of timers that are due at the same time, the one with the lowest number fires first */
	uint64_t number;
	struct timer *same_pane; /* the next timer whose pane has the same pane_ref_key() */
	char id[NOTIFICATION_ID_SIZE];
	struct pane_ref pane; /* the pane or thread that is notified; cleared: none */
	int64_t boot_due_ms;
	int64_t real_due_ms;
	int64_t period_ms; /* 0: fires once */
	char *text; /* text of a reminder; NULL: a sleep */
	char boot_id[BOOT_ID_SIZE]; /* the boot from which boot_due_ms counts */
	bool is_written; /* the journal has its record */
};

/* Loads the timers from the queue's store. The queue and the clock must outlive the set. */
struct timer_set *timer_set_new(struct queue *queue, const struct boot_clock *clock);
void timer_set_free(struct timer_set *set);

enum timer_verdict {
	TIMER_SET,
	TIMER_REPLACED, /* an older sleep, which would end later, was deleted */
	TIMER_IGNORED, /* an older sleep, which does not end later, is kept and returned */
	TIMER_FULL,
};

/*
 * Sets a sleep of `ms` milliseconds; is_recurring: it repeats with this period. *ret_timer is the
 * sleep that the pane has now (not set for TIMER_FULL), valid until the next call; old_id gets the
 * id of a sleep that was replaced. once may be NULL.
 */
enum timer_verdict timer_sleep(struct timer_set *set, const struct pane_ref *pane, int64_t ms,
    bool is_recurring, const struct once *once, const struct timer **ret_timer,
    char old_id[NOTIFICATION_ID_SIZE]);

/* Sets a reminder; copies text. NULL: there are REMINDERS_MAX reminders or TIMERS_MAX timers. */
const struct timer *timer_remind(struct timer_set *set, const struct pane_ref *pane, int64_t ms,
    bool is_recurring, const char *text, const struct once *once);

/* Returns true if the timer survives kill -9. */
bool timer_is_durable(const struct timer_set *set, const struct timer *timer);

/* Cancels a timer. Returns false if none has this id. *ret_is_durable: kill -9 cannot undo this. */
bool timer_cancel(struct timer_set *set, const char *id, bool *ret_is_durable);

const struct timer *timer_find(const struct timer_set *set, const char *id);
/* Walks through the timers of a pane. Begin with previous NULL; returns NULL at the end. */
const struct timer *timer_of_pane(
    const struct timer_set *set, const struct pane_ref *pane, const struct timer *previous);
/*
 * Walks through all timers in the order in which they are due. Begin with previous NULL, which
 * sorts them; returns NULL at the end.
 */
const struct timer *timer_next(const struct timer_set *set, const struct timer *previous);
size_t timer_count(const struct timer_set *set);

/* Fires timers that are due, at most TIMER_FIRE_MAX. */
void timer_ring(struct timer_set *set);

extern const struct method methods_timer[];
