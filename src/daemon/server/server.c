/* SPDX-License-Identifier: ISC */
/* The server: listens on the socket, admits peers and counts them. */
#include "daemon/server/server.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/process.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/core/counters.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/output.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"
#include "daemon/server/server_parts.h"
#include "io/loop_timer.h"
#include "wire/address.h"
#include "wire/message.h"

#define BACKLOG 128
#define ACCEPTS_PER_TURN 16
#define PAUSE_MS 100 /* pause of the listener without free descriptors */
#define SCRATCH_BYTES ((size_t)64 * 1024)
#define DRAIN_MS 1000
#define RESERVED_FDS 40 /* reserved for tmux, the state, and future needs */

struct server {
	const struct server_parts *parts;
	struct dispatch *dispatch;
	int fd; /* the listener's; -1: closed */
	int spare_fd; /* a spare one, closed to report "busy" */
	struct event *accept_event;
	struct loop_timer *pause_timer; /* ends the listener's pause */
	dev_t dev; /* of the socket that we made */
	ino_t ino;
	struct list peers;
	struct peer_shared shared;
	struct output_stage stage; /* last, as scratch: unused space costs nothing */
	char scratch[SCRATCH_BYTES];
};

static void on_accept(evutil_socket_t fd, short events, void *data);
static void on_pause_end(void *data);

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

/* Removes a stale socket; refuses if a process listens there. */
static int remove_stale(const char *path, char *ret_reason, size_t size)
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

static void on_line(void *data, struct peer *peer, const char *line, size_t len)
{
	dispatch_line(data, peer, line, len);
}

static void on_too_long(void *data, struct peer *peer, const struct lost_id *lost)
{
	dispatch_too_long(data, peer, lost);
}

/* Peers that do not read have a maximum together: ends those with the most. */
static void on_grown(void *data)
{
	struct server *server = data;
	for (;;) {
		int64_t now_ms = clock_mono_ms(), idle_ms;
		size_t total = 0, most = 0;
		struct peer *worst = NULL;
		struct list *link;
		list_for_each (link, &server->peers) {
			struct peer *peer = peer_of_link(link);
			size_t bytes = peer_unread(peer, now_ms, &idle_ms);
			if (idle_ms < PEER_PRESSED_MS)
				continue;
			total += bytes;
			if (bytes > most) {
				most = bytes;
				worst = peer;
			}
		}
		if (total <= PEERS_UNREAD_MAX || worst == NULL)
			return;
		peer_disconnect(worst, "of those that do not read their output, it has the most");
		(void)malloc_trim(0); /* whether memory was freed does not matter */
	}
}

struct server *server_new(const struct server_parts *parts, char *ret_reason, size_t reason_size)
{
	const char *path = parts->config->socket;
	bool is_given = parts->config->listen_fd > 0; /* then the socket is ours, and not stale */
	struct server *server;
	if (address_check(path, ret_reason, reason_size) < 0 ||
	    (!is_given && remove_stale(path, ret_reason, reason_size) < 0))
		return NULL;
	server = xalloc(sizeof *server);
	memset(server, 0, offsetof(struct server, stage.bytes));
	server->parts = parts;
	server->dispatch = dispatch_new(parts);
	server->fd = -1;
	server->spare_fd = open_spare();
	list_init(&server->peers);
	server->shared = (struct peer_shared){
	    .parts = parts,
	    .line = on_line,
	    .too_long = on_too_long,
	    .data = server->dispatch,
	    .grown = on_grown,
	    .grown_data = server,
	    .scratch = server->scratch,
	    .scratch_size = SCRATCH_BYTES,
	    .stage = &server->stage,
	};
	return server;
}

/* Binds a socket that was never open to others. Returns it, or -1 with errno. */
static int bind_socket(struct server *server, const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int saved_errno;
	struct sockaddr_un address;
	struct stat st;
	if (fd < 0)
		return -1;
	address = address_of(path);
	/* The mode of the descriptor becomes that of the file, whatever the umask. */
	if (fchmod(fd, 0600) == 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
	    lstat(path, &st) == 0 && listen(fd, BACKLOG) == 0) {
		server->dev = st.st_dev;
		server->ino = st.st_ino;
		return fd;
	}
	saved_errno = errno;
	(void)close(fd); /* nothing was written to it */
	errno = saved_errno;
	return -1;
}

int server_listen(struct server *server, char *ret_reason, size_t reason_size)
{
	const char *path = server->parts->config->socket;
	int given = server->parts->config->listen_fd;
	server->fd = given > 0 ? given : bind_socket(server, path);
	if (server->fd < 0)
		return str_refuse(ret_reason, reason_size, "%s: %s", path, strerror(errno));
	server->accept_event =
	    event_new(server->parts->base, server->fd, EV_READ | EV_PERSIST, on_accept, server);
	server->pause_timer = loop_timer_new(server->parts->base, on_pause_end, server);
	if (server->accept_event == NULL || event_add(server->accept_event, NULL) < 0) {
		server_close_listener(server);
		return str_refuse(ret_reason, reason_size, "%s: cannot watch the socket", path);
	}
	return 0;
}

