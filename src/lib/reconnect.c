/* SPDX-License-Identifier: ISC */
/* Waiting for a server by back-off and by inotify on the directory of its socket. */
#include "lib/reconnect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/backoff.h"

/* A socket that has just appeared is not listened at yet. */
#define APPEARED_MS 5
/*
 * Where inotify would tell, nothing is tried often: only as a guard against what it
 * cannot see, such as a directory that is replaced.
 */
#define GUARD_MS 30000
#define TRIES_BEFORE_GUARD 6

static void on_timer(void *data)
{
	struct finder *finder = data;

	finder->try(finder->data);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

/* Whether one of the entries that appeared in the directory is the socket. */
static bool socket_appeared(const struct finder *finder, const char *events, size_t len)
{
	const char *name = base_name(finder->socket_path);
	bool appeared = false;

	while (len >= sizeof(struct inotify_event)) {
		struct inotify_event event;

		memcpy(&event, events, sizeof event);
		if (len - sizeof event < event.len)
			break;
		appeared |= event.len > 0 && strcmp(events + sizeof event, name) == 0;
		events += sizeof event + event.len;
		len -= sizeof event + event.len;
	}
	return appeared;
}

static void on_directory(void *data, uint32_t ready)
{
	struct finder *finder = data;
	char events[4096];
	bool appeared = false;
	ssize_t len;

	(void)ready;
	while ((len = read(finder->inotify_fd, events, sizeof events)) > 0)
		appeared |= socket_appeared(finder, events, (size_t)len);
	if (!appeared)
		return;
	finder->delay_ms = APPEARED_MS;
	finder->tries = 0;
	loop_timer_start(&finder->timer, APPEARED_MS);
}

void reconnect_init(struct finder *finder, struct muxbus_loop *loop, const char *socket_path,
    void (*try)(void *data), void *data)
{
	finder->loop = loop;
	finder->socket_path = socket_path;
	finder->try = try;
	finder->data = data;
	finder->watch = NULL;
	finder->inotify_fd = -1;
	finder->delay_ms = BACKOFF_MIN_MS;
	loop_timer_init(&finder->timer, loop, on_timer, finder);
}

static void close_inotify(struct finder *finder)
{
	if (finder->inotify_fd < 0)
		return;
	loop_unwatch(finder->watch);
	finder->watch = NULL;
	close(finder->inotify_fd);
	finder->inotify_fd = -1;
}

void reconnect_finish(struct finder *finder)
{
	reconnect_stop(finder);
}

/* Failing to watch is no error: the tries go on. */
static void open_inotify(struct finder *finder)
{
	const char *path = finder->socket_path;
	const char *name = base_name(path);
	char *directory;

	if (finder->inotify_fd >= 0)
		return;
	directory = name == path ? mem_strdup(".") : mem_memdup(path, (size_t)(name - path));
	if (directory == NULL)
		return;
	finder->inotify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (finder->inotify_fd >= 0 &&
	    (inotify_add_watch(
		 finder->inotify_fd, directory, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0 ||
		loop_watch(finder->loop, finder->inotify_fd, EPOLLIN, on_directory, finder,
		    &finder->watch) != 0))
		close_inotify(finder);
	mem_free(directory);
}

void reconnect_wait(struct finder *finder, int error)
{
	unsigned delay_ms;

	open_inotify(finder);
	finder->tries++;
	if (finder->delay_ms < BACKOFF_MIN_MS) {
		delay_ms = finder->delay_ms;
		finder->delay_ms *= 2;
	} else if (error == MUXBUS_ERR_NO_SERVER && finder->inotify_fd >= 0 &&
	    finder->tries > TRIES_BEFORE_GUARD) {
		delay_ms = GUARD_MS;
	} else {
		delay_ms = backoff_next_ms(&finder->delay_ms);
	}
	loop_timer_start(&finder->timer, delay_ms);
}

void reconnect_stop(struct finder *finder)
{
	loop_timer_stop(&finder->timer);
	close_inotify(finder);
	finder->delay_ms = BACKOFF_MIN_MS;
	finder->tries = 0;
}
