/* SPDX-License-Identifier: ISC */
/*
 * Timers of the event loop. A timer fires once each time it is armed. Out of memory ends the
 * process, as everywhere in the daemon (base/xalloc.h).
 */
#ifndef DAEMON_CORE_LOOP_TIMER_H
#define DAEMON_CORE_LOOP_TIMER_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

struct loop_timer;

/* Never NULL; not armed. */
struct loop_timer *loop_timer_new(struct event_base *base, void (*fn)(void *data), void *data);
/* Also from its own callback; NULL is accepted. */
void loop_timer_free(struct loop_timer *timer);

/* Fires after ms milliseconds (negative: at once). A timer that is armed already starts again. */
void loop_timer_arm(struct loop_timer *timer, int64_t ms);
void loop_timer_disarm(struct loop_timer *timer);
bool loop_timer_is_armed(const struct loop_timer *timer);
/* Fires in this turn of the loop, after the callback that runs now. */
void loop_timer_wake(struct loop_timer *timer);

/* For rooms that still keep a struct event: the same constructor and arm for both. */
struct event *loop_timer_event_new(struct event_base *base, event_callback_fn fn, void *data);
void loop_timer_event_arm(struct event *timer, int64_t ms);
#define loop_timer_new(base, fn, data)           \
	_Generic((fn), event_callback_fn         \
		 : loop_timer_event_new, default \
		 : loop_timer_new)(base, fn, data)
#define loop_timer_arm(timer, ms)                \
	_Generic((timer), struct event *         \
		 : loop_timer_event_arm, default \
		 : loop_timer_arm)(timer, ms)

#endif
