/* SPDX-License-Identifier: ISC */
/* Timers of the event loop that are there. */
#include "daemon/core/loop_timer.h"

#include <stdlib.h>

#include "base/log.h"

static _Noreturn void run_out(void)
{
	log_error("out of memory");
	exit(EXIT_FAILURE);
}

struct event *loop_timer_new(struct event_base *base, event_callback_fn fn, void *data)
{
	struct event *timer = evtimer_new(base, fn, data);

	if (timer == NULL)
		run_out();
	return timer;
}

void loop_timer_arm(struct event *timer, int64_t ms)
{
	struct timeval timeout = {0};

	if (ms > 0)
		timeout = (struct timeval){ms / 1000, ms % 1000 * 1000};
	if (event_add(timer, &timeout) < 0)
		run_out();
}
