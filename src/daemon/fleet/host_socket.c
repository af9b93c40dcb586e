/* SPDX-License-Identifier: ISC */
/* A connection to the socket of a daemon on this machine. */
#include "daemon/fleet/host_socket.h"

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "daemon/fleet/host_limits.h"
#include "io/loop_timer.h"
#include "wire/line.h"

enum { CHUNK = 64 * 1024, HOW_SIZE = 160 };

struct host_socket {
	const struct host_socket_handlers *handlers;
	void *data;
	int fd; /* -1: closed */
	struct event *readable, *writable;
	struct loop_timer *turn; /* up or ended is due */
	struct line_input input;
	struct buf queue;
	bool is_up;
	char how[HOW_SIZE]; /* it ended; "": it has not */
};

static void close_socket(struct host_socket *socket, const char *how)
{
	if (socket->how[0] != '\0')
		return;
	(void)snprintf(socket->how, sizeof socket->how, "%s", how);
	if (socket->readable != NULL)
		event_free(socket->readable);
	if (socket->writable != NULL)
		event_free(socket->writable);
	if (socket->fd >= 0)
		(void)close(socket->fd);
	socket->readable = socket->writable = NULL;
	socket->fd = -1;
	loop_timer_arm(socket->turn, 0);
}

static void on_turn(void *data)
{
	struct host_socket *socket = data;
	if (socket->how[0] != '\0') {
		socket->handlers->ended(socket->data, socket->how);
	} else if (!socket->is_up) {
		socket->is_up = true;
		socket->handlers->up(socket->data);
	}
}

static void on_readable(evutil_socket_t fd, short what, void *data)
{
	static char bytes[CHUNK];
	struct host_socket *socket = data;
	ssize_t len = recv(fd, bytes, sizeof bytes, 0);
	enum line_result result;
	const char *line;
	size_t line_len;
	(void)what;
	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (len <= 0) {
		close_socket(socket, len == 0 ? "the daemon has closed it" : strerror(errno));
		return;
	}
	line_input_add(&socket->input, bytes, (size_t)len);
	while (socket->fd >= 0 &&
	    (result = line_input_next(&socket->input, &line, &line_len)) != LINE_NONE) {
		if (result == LINE_FOUND)
			socket->handlers->line(socket->data, line, line_len);
		else
			socket->handlers->too_long(socket->data);
	}
}

static void flush_queue(struct host_socket *socket)
{
	while (socket->fd >= 0 && socket->queue.len > 0) {
		ssize_t put = send(socket->fd, socket->queue.data, socket->queue.len, MSG_NOSIGNAL);
		if (put >= 0)
			buf_consume(&socket->queue, (size_t)put);
		else if (errno == EAGAIN && event_add(socket->writable, NULL) == 0)
			return;
		else if (errno != EINTR)
			close_socket(socket, strerror(errno));
	}
	if (socket->queue.len == 0)
		buf_shrink(&socket->queue, CHUNK);
}

static void on_writable(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	flush_queue(data);
}

bool host_socket_write(struct host_socket *socket, const void *line, size_t len)
{
	bool was_empty = socket->queue.len == 0;
	if (socket->fd < 0 || buf_append(&socket->queue, line, len) != 0)
		return false;
	if (was_empty)
		flush_queue(socket);
	return true;
}

bool host_socket_is_open(const struct host_socket *socket)
{
	return socket->fd >= 0;
}

void host_socket_stop(struct host_socket *socket)
{
	close_socket(socket, "closed");
}

/* A UNIX socket connects at once, or not at all. Returns 0 or an error number. */
static int connect_to(struct host_socket *to, struct event_base *base, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path)
		return ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	to->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (to->fd < 0 || connect(to->fd, (struct sockaddr *)&address, sizeof address) < 0)
		return errno;
	if (!process_is_peer(to->fd, NULL))
		return EPERM;
	to->readable = event_new(base, to->fd, EV_READ | EV_PERSIST, on_readable, to);
	to->writable = event_new(base, to->fd, EV_WRITE, on_writable, to);
	if (to->readable == NULL || to->writable == NULL || event_add(to->readable, NULL) < 0)
		return ENOMEM;
	return 0;
}

struct host_socket *host_socket_new(struct event_base *base, const char *path,
    const struct host_socket_handlers *handlers, void *data)
{
	struct host_socket *socket = xcalloc(1, sizeof *socket);
	int error;
	socket->handlers = handlers;
	socket->data = data;
	socket->fd = -1;
	line_input_init(&socket->input, HOST_LINE_BYTES);
	buf_init(&socket->queue, HOST_QUEUE_BYTES);
	socket->turn = loop_timer_new(base, on_turn, socket);
	error = connect_to(socket, base, path);
	if (error != 0)
		close_socket(
		    socket, error == EPERM ? "another user listens there" : strerror(error));
	loop_timer_arm(socket->turn, 0);
	return socket;
}

void host_socket_free(struct host_socket *socket)
{
	if (socket == NULL)
		return;
	close_socket(socket, "closed");
	loop_timer_free(socket->turn);
	line_input_finish(&socket->input);
	buf_finish(&socket->queue);
	mem_free(socket);
}
