/* SPDX-License-Identifier: ISC */
#include "lib/connection/ping.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include "lib/connection/imsg.h"
#include "lib/connection/locate.h"

static void on_readable(void *data, uint32_t events UNUSED)
{
	struct ping *ping = data;
	loop_close(&ping->watch, &ping->fd);
	ping->answered(ping->data);
}

static ino_t find_socket(const struct ping *ping)
{
	struct stat info;
	return stat(ping->socket_path, &info) == 0 ? info.st_ino : 0;
}

static bool send_ping(struct ping *ping)
{
	uint8_t message[IMSG_HEADER_BYTES];
	ping->socket = find_socket(ping);
	ping->fd = locate_connect(ping->socket_path);
	if (ping->fd < 0)
		return errno != ETIMEDOUT;
	imsg_foreign(message);
	(void)send(ping->fd, message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (loop_watch(ping->loop, ping->fd, EPOLLIN, on_readable, ping, &ping->watch) == 0)
		return true;
	loop_close_fd(&ping->fd);
	return false;
}

/* If no server listens, calls answered() too: the caller tries to attach and gets the error. */
static void on_timer(void *data)
{
	struct ping *ping = data;
	if (!send_ping(ping))
		loop_timeout_start(&ping->timer, backoff_next_ms(&ping->delay_ms));
	else if (ping->fd < 0)
		ping->answered(ping->data);
}

void ping_init(struct ping *ping, struct muxbus_loop *loop, const char *socket_path,
    void (*answered)(void *data), void *data)
{
	ping->loop = loop;
	ping->socket_path = socket_path;
	ping->fd = -1;
	ping->socket = 0;
	ping->watch = NULL;
	ping->delay_ms = 0;
	ping->answered = answered;
	ping->data = data;
	loop_timeout_init(&ping->timer, loop, on_timer, ping);
}

void ping_start(struct ping *ping)
{
	if (ping_is_waiting(ping))
		return;
	ping_stop(ping);
	ping->delay_ms = 0;
	ping->socket = find_socket(ping);
	loop_timeout_start(&ping->timer, 0);
}

bool ping_is_waiting(const struct ping *ping)
{
	return (ping->fd >= 0 || loop_timeout_is_running(&ping->timer)) &&
	    find_socket(ping) == ping->socket;
}

void ping_stop(struct ping *ping)
{
	loop_timeout_stop(&ping->timer);
	loop_close(&ping->watch, &ping->fd);
}