void server_close_listener(struct server *server)
{
	const char *path;
	struct stat st;
	if (server->fd < 0)
		return;
	path = server->parts->config->socket;
	/* The socket of a service manager stays: the next connection restarts us. */
	if (server->parts->config->listen_fd == 0 && lstat(path, &st) == 0 &&
	    st.st_dev == server->dev && st.st_ino == server->ino)
		(void)unlink(path); /* if it stays, the next daemon finds it stale */
	if (server->accept_event != NULL)
		event_free(server->accept_event);
	loop_timer_free(server->pause_timer);
	server->accept_event = NULL;
	server->pause_timer = NULL;
	(void)close(server->fd); /* nothing was written to it */
	server->fd = -1;
}

void server_free(struct server *server)
{
	struct list *link;
	int64_t until_ms;
	if (server == NULL)
		return;
	server_close_listener(server);
	until_ms = clock_mono_ms() + DRAIN_MS;
	list_for_each (link, &server->peers)
		dispatch_goodbye(server->dispatch, peer_of_link(link));
	request_end_all();
	while (!list_is_empty(&server->peers)) {
		struct peer *peer = peer_of_link(server->peers.next);
		peer_drain(peer, until_ms);
		peer_free(peer);
	}
	if (server->spare_fd >= 0)
		(void)close(server->spare_fd); /* of /dev/null */
	dispatch_free(server->dispatch);
	mem_free(server);
}

struct dispatch *server_dispatch(const struct server *server)
{
	return server->dispatch;
}

size_t server_peer_count(const struct server *server)
{
	return server->shared.count;
}

struct peer *server_next_peer(const struct server *server, struct peer *previous)
{
	struct list *next = previous != NULL ? peer_link(previous)->next : server->peers.next;
	return next == &server->peers ? NULL : peer_of_link(next);
}

/* Refuses a connection: sends one error line, if possible, and closes it. */
static void turn_away(struct server *server, int fd, enum message_error error, const char *text)
{
	struct buf line;
	struct json_writer writer;
	buf_init(&line, 2048);
	json_writer_init(&writer, &line);
	message_write_error(&writer, "null", error, text, NULL);
	(void)!send(fd, line.data, line.len, MSG_NOSIGNAL | MSG_DONTWAIT);
	buf_finish(&line);
	/* Its input is read, or the peer might see a reset before the line. */
	for (int i = 0; i < ACCEPTS_PER_TURN; i++)
		if (recv(fd, server->scratch, sizeof server->scratch, MSG_DONTWAIT) <= 0)
			break;
	(void)close(fd); /* the line was sent if possible */
	server->parts->counters->refused++;
}

/* The maximum number of peers: leaves descriptors for all other work. */
static size_t peers_max(const struct server *server)
{
	size_t max = (size_t)server->parts->config->limits.peers;
	struct rlimit files;
	size_t all, room;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur == RLIM_INFINITY)
		return max;
	all = (size_t)files.rlim_cur;
	room = all > 2 * RESERVED_FDS ? all - RESERVED_FDS : all / 2;
	return room < max ? room : max;
}

static void admit(struct server *server, int fd)
{
	struct ucred who;
	struct peer *peer;
	size_t max;
	if (!process_is_peer(fd, &who)) {
		log_warning("a connection by another user was refused");
		server->parts->counters->refused++;
		(void)close(fd); /* without a word */
		return;
	}
	max = peers_max(server);
	if (server_peer_count(server) >= max) {
		char text[160];
		(void)snprintf(text, sizeof text,
		    "%zu programs are connected already (limit peers): try again when some "
		    "have disconnected",
		    max);
		turn_away(server, fd, MESSAGE_LIMIT, text);
		return;
	}
	peer = peer_new(&server->shared, fd, who.pid, who.uid);
	list_append(&server->peers, peer_link(peer));
	server->parts->counters->accepted++;
}

/* Out of descriptors: reports "busy" to a waiting peer with the spare one. */
static void shed(struct server *server)
{
	for (int i = 0; i < ACCEPTS_PER_TURN && server->spare_fd >= 0; i++) {
		int fd;
		(void)close(server->spare_fd); /* of /dev/null */
		server->spare_fd = -1;
		fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0)
			turn_away(server, fd, MESSAGE_BUSY,
			    "the daemon has no file descriptors left: try again later");
		server->spare_fd = open_spare();
		if (fd < 0)
			break;
	}
	/* The listener stays readable: without a pause the loop would spin. */
	(void)event_del(server->accept_event);
	loop_timer_arm(server->pause_timer, PAUSE_MS);
}

static void on_pause_end(void *data)
{
	struct server *server = data;
	if (server->spare_fd < 0)
		server->spare_fd = open_spare();
	(void)event_add(server->accept_event, NULL);
}

static void on_accept(evutil_socket_t listener, short events, void *data)
{
	struct server *server = data;
	(void)events;
	for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			admit(server, fd);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
			log_warning(
			    "cannot accept: %s; pausing for %d ms", strerror(errno), PAUSE_MS);
			shed(server);
		}
		return;
	}
}
