/* SPDX-License-Identifier: ISC */
/* A timer of the event loop. */
#include "nats/later.h"

#include <event2/event.h>
#include <stdlib.h>
#include <sys/time.h>

#include "base/log.h"
#include "base/xalloc.h"

struct later {
	struct event *event;
	void (*fn)(void *data);
	void *data;
};

static void on_time(evutil_socket_t fd, short what, void *data)
{
	struct later *later = data;
	(void)fd;
	(void)what;
	later->fn(later->data);
}

struct later *later_new(struct event_base *base, void (*fn)(void *data), void *data)
{
	struct later *later = xcalloc(1, sizeof *later);
	later->event = evtimer_new(base, on_time, later);
	later->fn = fn;
	later->data = data;
	if (later->event == NULL) {
		log_error("out of memory");
		exit(EXIT_FAILURE);
	}
	return later;
}

void later_free(struct later *later)
{
	if (later == NULL)
		return;
	event_free(later->event);
	mem_free(later);
}

void later_arm(struct later *later, int64_t ms)
{
	const struct timeval delay = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
	(void)event_add(later->event, &delay);
}

void later_disarm(struct later *later)
{
	(void)event_del(later->event);
}

bool later_is_armed(const struct later *later)
{
	return event_pending(later->event, EV_TIMEOUT, NULL) != 0;
}
