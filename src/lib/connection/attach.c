/* SPDX-License-Identifier: ISC */
/* Attaches a loop to a libevent base. Only this file of the library uses libevent. */
#include <event2/event.h>
#include <event2/event_struct.h>
#include <sys/epoll.h>

#include "lib/connection/loop.h"

struct loop_attachment {
	struct event_base *base;
	struct event timers; /* on_ready() activates it, so timers fire after all descriptors */
};

static void on_timers(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	loop_ready_timers(data);
}

struct watched {
	struct event event;
	struct loop_attachment *attachment;
	struct loop_watch *watch;
};

static void on_ready(evutil_socket_t fd UNUSED, short what, void *data)
{
	const struct watched *watched = data;
	struct event *timers = &watched->attachment->timers;
	uint32_t events =
	    ((what & EV_READ) != 0 ? EPOLLIN : 0) | ((what & EV_WRITE) != 0 ? EPOLLOUT : 0);
	/* The callback may free watched. */
	if (loop_ready(watched->watch, events))
		event_active(timers, EV_TIMEOUT, 0);
}

static void unwatch(void *event)
{
	struct watched *watched = event;
	(void)event_del(&watched->event);
	mem_free(watched);
}

static int watch(
    void *data, int fd, uint32_t events, struct loop_watch *loop_watch, void **ret_event)
{
	struct loop_attachment *attachment = data;
	int what =
	    ((events & EPOLLIN) != 0 ? EV_READ : 0) | ((events & EPOLLOUT) != 0 ? EV_WRITE : 0);
	struct watched *watched = mem_alloc(sizeof *watched);
	if (watched == NULL)
		return MUXBUS_ERR_NOMEM;
	*watched = (struct watched){.attachment = attachment, .watch = loop_watch};
	if (event_assign(&watched->event, attachment->base, fd, (short)(what | EV_PERSIST),
		on_ready, watched) != 0 ||
	    event_add(&watched->event, NULL) != 0) {
		mem_free(watched);
		return MUXBUS_ERR_SYSTEM;
	}
	*ret_event = watched;
	return 0;
}

static void detach(void *data)
{
	struct loop_attachment *attachment = data;
	(void)event_del(&attachment->timers);
	mem_free(attachment);
}

int muxbus_loop_attach(struct muxbus_loop *loop, struct event_base *base)
{
	static const struct loop_host host = {.watch = watch, .unwatch = unwatch, .detach = detach};
	struct loop_attachment *attachment = mem_alloc(sizeof *attachment);
	int error;
	if (attachment == NULL)
		return MUXBUS_ERR_NOMEM;
	*attachment = (struct loop_attachment){.base = base};
	(void)evtimer_assign(&attachment->timers, base, on_timers, loop);
	error = loop_set_host(loop, &host, attachment);
	if (error != 0)
		detach(attachment);
	return error;
}
