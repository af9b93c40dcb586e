/* SPDX-License-Identifier: ISC */
/* Timers of the event loop. */
#include "daemon/core/loop_timer.h"

#include <event2/event_struct.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"

struct loop_timer {
	struct event event;
	void (*fn)(void *data);
	void *data;
};

static void on_timeout(evutil_socket_t fd, short what, void *data)
{
	struct loop_timer *timer = data;
	(void)fd;
	(void)what;
	timer->fn(timer->data); /* may free the timer */
}

struct loop_timer *loop_timer_new(struct event_base *base, void (*fn)(void *data), void *data)
{
	struct loop_timer *timer = xcalloc(1, sizeof *timer);
	timer->fn = fn;
	timer->data = data;
	(void)evtimer_assign(&timer->event, base, on_timeout, timer); /* cannot fail here */
	return timer;
}

void loop_timer_free(struct loop_timer *timer)
{
	if (timer == NULL)
		return;
	loop_timer_disarm(timer);
	mem_free(timer);
}

void loop_timer_arm(struct loop_timer *timer, int64_t ms)
{
	struct timeval timeout = {0};

	if (ms > 0)
		timeout = (struct timeval){ms / 1000, ms % 1000 * 1000};
	if (event_add(&timer->event, &timeout) == 0)
		return;
	log_error("out of memory");
	exit(EXIT_FAILURE);
}

void loop_timer_disarm(struct loop_timer *timer)
{
	(void)event_del(&timer->event);
}

bool loop_timer_is_armed(const struct loop_timer *timer)
{
	return event_pending(&timer->event, EV_TIMEOUT, NULL) != 0;
}

void loop_timer_wake(struct loop_timer *timer)
{
	event_active(&timer->event, EV_TIMEOUT, 0);
}
