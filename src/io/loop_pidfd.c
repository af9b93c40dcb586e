/* SPDX-License-Identifier: ISC */
#include "io/loop_pidfd.h"

#include <event2/event.h>
#include <event2/event_struct.h>

#include "base/base.h"

struct loop_pidfd {
	struct event readable;
	int fd;
	void (*ended)(void *data);
	void *data;
};

static void on_readable(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	const struct loop_pidfd *watch = data;
	watch->ended(watch->data); /* may free the watch */
}

struct loop_pidfd *loop_pidfd_new(
    struct event_base *base, int pidfd, void (*ended)(void *data), void *data)
{
	struct loop_pidfd *watch;
	if (pidfd < 0)
		return NULL;
	watch = xcalloc(1, sizeof *watch);
	watch->fd = pidfd;
	watch->ended = ended;
	watch->data = data;
	if (event_assign(&watch->readable, base, pidfd, EV_READ, on_readable, watch) == 0 &&
	    event_add(&watch->readable, NULL) == 0)
		return watch;
	(void)close(pidfd);
	mem_free(watch);
	return NULL;
}

void loop_pidfd_free(struct loop_pidfd *watch)
{
	if (watch == NULL)
		return;
	(void)event_del(&watch->readable);
	(void)close(watch->fd);
	mem_free(watch);
}

int loop_pidfd_fd(const struct loop_pidfd *watch)
{
	return watch != NULL ? watch->fd : -1;
}
