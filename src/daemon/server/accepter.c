/* SPDX-License-Identifier: ISC */
/* A socket that listens: made with its mode and group, and removed again. */
#include "daemon/server/accepter.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "io/loop_timer.h"

#define BACKLOG 128
#define ACCEPTS_PER_TURN 16
#define PAUSE_MS 100 /* without free descriptors */

struct accepter {
	struct accepter_order order;
	void (*busy)(void *data, int fd);
	void *data;
	int fd;
	int spare_fd; /* closed to report "busy" */
	struct event *accept_event;
	struct loop_timer *pause_timer;
	dev_t dev; /* of the socket that we made */
	ino_t ino;
};

static int open_spare(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	/* Its length was checked by address_check(). */
	memcpy(address.sun_path, path, strnlen(path, sizeof address.sun_path - 1));
	return address;
}

int accepter_clear(const char *path, char *ret_reason, size_t size)
{
	struct stat st;
	struct sockaddr_un address;
	struct ucred peer;
	unsigned tries = 0;
	int r, connect_errno, fd;
	if (lstat(path, &st) < 0)
		return errno == ENOENT
		    ? 0
		    : str_refuse(ret_reason, size, "%s: %s", path, strerror(errno));
	address = address_of(path);
	do {
		peer.pid = 0;
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd < 0)
			return str_refuse(ret_reason, size, "socket: %s", strerror(errno));
		r = connect(fd, (struct sockaddr *)&address, sizeof address);
		connect_errno = errno;
		if (r == 0)
			(void)process_is_peer(fd, &peer);
		(void)close(fd); /* it was only a test */
	} while ((r == 0 || connect_errno == EAGAIN) && process_await_release(peer.pid, &tries));
	if (r == 0 || connect_errno != ECONNREFUSED)
		return str_refuse(ret_reason, size, "%s: %s", path,
		    r == 0 || connect_errno == EAGAIN ? "another program listens there"
						      : strerror(connect_errno));
	if (unlink(path) < 0 && errno != ENOENT)
		return str_refuse(ret_reason, size, "%s: %s", path, strerror(errno));
	return 0;
}

/*
 * Binds a socket that was never open to others than it is for: before listen() none can connect.
 * Returns it, or -1 with errno.
 */
static int bind_socket(struct accepter *accepter)
{
	const struct accepter_order *order = &accepter->order;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int saved_errno;
	struct sockaddr_un address;
	struct stat st;
	if (fd < 0)
		return -1;
	address = address_of(order->path);
	/* The mode of the descriptor becomes that of the file, whatever the umask. */
	if (fchmod(fd, 0600) == 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0) {
		if ((order->group == (gid_t)-1 ||
			lchown(order->path, (uid_t)-1, order->group) == 0) &&
		    (order->mode == 0600 || chmod(order->path, order->mode) == 0) &&
		    lstat(order->path, &st) == 0 && listen(fd, BACKLOG) == 0) {
			accepter->dev = st.st_dev;
			accepter->ino = st.st_ino;
			return fd;
		}
		saved_errno = errno;
		(void)unlink(order->path); /* it was made here */
		errno = saved_errno;
	}
	saved_errno = errno;
	(void)close(fd); /* nothing was written to it */
	errno = saved_errno;
	return -1;
}

/* Out of descriptors: reports "busy" to a waiting peer with the spare one. */
static void shed(struct accepter *accepter)
{
	for (int i = 0; i < ACCEPTS_PER_TURN && accepter->spare_fd >= 0; i++) {
		int fd;
		(void)close(accepter->spare_fd); /* of /dev/null */
		accepter->spare_fd = -1;
		fd = accept4(accepter->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0)
			accepter->busy(accepter->data, fd);
		accepter->spare_fd = open_spare();
		if (fd < 0)
			break;
	}
	/* The socket stays readable: without a pause the loop would spin. */
	(void)event_del(accepter->accept_event);
	loop_timer_arm(accepter->pause_timer, PAUSE_MS);
}

static void on_pause_end(void *data)
{
	struct accepter *accepter = data;
	if (accepter->spare_fd < 0)
		accepter->spare_fd = open_spare();
	(void)event_add(accepter->accept_event, NULL);
}

static void on_accept(evutil_socket_t socket, short events, void *data)
{
	struct accepter *accepter = data;
	(void)events;
	for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
		int fd = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			accepter->order.accepted(accepter->data, fd);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
			log_warning(
			    "cannot accept: %s; pausing for %d ms", strerror(errno), PAUSE_MS);
			shed(accepter);
		}
		return;
	}
}

struct accepter *accepter_new(struct event_base *base, const struct accepter_order *order,
    void (*busy)(void *data, int fd), void *data, char *ret_reason, size_t size)
{
	struct accepter *accepter = xcalloc(1, sizeof *accepter);
	*accepter = (struct accepter){.order = *order, .busy = busy, .data = data};
	accepter->spare_fd = open_spare();
	accepter->fd = order->given_fd > 0 ? order->given_fd : bind_socket(accepter);
	if (accepter->fd < 0) {
		(void)str_refuse(ret_reason, size, "%s: %s", order->path, strerror(errno));
		accepter_free(accepter);
		return NULL;
	}
	accepter->accept_event =
	    event_new(base, accepter->fd, EV_READ | EV_PERSIST, on_accept, accepter);
	accepter->pause_timer = loop_timer_new(base, on_pause_end, accepter);
	if (accepter->accept_event == NULL || event_add(accepter->accept_event, NULL) < 0) {
		(void)str_refuse(ret_reason, size, "%s: cannot watch the socket", order->path);
		accepter_free(accepter);
		return NULL;
	}
	return accepter;
}

void accepter_free(struct accepter *accepter)
{
	struct stat st;
	if (accepter == NULL)
		return;
	/* The socket of a service manager stays: the next connection restarts us. */
	if (accepter->fd >= 0 && accepter->order.given_fd == 0 &&
	    lstat(accepter->order.path, &st) == 0 && st.st_dev == accepter->dev &&
	    st.st_ino == accepter->ino)
		(void)unlink(
		    accepter->order.path); /* if it stays, the next daemon finds it stale */
	if (accepter->accept_event != NULL)
		event_free(accepter->accept_event);
	loop_timer_free(accepter->pause_timer);
	if (accepter->fd >= 0)
		(void)close(accepter->fd); /* nothing was written to it */
	if (accepter->spare_fd >= 0)
		(void)close(accepter->spare_fd); /* of /dev/null */
	mem_free(accepter);
}
