/* SPDX-License-Identifier: ISC */
/* Timers of the event loop. An armed timer fires once. Without memory for it, the process ends. */
#pragma once

#include <event2/event.h>

#include "base/base.h"

/* Returns a timer that is not armed; never NULL. */
struct loop_timer *loop_timer_new(struct event_base *base, void (*fn)(void *data), void *data);
/* The callback of the timer may call this function. NULL is accepted. */
void loop_timer_free(struct loop_timer *timer);

/* Fires after ms milliseconds; in the next turn if ms is not positive. Replaces earlier calls. */
void loop_timer_arm(struct loop_timer *timer, int64_t ms);
void loop_timer_disarm(struct loop_timer *timer);
bool loop_timer_is_armed(const struct loop_timer *timer);
/* Returns true if a timer of a base is armed; for tests. */
bool loop_timer_is_any_armed(const struct event_base *base);
/* Fires once, in this turn of the loop, after the current callback. Replaces earlier calls. */
void loop_timer_wake(struct loop_timer *timer);

/* Returns a new event base for these timers, or NULL if it cannot be made. */
struct event_base *loop_timer_new_base(void);
