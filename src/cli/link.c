/* SPDX-License-Identifier: ISC */
/* The link to muxbusd: connects, sends lines, reads lines with a deadline. */
#include "cli/link.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "cli/remote.h"
#include "wire/message.h"

#define READ_SIZE ((size_t)64 * 1024)
#define KEEP_SIZE ((size_t)1024 * 1024) /* memory that is kept between long lines */

struct link {
	int fd;
	pid_t ssh; /* that carries the link; 0: none */
	struct buf in; /* received bytes: lines from `at` on */
	size_t at; /* lines before it were returned already */
	size_t searched; /* there is no newline before it */
	bool has_ended;
	int error; /* errno that ended the link, 0: an orderly end */
	uint64_t last_id;
	struct json_reader *reader;
	link_other_fn *other;
	void *other_data;
};

static enum link_state refuse(
    int fd, enum link_state state, char *ret_reason, size_t size, const char *path)
{
	const char *what = state == LINK_NO_SOCKET ? "there is no socket at"
	    : state == LINK_DEAD                   ? "no daemon listens at"
	    : state == LINK_NOT_OURS               ? "another user listens at"
						   : NULL;
	if (what != NULL)
		(void)snprintf(ret_reason, size, "%s %s", what, path);
	else
		(void)snprintf(ret_reason, size, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		(void)close(fd); /* nothing was written */
	return state;
}

static struct link *link_new(int fd, pid_t ssh)
{
	const struct timeval timeout = {.tv_sec = LINK_SEND_TIMEOUT_MS / 1000};
	struct link *link = xcalloc(1, sizeof *link);
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
	link->fd = fd;
	link->ssh = ssh;
	buf_init(&link->in, LINK_LINE_MAX + READ_SIZE);
	link->reader = json_reader_new(LINK_LINE_MAX);
	return link;
}

enum link_state link_open(
    struct link **ret_link, const char *socket_path, char *ret_reason, size_t size)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timeval timeout = {.tv_sec = LINK_SEND_TIMEOUT_MS / 1000};
	pid_t ssh;
	int fd;
	*ret_link = NULL;
	if (strncmp(socket_path, REMOTE_PREFIX, strlen(REMOTE_PREFIX)) == 0) {
		fd = remote_open(socket_path, &ssh, ret_reason, size);
		*ret_link = fd >= 0 ? link_new(fd, ssh) : NULL;
		return fd >= 0 ? LINK_OK : LINK_FAILED;
	}
	if (strlen(socket_path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return refuse(-1, LINK_FAILED, ret_reason, size, socket_path);
	}
	memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return refuse(fd, LINK_FAILED, ret_reason, size, socket_path);
	/* A daemon that does not accept has a full queue: connect() would block forever. */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
		enum link_state state = errno == ENOENT || errno == ENOTDIR ? LINK_NO_SOCKET
		    : errno == ECONNREFUSED                                 ? LINK_DEAD
									    : LINK_FAILED;
		return refuse(fd, state, ret_reason, size, socket_path);
	}
	if (!process_is_peer(fd, NULL))
		return refuse(fd, LINK_NOT_OURS, ret_reason, size, socket_path);
	*ret_link = link_new(fd, 0);
	return LINK_OK;
}

void link_close(struct link *link)
{
	if (link == NULL)
		return;
	(void)close(link->fd); /* all output was sent */
	if (link->ssh > 0)
		remote_close(link->ssh);
	buf_finish(&link->in);
	json_reader_free(link->reader);
	mem_free(link);
}

int link_fd(const struct link *link)
{
	return link->fd;
}

