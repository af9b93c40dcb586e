/* SPDX-License-Identifier: ISC */
#include "daemon/server/server.h"

#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/process.h"
#include "daemon/core/config.h"
#include "daemon/core/counters.h"
#include "daemon/core/rlimit.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/output.h"
#include "daemon/server/peer.h"
#include "daemon/server/peer_pane.h"
#include "daemon/server/request.h"
#include "daemon/server/role.h"
#include "io/loop_timer.h"
#include "wire/address.h"

/* An accepter takes peers from a socket. If no descriptor is free, it answers "busy" and pauses. */

struct accepter_order {
	const char *path; /* path of the socket; its length was checked */
	int given_fd; /* a socket that listens there already, and is kept; 0: make one */
	mode_t mode; /* mode of the socket, if it is made */
	gid_t group; /* -1: our own group */
	enum role role; /* role of the peers that connect */
};

#define ACCEPTS_PER_TURN 16
#define PAUSE_MS 100

struct accepter {
	struct accepter_order order;
	struct server *server;
	int fd;
	int spare_fd; /* closed for a moment if a descriptor is needed to answer "busy" */
	struct event *accept_event;
	struct loop_timer *pause_timer;
	dev_t dev; /* device and inode of the socket's file */
	ino_t ino;
};

#define ACCEPTERS_MAX 2
#define DRAINS_MAX 16
#define SCRATCH_BYTES ((size_t)64 * 1024)
#define DRAIN_MS 1000
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif

struct server {
	struct daemon *parts;
	struct dispatch *dispatch;
	struct accepter *accepters[ACCEPTERS_MAX]; /* NULL: closed, or not wanted */
	struct list peers;
	struct peer_shared shared;
	struct output_stage stage; /* the big buffers come last: server_new() does not clear them */
	char scratch[SCRATCH_BYTES];
};

static void admit(struct server *server, int fd, enum role role);
static void turn_away(struct server *server, int fd, enum message_error error, const char *text);

static int open_spare(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	memcpy(address.sun_path, path, strnlen(path, sizeof address.sun_path - 1));
	return address;
}

static int accepter_clear(const char *path, char *ret_reason, size_t size)
{
	struct stat st;
	struct sockaddr_un address;
	struct ucred peer;
	unsigned tries = 0;
	int r, connect_errno, fd;
	if (address_check(path, ret_reason, size) < 0)
		return -1;
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
		(void)close(fd);
	} while ((r == 0 || connect_errno == EAGAIN) && process_await_release(peer.pid, &tries));
	if (r == 0 || connect_errno != ECONNREFUSED)
		return str_refuse(ret_reason, size, "%s: %s", path,
		    r == 0 || connect_errno == EAGAIN ? "another program listens there"
						      : strerror(connect_errno));
	if (unlink(path) < 0 && errno != ENOENT)
		return str_refuse(ret_reason, size, "%s: %s", path, strerror(errno));
	return 0;
}

/* Makes a socket. Its mode is set before listen(), so that no excluded user can connect. */
static int bind_socket(const struct accepter_order *order)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int saved_errno;
	struct sockaddr_un address;
	if (fd < 0)
		return -1;
	address = address_of(order->path);
	/* bind() makes the file with the mode of the descriptor, less the umask. */
	if (fchmod(fd, 0600) == 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0) {
		if ((order->group == (gid_t)-1 ||
			lchown(order->path, (uid_t)-1, order->group) == 0) &&
		    (order->mode == 0600 || chmod(order->path, order->mode) == 0) &&
		    listen(fd, SOMAXCONN) == 0)
			return fd;
		saved_errno = errno;
		(void)unlink(order->path);
		errno = saved_errno;
	}
	saved_errno = errno;
	(void)close(fd);
	errno = saved_errno;
	return -1;
}

