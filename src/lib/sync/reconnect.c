/* SPDX-License-Identifier: ISC */
#include "lib/sync/reconnect.h"

#include <sys/epoll.h>
#include <sys/inotify.h>

/* Delay before a new socket is tried: the server may not be listening yet. */
#define APPEARED_MS 5
/* Interval of retries while inotify watches: it does not see, for example, a replaced directory. */
#define GUARD_MS 30000
#define TRIES_BEFORE_GUARD 6

static void on_timer(void *data)
{
	struct reconnect *reconnect = data;
	reconnect->try(reconnect->data);
}

static bool socket_appeared(const struct reconnect *reconnect, const char *events, size_t len)
{
	const char *name = str_last_part(reconnect->socket_path);
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

static void on_directory(void *data, uint32_t ready UNUSED)
{
	struct reconnect *reconnect = data;
	char events[4096];
	bool appeared = false;
	ssize_t len;
	while ((len = read(reconnect->inotify_fd, events, sizeof events)) > 0)
		appeared |= socket_appeared(reconnect, events, (size_t)len);
	if (!appeared)
		return;
	reconnect->delay_ms = APPEARED_MS;
	reconnect->tries = 0;
	loop_timeout_start(&reconnect->timer, APPEARED_MS);
}

void reconnect_init(struct reconnect *reconnect, struct muxbus_loop *loop, const char *socket_path,
    void (*try)(void *data), void *data)
{
	reconnect->loop = loop;
	reconnect->socket_path = socket_path;
	reconnect->try = try;
	reconnect->data = data;
	reconnect->watch = NULL;
	reconnect->inotify_fd = -1;
	reconnect->delay_ms = BACKOFF_MIN_MS;
	loop_timeout_init(&reconnect->timer, loop, on_timer, reconnect);
}

/* After an error, retries continue without inotify. */
static void open_inotify(struct reconnect *reconnect)
{
	const char *path = reconnect->socket_path;
	const char *name = str_last_part(path);
	char *directory;
	if (reconnect->inotify_fd >= 0)
		return;
	directory = name == path ? mem_strdup(".") : mem_memdup(path, (size_t)(name - path));
	if (directory == NULL)
		return;
	reconnect->inotify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (reconnect->inotify_fd >= 0 &&
	    (inotify_add_watch(
		 reconnect->inotify_fd, directory, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0 ||
		loop_watch(reconnect->loop, reconnect->inotify_fd, EPOLLIN, on_directory, reconnect,
		    &reconnect->watch) != 0))
		loop_close_fd(&reconnect->inotify_fd);
	mem_free(directory);
}

void reconnect_wait(struct reconnect *reconnect, int error)
{
	unsigned delay_ms;
	open_inotify(reconnect);
	reconnect->tries++;
	if (reconnect->delay_ms < BACKOFF_MIN_MS) {
		delay_ms = reconnect->delay_ms;
		reconnect->delay_ms *= 2;
	} else if (error == MUXBUS_ERR_NO_SERVER && reconnect->inotify_fd >= 0 &&
	    reconnect->tries > TRIES_BEFORE_GUARD) {
		delay_ms = GUARD_MS;
	} else {
		delay_ms = backoff_next_ms(&reconnect->delay_ms);
	}
	loop_timeout_start(&reconnect->timer, delay_ms);
}

void reconnect_stop(struct reconnect *reconnect)
{
	loop_timeout_stop(&reconnect->timer);
	loop_close(&reconnect->watch, &reconnect->inotify_fd);
	reconnect->delay_ms = BACKOFF_MIN_MS;
	reconnect->tries = 0;
}