static int send_all(struct link *link, const void *bytes, size_t len)
{
	int64_t deadline = clock_mono_ms() + LINK_SEND_TIMEOUT_MS;
	const char *at = bytes;
	while (len > 0) {
		ssize_t n = send(link->fd, at, len, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return -1; /* SO_SNDTIMEO gives EAGAIN if the daemon does not read */
		if (n > 0) {
			at += n;
			len -= (size_t)n;
			deadline = clock_mono_ms() + LINK_SEND_TIMEOUT_MS;
		} else if (clock_mono_ms() > deadline) {
			errno = ETIMEDOUT;
			return -1;
		}
	}
	return 0;
}

static const char *find_newline(const struct link *link)
{
	if (link->in.data == NULL || link->searched >= link->in.len)
		return NULL;
	return memchr(link->in.data + link->searched, '\n', link->in.len - link->searched);
}

bool link_has_line(const struct link *link)
{
	return find_newline(link) != NULL;
}

static void end(struct link *link, int error)
{
	link->has_ended = true;
	link->error = error;
}

/* Moves unread bytes to the front. */
static void compact(struct link *link)
{
	buf_consume(&link->in, link->at);
	link->searched -= link->at;
	link->at = 0;
	if (link->in.cap > KEEP_SIZE && link->in.len < KEEP_SIZE / 2)
		buf_shrink(&link->in, KEEP_SIZE);
}

bool link_receive(struct link *link)
{
	ssize_t n;
	if (link->has_ended)
		return false;
	if (link->at > 0)
		compact(link);
	if (buf_reserve(&link->in, READ_SIZE) < 0) {
		end(link, EMSGSIZE);
		return false;
	}
	n = recv(link->fd, link->in.data + link->in.len, READ_SIZE, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0) {
		end(link, n < 0 ? errno : 0);
		return false;
	}
	link->in.len += (size_t)n;
	link->in.data[link->in.len] = '\0';
	return true;
}

static void take_line(
    struct link *link, const char *newline, const char **ret_line, size_t *ret_len)
{
	char *line = (char *)link->in.data + link->at;
	size_t len = (size_t)(newline - line);
	link->at += len + 1;
	link->searched = link->at;
	if (len > 0 && line[len - 1] == '\r')
		len--;
	line[len] = '\0';
	*ret_line = line;
	*ret_len = len;
}

/* Waits for input until the deadline (-1: none). LINK_LINE: there may be input. */
static enum link_read wait_for_input(struct link *link, int64_t deadline)
{
	struct pollfd fd = {.fd = link->fd, .events = POLLIN};
	int64_t left = deadline < 0 ? -1 : deadline - clock_mono_ms();
	int r;
	if (deadline >= 0 && left < 0)
		left = 0;
	r = poll(&fd, 1, left > INT_MAX ? INT_MAX : (int)left);
	if (r < 0)
		return errno == EINTR ? LINK_SIGNAL : LINK_BROKEN;
	return r == 0 && left <= INT_MAX ? LINK_LATE : LINK_LINE;
}

enum link_read link_read_line(
    struct link *link, int64_t timeout_ms, const char **ret_line, size_t *ret_len)
{
	int64_t deadline = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
	for (;;) {
		const char *newline = find_newline(link);
		enum link_read read;
		if (newline != NULL) {
			take_line(link, newline, ret_line, ret_len);
			return LINK_LINE;
		}
		link->searched = link->in.len;
		if (link->has_ended) {
			errno = link->error;
			return link->error ? LINK_BROKEN : LINK_END;
		}
		read = wait_for_input(link, deadline);
		if (read != LINK_LINE)
			return read;
		(void)link_receive(link); /* the loop sees an end */
	}
}

enum link_read link_read_message(struct link *link, int64_t timeout_ms,
    const struct json **ret_message, const char **ret_line, size_t *ret_len)
{
	struct json_error error;
	enum link_read read;
	do {
		read = link_read_line(link, timeout_ms, ret_line, ret_len);
		if (read != LINK_LINE)
			return read;
		*ret_message = json_read(link->reader, *ret_line, *ret_len, &error);
	} while (message_is_ending(*ret_message)); /* the end comes next */
	errno = EPROTO;
	return *ret_message != NULL ? LINK_LINE : LINK_BROKEN;
}

static const char *named_host; /* NULL: none */

void link_name_host(const char *host)
{
	named_host = host;
}

/* Writes the parameters, with the host if there is one. */
static void put_params(struct json_writer *writer, const char *params)
{
	json_object_begin(writer, "params");
	if (named_host != NULL)
		(void)json_put_text(writer, "host", named_host, strlen(named_host));
	if (params != NULL && strcmp(params, "{}") != 0) /* the members, without the brackets */
		json_put_raw(writer, NULL, params + 1, strlen(params) - 2);
	json_object_end(writer);
}

uint64_t link_request(struct link *link, const char *method, const char *params)
{
	struct json_writer writer;
	struct buf line;
	uint64_t id = ++link->last_id;
	int r;
	buf_init(&line, LINK_LINE_MAX);
	json_writer_init(&writer, &line);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "jsonrpc", "2.0");
	json_put_int(&writer, "id", (int64_t)id);
	json_put_str(&writer, "method", method);
	if (params != NULL && named_host == NULL)
		json_put_raw(&writer, "params", params, strlen(params));
	else if (named_host != NULL)
		put_params(&writer, params);
	json_object_end(&writer);
	r = writer.is_cut ? -1 : buf_append_byte(&line, '\n');
	if (r < 0)
		errno = EMSGSIZE;
	else
		r = send_all(link, line.data, line.len);
	buf_finish(&line);
	return r < 0 ? 0 : id;
}

void link_set_other(struct link *link, link_other_fn *other, void *data)
{
	link->other = other;
	link->other_data = data;
}

/* Whether a message is the answer to that request; fills *ret_answer. */
static bool take_answer(const struct json *message, uint64_t id, struct link_answer *ret_answer)
{
	int64_t number;
	const struct json *error = json_member(message, "error");
	const struct json *their_id = json_member(message, "id");
	bool is_ours;
	if (json_member(message, "method") != NULL || their_id == NULL)
		return false;
	/* An error without an id refers to a line that could not be parsed: our last one. */
	is_ours = json_int(their_id, &number) ? number == (int64_t)id
					      : their_id->type == JSON_NULL && error != NULL;
	if (is_ours) {
		ret_answer->result = json_member(message, "result");
		ret_answer->error = error;
	}
	return is_ours;
}

enum link_read link_await(
    struct link *link, uint64_t id, int64_t timeout_ms, struct link_answer *ret_answer)
{
	int64_t deadline = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
	for (;;) {
		const struct json *message;
		int64_t left = deadline < 0 ? -1 : deadline - clock_mono_ms();
		enum link_read read;
		*ret_answer = (struct link_answer){0};
		read = link_read_message(link, deadline >= 0 && left < 0 ? 0 : left, &message,
		    &ret_answer->line, &ret_answer->len);
		if (read != LINK_LINE)
			return read;
		if (take_answer(message, id, ret_answer)) {
			errno = EPROTO;
			return ret_answer->result != NULL || ret_answer->error != NULL
			    ? LINK_LINE
			    : LINK_BROKEN;
		}
		if (link->other != NULL)
			link->other(link->other_data, message, ret_answer->line, ret_answer->len);
	}
}

enum link_read link_ask(struct link *link, const char *method, const char *params,
    int64_t timeout_ms, struct link_answer *ret_answer)
{
	uint64_t id = link_request(link, method, params);
	*ret_answer = (struct link_answer){0};
	return id ? link_await(link, id, timeout_ms, ret_answer) : LINK_BROKEN;
}
