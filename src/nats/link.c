/* SPDX-License-Identifier: ISC */
/* The link to muxbusd. */
#include "nats/link.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/map.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "io/loop_timer.h"
#include "wire/line.h"
#include "wire/message.h"

#define READ_SIZE ((size_t)64 * 1024)

struct pending {
	link_answer_fn *answer;
	void *data;
};

struct link {
	struct event_base *base;
	struct link_handlers handlers;
	char *socket;
	int fd; /* -1: down */
	struct event *on_read;
	struct event *on_write;
	struct loop_timer *retry;
	unsigned delay_ms;
	struct line_input in;
	struct buf out;
	size_t sent; /* bytes of out */
	struct json_reader *reader;
	struct map pending; /* by id */
	uint64_t last_id;
	bool is_paused;
	bool is_reading; /* in read_lines() */
};

static void connect_now(void *data);

struct link *link_new(
    struct event_base *base, const char *socket, const struct link_handlers *handlers)
{
	struct link *link = xcalloc(1, sizeof *link);
	link->base = base;
	link->handlers = *handlers;
	link->socket = xstrdup(socket);
	link->fd = -1;
	link->retry = loop_timer_new(base, connect_now, link);
	line_input_init(&link->in, LINK_LINE_MAX);
	buf_init(&link->out, LINK_UNSENT_MAX);
	link->reader = json_reader_new(LINK_LINE_MAX);
	map_init(&link->pending);
	return link;
}

/* Closes the socket and forgets what was under way. */
static void close_socket(struct link *link)
{
	if (link->fd < 0)
		return;
	event_free(link->on_read);
	event_free(link->on_write);
	(void)close(link->fd);
	link->fd = -1;
	line_input_finish(&link->in);
	line_input_init(&link->in, LINK_LINE_MAX);
	buf_clear(&link->out);
	link->sent = 0;
}

void link_free(struct link *link)
{
	size_t cursor = 0;
	uint64_t id;
	void *entry;
	if (link == NULL)
		return;
	close_socket(link);
	while (map_next(&link->pending, &cursor, &id, &entry))
		mem_free(entry);
	map_finish(&link->pending);
	line_input_finish(&link->in);
	buf_finish(&link->out);
	json_reader_free(link->reader);
	loop_timer_free(link->retry);
	mem_free(link->socket);
	mem_free(link);
}

static void link_down(struct link *link, const char *reason)
{
	struct map lost = link->pending;
	size_t cursor = 0;
	uint64_t id;
	void *entry;
	map_init(&link->pending);
	close_socket(link);
	while (map_next(&lost, &cursor, &id, &entry)) {
		struct pending *pending = entry;
		pending->answer(pending->data, NULL);
		mem_free(pending);
	}
	map_finish(&lost);
	link->handlers.down(link->handlers.data, reason);
	loop_timer_arm(link->retry, backoff_next_ms(&link->delay_ms));
}

/* The response to one of our requests, or an event. */
static void take_line(struct link *link, const char *line, size_t len)
{
	struct json_error error;
	const struct json *message = json_read(link->reader, line, len, &error);
	const struct json *method = json_member(message, "method");
	struct pending *pending;
	int64_t id;
	if (message == NULL) {
		log_warning("muxbusd sent a line that is not JSON");
		return;
	}
	if (message_is_ending(message))
		return; /* the connection ends next */
	if (method != NULL) {
		if (link->handlers.event != NULL && method->type == JSON_STRING &&
		    strcmp(method->text, "event") == 0)
			link->handlers.event(link->handlers.data, json_member(message, "params"));
		return;
	}
	if (!json_int(json_member(message, "id"), &id))
		return;
	pending = map_remove(&link->pending, (uint64_t)id);
	if (pending == NULL)
		return;
	pending->answer(pending->data, message);
	mem_free(pending);
}

