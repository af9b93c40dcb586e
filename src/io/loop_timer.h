/* SPDX-License-Identifier: ISC */
/*
 * Timers of the event loop. A timer fires once each time it is armed. Out of memory ends the
 * process, as in all programs (base/xalloc.h).
 */
#pragma once

#include <event2/event.h>

#include "base/base.h"

/* Never NULL; not armed. */
struct loop_timer *loop_timer_new(struct event_base *base, void (*fn)(void *data), void *data);
/* Also from its own callback; NULL is accepted. */
void loop_timer_free(struct loop_timer *timer);

/*
 * Fires after ms milliseconds, in the next turn of the loop if ms is not positive. A timer that is
 * armed already starts again.
 */
void loop_timer_arm(struct loop_timer *timer, int64_t ms);
void loop_timer_disarm(struct loop_timer *timer);
bool loop_timer_is_armed(const struct loop_timer *timer);
/* How many timers of a base are armed. */
size_t loop_timer_count(const struct event_base *base);
/*
 * Fires in this turn of the loop, after the callback that runs now, and then no more at the time
 * that it was armed for. Arming it before takes this back.
 */
void loop_timer_wake(struct loop_timer *timer);

/* An event base for these timers; NULL: there is none. */
struct event_base *loop_timer_new_base(void);