static void shed(struct accepter *accepter)
{
	for (int i = 0; i < ACCEPTS_PER_TURN && accepter->spare_fd >= 0; i++) {
		int fd;
		(void)close(accepter->spare_fd);
		accepter->spare_fd = -1;
		fd = accept4(accepter->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0)
			turn_away(accepter->server, fd, MESSAGE_BUSY,
			    "the daemon has no file descriptors left: try again later");
		accepter->spare_fd = open_spare();
		if (fd < 0)
			break;
	}
	/* The socket stays readable, so the loop would not sleep without a pause. */
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

static void on_accept(evutil_socket_t socket, short events UNUSED, void *data)
{
	struct accepter *accepter = data;
	for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
		int fd = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			admit(accepter->server, fd, accepter->order.role);
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

/* Returns true if the socket's file is still ours. A later file may have the same inode number. */
static bool accepter_is_there(const struct accepter *accepter)
{
	struct stat st;
	return lstat(accepter->order.path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    st.st_dev == accepter->dev && st.st_ino == accepter->ino;
}

static void accepter_free(struct accepter *accepter)
{
	if (accepter == NULL)
		return;
	/* Keep a socket of the service manager: the next connection starts the daemon again. */
	if (accepter->fd >= 0 && accepter->order.given_fd == 0 && accepter_is_there(accepter))
		(void)unlink(accepter->order.path);
	if (accepter->accept_event != NULL)
		event_free(accepter->accept_event);
	loop_timer_free(accepter->pause_timer);
	if (accepter->fd >= 0)
		(void)close(accepter->fd);
	if (accepter->spare_fd >= 0)
		(void)close(accepter->spare_fd);
	mem_free(accepter);
}

static struct accepter *accepter_new(
    struct server *server, const struct accepter_order *order, char *ret_reason, size_t size)
{
	struct event_base *base = server->parts->base;
	struct accepter *accepter = xalloc(sizeof *accepter);
	struct stat st = {0};
	*accepter = (struct accepter){.order = *order, .server = server};
	accepter->spare_fd = open_spare();
	accepter->fd = order->given_fd > 0 ? order->given_fd : bind_socket(order);
	if (accepter->fd < 0) {
		(void)str_refuse(ret_reason, size, "%s: %s", order->path, strerror(errno));
		accepter_free(accepter);
		return NULL;
	}
	(void)lstat(order->path, &st);
	accepter->dev = st.st_dev;
	accepter->ino = st.st_ino;
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

/*
 * Disconnects peers that do not read, the peer with the most bytes first, until the others have at
 * most PEERS_UNREAD_MAX together.
 */
static void on_grown(void *data)
{
	struct server *server = data;
	for (;;) {
		int64_t now_ms = clock_mono_ms(), idle_ms;
		size_t total = 0, most = 0;
		struct peer *worst = NULL;
		next_each (struct peer, peer, server_next_peer, server) {
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
		(void)malloc_trim(0);
	}
}

struct server *server_new(struct daemon *parts, char *ret_reason, size_t reason_size)
{
	const struct config *config = parts->config;
	bool is_given = config->listen_fd > 0; /* the service manager listens on the socket */
	const char *readonly = config->readonly_socket;
	struct server *server;
	if ((is_given ? address_check(config->socket, ret_reason, reason_size)
		      : accepter_clear(config->socket, ret_reason, reason_size)) < 0 ||
	    (readonly[0] != '\0' && accepter_clear(readonly, ret_reason, reason_size) < 0))
		return NULL;
	server = xalloc(sizeof *server);
	memset(server, 0, offsetof(struct server, stage.bytes));
	server->parts = parts;
	server->dispatch = dispatch_new(parts);
	dispatch_hooks(server->dispatch)->begin = role_begin;
	dispatch_hooks(server->dispatch)->admit = role_admit;
	list_init(&server->peers);
	server->shared = (struct peer_shared){
	    .parts = parts,
	    .line = dispatch_line,
	    .too_long = dispatch_too_long,
	    .data = server->dispatch,
	    .grown = on_grown,
	    .grown_data = server,
	    .scratch = server->scratch,
	    .scratch_size = SCRATCH_BYTES,
	    .stage = &server->stage,
	};
	return server;
}

void server_free(struct server *server)
{
	int64_t until_ms;
	if (server == NULL)
		return;
	server_close_listener(server);
	until_ms = clock_mono_ms() + DRAIN_MS;
	next_each (struct peer, peer, server_next_peer, server)
		dispatch_goodbye(server->dispatch, peer);
	request_end_all();
	while (!list_is_empty(&server->peers)) {
		struct peer *peer = peer_of_link(server->peers.next);
		peer_drain(peer, until_ms);
		peer_free(peer);
	}
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

static void turn_away(struct server *server, int fd, enum message_error error, const char *text)
{
	struct buf line;
	struct json_writer writer;
	json_start(&writer, &line, 2048);
	message_write_error(&writer, "null", error, text, NULL);
	(void)!send(fd, line.data, line.len, MSG_NOSIGNAL | MSG_DONTWAIT);
	buf_finish(&line);
	/* Read the input: otherwise close() resets the connection, and the line may be lost. */
	for (int i = 0; i < DRAINS_MAX; i++)
		if (recv(fd, server->scratch, sizeof server->scratch, MSG_DONTWAIT) <= 0)
			break;
	(void)close(fd);
	server->parts->counters->refused++;
}

/* Returns the maximum number of peers, which leaves descriptors for other work. */
static size_t peers_max(const struct server *server)
{
	size_t max = (size_t)server->parts->config->limits.peers;
	size_t room = rlimit_file_room();
	return room < max ? room : max;
}

/* Reads the process of a peer; since Linux 6.5, not another process that has the pid by now. */
static void read_origin(int fd, pid_t pid, struct peer_origin *ret_origin)
{
	struct pollfd process = {.fd = -1, .events = POLLIN};
	socklen_t size = sizeof process.fd;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &process.fd, &size) < 0)
		process.fd = -1;
	peer_origin_read(pid, ret_origin);
	if (process.fd < 0)
		return;
	if (poll(&process, 1, 0) > 0) {
		ret_origin->count = 0;
		ret_origin->is_whole = false;
	}
	(void)close(process.fd);
}

static void admit(struct server *server, int fd, enum role role)
{
	struct peer_origin origin;
	struct ucred who = {.pid = -1};
	struct peer *peer;
	size_t max;
	if (!process_is_peer(fd, &who) && (role != ROLE_READ_ONLY || who.pid < 0)) {
		log_warning("a connection by another user was refused");
		server->parts->counters->refused++;
		(void)close(fd);
		return;
	}
	max = peers_max(server) /
	    (role == ROLE_READ_ONLY ? 2 : 1); /* so that other users cannot take all places */
	if (server_peer_count(server) >= max) {
		char text[160];
		(void)snprintf(text, sizeof text,
		    "%zu programs are connected already (limit peers): try again when some "
		    "have disconnected",
		    max);
		turn_away(server, fd, MESSAGE_LIMIT, text);
		return;
	}
	read_origin(fd, who.pid, &origin);
	peer = peer_new(&server->shared, fd, &who, &origin, role);
	if (role == ROLE_READ_ONLY && *peer_line_max(peer) > PEER_READER_LINE_MAX)
		*peer_line_max(peer) = PEER_READER_LINE_MAX;
	list_append(&server->peers, peer_link(peer));
	server->parts->counters->accepted++;
}

int server_listen(struct server *server, char *ret_reason, size_t reason_size)
{
	const struct config *config = server->parts->config;
	const struct accepter_order orders[ACCEPTERS_MAX] = {
	    {.path = config->socket,
		.given_fd = config->listen_fd,
		.mode = 0600,
		.group = (gid_t)-1,
		.role = ROLE_FULL},
	    {.path = config->readonly_socket,
		.mode = config->readonly_mode,
		.group = config->readonly_group,
		.role = ROLE_READ_ONLY},
	};
	for (size_t at = 0; at < ACCEPTERS_MAX; at++) {
		if (orders[at].path[0] == '\0')
			continue;
		server->accepters[at] = accepter_new(server, &orders[at], ret_reason, reason_size);
		if (server->accepters[at] == NULL) {
			server_close_listener(server);
			return -1;
		}
	}
	return 0;
}

void server_listen_anew(struct server *server)
{
	for (size_t at = 0; at < ACCEPTERS_MAX; at++) {
		struct accepter *old = server->accepters[at], *accepter = NULL;
		struct accepter_order order;
		char reason[512];
		if (old == NULL || accepter_is_there(old))
			continue;
		order = old->order;
		order.given_fd = 0;
		if (accepter_clear(order.path, reason, sizeof reason) == 0)
			accepter = accepter_new(server, &order, reason, sizeof reason);
		if (accepter == NULL) {
			log_error("the socket was removed: %s", reason);
			continue;
		}
		accepter_free(old);
		server->accepters[at] = accepter;
		log_info("the socket was removed; it is made again at %s", order.path);
	}
}

void server_close_listener(struct server *server)
{
	for (size_t at = 0; at < ACCEPTERS_MAX; at++) {
		accepter_free(server->accepters[at]);
		server->accepters[at] = NULL;
	}
}