/* Takes the lines that are there, until a handler pauses or loses the link. */
static void take_lines(struct link *link)
{
	enum line_result result;
	const char *line;
	size_t len;
	if (link->is_reading)
		return;
	link->is_reading = true;
	while (link->fd >= 0 && !link->is_paused &&
	    (result = line_input_next(&link->in, &line, &len)) != LINE_NONE) {
		if (result == LINE_FOUND)
			take_line(link, line, len);
		else
			log_warning("muxbusd sent a line of more than %zu bytes", LINK_LINE_MAX);
	}
	link->is_reading = false;
}

static void on_readable(evutil_socket_t fd, short what, void *data)
{
	struct link *link = data;
	char bytes[READ_SIZE];
	ssize_t count = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
	(void)what;
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count <= 0) {
		link_down(link, count == 0 ? "muxbusd closed the connection" : strerror(errno));
		return;
	}
	line_input_add(&link->in, bytes, (size_t)count);
	take_lines(link);
}

static void on_writable(evutil_socket_t fd, short what, void *data)
{
	struct link *link = data;
	ssize_t count = send(fd, link->out.data + link->sent, link->out.len - link->sent,
	    MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)what;
	if (count < 0 && errno != EAGAIN && errno != EINTR) {
		link_down(link, strerror(errno));
		return;
	}
	link->sent += count > 0 ? (size_t)count : 0;
	if (link->sent < link->out.len)
		return;
	buf_clear(&link->out);
	buf_shrink(&link->out, READ_SIZE);
	link->sent = 0;
	(void)event_del(link->on_write);
}

/* Connects; a socket of this machine answers at once. Returns -1 with errno. */
static int open_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int saved_errno, fd;
	if (strlen(path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
		if (process_is_peer(fd, NULL))
			return fd;
		errno = EPERM; /* another user listens; nothing was sent */
	}
	saved_errno = errno;
	(void)close(fd);
	errno = saved_errno;
	return -1;
}

static void connect_now(void *data)
{
	struct link *link = data;
	char reason[256];
	link->fd = open_socket(link->socket);
	if (link->fd < 0) {
		(void)snprintf(reason, sizeof reason, "%.150s: %s", link->socket, strerror(errno));
		link_down(link, reason);
		return;
	}
	link->delay_ms = 0;
	link->is_paused = false;
	link->on_read = event_new(link->base, link->fd, EV_READ | EV_PERSIST, on_readable, link);
	link->on_write = event_new(link->base, link->fd, EV_WRITE | EV_PERSIST, on_writable, link);
	(void)event_add(link->on_read, NULL);
	link->handlers.up(link->handlers.data);
}

void link_start(struct link *link)
{
	loop_timer_arm(link->retry, 0);
}

bool link_is_up(const struct link *link)
{
	return link->fd >= 0;
}

size_t link_pending(const struct link *link)
{
	return link->pending.count;
}

bool link_ask(
    struct link *link, const char *method, const char *params, link_answer_fn *answer, void *data)
{
	struct pending *pending;
	uint64_t id = ++link->last_id;
	if (link->fd < 0 ||
	    buf_printf(&link->out,
		"{\"jsonrpc\":\"2.0\",\"id\":%" PRIu64 ",\"method\":\"%s\",\"params\":%s}\n", id,
		method, params != NULL ? params : "{}") < 0)
		return false;
	pending = xcalloc(1, sizeof *pending);
	pending->answer = answer;
	pending->data = data;
	if (map_set(&link->pending, id, pending) < 0) {
		mem_free(pending);
		return false;
	}
	(void)event_add(link->on_write, NULL);
	return true;
}

void link_pause(struct link *link, bool is_paused)
{
	if (link->fd < 0 || link->is_paused == is_paused)
		return;
	link->is_paused = is_paused;
	if (is_paused) {
		(void)event_del(link->on_read);
	} else {
		(void)event_add(link->on_read, NULL);
		take_lines(link);
	}
}
