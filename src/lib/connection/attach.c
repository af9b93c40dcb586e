/* SPDX-License-Identifier: ISC */
/* Attaches a loop to a libevent base. The only file of the library that uses libevent. */
#include <muxbus.h>

#include <event2/event.h>

#include "lib/connection/loop.h"

static void on_readable(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	(void)muxbus_loop_dispatch(data, 0); /* the next turn comes by itself */
}

static void detach(void *attachment)
{
	event_free(attachment);
}

int muxbus_loop_attach(struct muxbus_loop *loop, struct event_base *base)
{
	struct event *event =
	    event_new(base, muxbus_loop_fd(loop), EV_READ | EV_PERSIST, on_readable, loop);
	int error = 0;
	if (event == NULL)
		return MUXBUS_ERR_NOMEM;
	if (event_add(event, NULL) != 0)
		error = MUXBUS_ERR_SYSTEM;
	if (error == 0)
		error = loop_set_attachment(loop, event, detach);
	if (error != 0)
		event_free(event);
	return error;
}
