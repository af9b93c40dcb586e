/* SPDX-License-Identifier: ISC */
/*
 * Timers of the event loop that are there: out of memory ends the process, as everywhere
 * in the daemon (base/xalloc.h).
 */
#ifndef DAEMON_CORE_LOOP_TIMER_H
#define DAEMON_CORE_LOOP_TIMER_H

#include <event2/event.h>
#include <stdint.h>

/* Never NULL; not armed. */
struct event *loop_timer_new(struct event_base *base, event_callback_fn fn, void *data);

/* Fires once, after so many milliseconds (negative: at once). Armed anew if it was armed. */
void loop_timer_arm(struct event *timer, int64_t ms);

#endif
