/* SPDX-License-Identifier: ISC */
#include "client/link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/process.h"
#include "wire/address.h"
#include "wire/message.h"

#define READ_SIZE ((size_t)64 * 1024)
#define CARRIER_MS 1000 /* time for a carrier to end by itself, and again after SIGTERM */
#define HEED_MS 2000 /* how long a wait for input still goes on after a signal */

struct link {
	int fd;
	pid_t carrier; /* child that link_close() ends and reaps; 0: none */
	struct line_input in;
	struct buf late; /* bytes received while has_line */
	bool has_line; /* the caller of link_next() uses a line of in */
	bool has_ended;
	bool is_refused; /* the last link_flush() has failed */
	int error; /* errno that ended the input; 0: the daemon closed the connection */
	struct buf out;
	size_t unsent_max; /* bytes of out, unless one line alone is longer */
	size_t sent; /* number of bytes of out that are already sent */
	uint64_t last_id;
	struct json_reader *reader; /* NULL until the first line is parsed */
	link_other_fn *other;
	void *other_data;
};

int link_connect(const char *path, int64_t wait_ms)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timeval wait = {.tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000};
	int fd, saved_errno;
	if (strlen(path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (wait_ms == 0 ? SOCK_NONBLOCK : 0), 0);
	if (fd < 0)
		return -1;
	/* Without a timeout, connect() would block forever if the queue of the socket is full. */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
		return fd;
	saved_errno = errno;
	(void)close(fd);
	errno = saved_errno;
	return -1;
}

/* Returns a descriptor, or -1 with errno; EPERM: another user listens, and nothing was sent. */
static int connect_to_own(const char *path, int64_t wait_ms)
{
	int fd = link_connect(path, wait_ms);
	if (fd < 0 || process_is_peer(fd, NULL))
		return fd;
	(void)close(fd);
	errno = EPERM;
	return -1;
}

static struct link *make(int fd, pid_t carrier, size_t line_max, size_t unsent_max)
{
	struct link *link = xcalloc(1, sizeof *link);
	link->fd = fd;
	link->carrier = carrier;
	line_input_init(&link->in, line_max);
	link->unsent_max = unsent_max;
	buf_init(&link->out, unsent_max);
	buf_init(&link->late, SIZE_MAX - 1);
	return link;
}

struct link *link_new(int fd, pid_t carrier)
{
	return make(fd, carrier, LINK_LINE_MAX, LINK_LINE_MAX);
}

struct link *link_try(const char *path, size_t line_max, size_t unsent_max)
{
	int fd = connect_to_own(path, 0);
	return fd >= 0 ? make(fd, 0, line_max, unsent_max) : NULL;
}

enum link_state link_open(struct link **ret_link, const char *path, char *ret_reason, size_t size)
{
	int fd = connect_to_own(path, LINK_SEND_TIMEOUT_MS);
	struct stat st;
	enum link_state state = fd >= 0           ? LINK_OK
	    : errno == ENOENT || errno == ENOTDIR ? LINK_NO_SOCKET
	    : errno == ECONNREFUSED               ? LINK_DEAD
	    : errno == EPERM                      ? LINK_NOT_OURS
						  : LINK_FAILED;
	static const char *const causes[] = {
	    [LINK_NO_SOCKET] = "there is no socket at",
	    [LINK_DEAD] = "no daemon listens at",
	    [LINK_NOT_OURS] = "another user listens at",
	};
	*ret_link = fd >= 0 ? link_new(fd, 0) : NULL;
	if (state == LINK_FAILED && errno == ENAMETOOLONG)
		(void)snprintf(ret_reason, size,
		    "the socket path has %zu bytes; at most %zu are allowed: choose another "
		    "with -s, for muxbusd too: %s",
		    strlen(path), ADDRESS_SOCKET_MAX, path);
	else if (state == LINK_FAILED)
		(void)snprintf(ret_reason, size, "%s: %s", path, strerror(errno));
	else if ((state == LINK_NO_SOCKET || state == LINK_DEAD) && lstat(path, &st) == 0 &&
	    !S_ISSOCK(st.st_mode)) {
		(void)snprintf(ret_reason, size, "a file that is not a socket is at %s", path);
		return LINK_FAILED;
	} else if (state != LINK_OK)
		(void)snprintf(ret_reason, size, "%s %s", causes[state], path);
	return state;
}

/* Ends the carrier. If the connection is lost, the carrier first gets time to end by itself. */
static void end_carrier(const struct link *link)
{
	int64_t wait_ms = link->has_ended || link->is_refused ? CARRIER_MS : 0;
	siginfo_t info;
	if (!child_ends_in(link->carrier, wait_ms, &info)) {
		(void)kill(link->carrier, SIGTERM);
		if (!child_ends_in(link->carrier, CARRIER_MS, &info))
			(void)kill(link->carrier, SIGKILL);
	}
	(void)child_reap(link->carrier);
}

void link_close(struct link *link)
{
	if (link == NULL)
		return;
	(void)close(link->fd);
	if (link->carrier > 0)
		end_carrier(link);
	line_input_finish(&link->in);
	buf_finish(&link->late);
	buf_finish(&link->out);
	json_reader_free(link->reader);
	mem_free(link);
}

int link_fd(const struct link *link)
{
	return link->fd;
}

bool link_is_flushed(const struct link *link)
{
	return link->out.len == 0;
}

bool link_queue(struct link *link, const void *bytes, size_t len)
{
	if (link_is_flushed(link))
		link->out.max = len > link->unsent_max ? len : link->unsent_max;
	return buf_append(&link->out, bytes, len) == 0;
}

bool link_flush(struct link *link)
{
	int error = 0;
	while (link->sent < link->out.len && error == 0) {
		ssize_t n = send(link->fd, link->out.data + link->sent, link->out.len - link->sent,
		    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n >= 0)
			link->sent += (size_t)n;
		else if (errno != EINTR)
			error = errno;
	}
	if (link->sent > link->out.len / 2) { /* seldom, since moving unsent bytes takes time */
		buf_consume(&link->out, link->sent);
		buf_shrink(&link->out, READ_SIZE);
		link->sent = 0;
	}
	link->is_refused = error != 0 && error != EAGAIN;
	errno = error;
	return !link->is_refused;
}

static const char *named_host;

void link_name_host(const char *host)
{
	named_host = host;
}

static void put_params(struct json_writer *writer, const char *params)
{
	json_object_begin(writer, "params");
	json_put_str(writer, "host", named_host);
	if (params != NULL && strcmp(params, "{}") != 0) /* writes the members without the braces */
		json_put_raw(writer, NULL, params + 1, strlen(params) - 2);
	json_object_end(writer);
}

uint64_t link_queue_request(struct link *link, const char *method, const char *params)
{
	struct json_writer writer;
	struct buf line;
	bool has_room;
	json_start_object(&writer, &line, link->out.max);
	json_put_str(&writer, "jsonrpc", "2.0");
	json_put_int(&writer, "id", (int64_t)link->last_id + 1);
	json_put_str(&writer, "method", method);
	if (named_host != NULL)
		put_params(&writer, params);
	else if (params != NULL)
		json_put_raw(&writer, "params", params, strlen(params));
	message_end(&writer);
	has_room = !writer.is_cut && link_queue(link, line.data, line.len);
	buf_finish(&line);
	errno = EMSGSIZE;
	return has_room ? ++link->last_id : 0;
}

bool link_send_all(struct link *link)
{
	int64_t end_ms = clock_deadline_ms(LINK_SEND_TIMEOUT_MS);
	while (link_flush(link) && !link_is_flushed(link)) {
		bool is_full = link->late.len + link->in.buf.len > LINK_LINE_MAX;
		short input = link->has_ended || is_full ? 0 : POLLIN;
		struct pollfd fd = {.fd = link->fd, .events = POLLOUT | input};
		int r = poll(&fd, 1, (int)clock_left_ms(end_ms));
		if (r == 0)
			errno = EAGAIN;
		if (r == 0 || (r < 0 && errno != EINTR))
			return false;
		if (r > 0 && fd.revents & input)
			link_receive(link);
		if (r > 0 && fd.revents & POLLOUT)
			end_ms = clock_deadline_ms(LINK_SEND_TIMEOUT_MS);
	}
	return link_is_flushed(link);
}

uint64_t link_request(struct link *link, const char *method, const char *params)
{
	uint64_t id = link_queue_request(link, method, params);
	return id != 0 && link_send_all(link) ? id : 0;
}

void link_receive(struct link *link)
{
	static char bytes[READ_SIZE]; /* not on the stack, which `ulimit -s` may limit to 64 KiB */
	ssize_t n = link->has_ended ? -1 : recv(link->fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (n > 0 && link->has_line) {
		if (buf_append(&link->late, bytes, (size_t)n) < 0)
			xalloc_fail();
	} else if (n > 0) {
		line_input_add(&link->in, bytes, (size_t)n);
	} else if (!link->has_ended && (n == 0 || (errno != EAGAIN && errno != EINTR))) {
		link->has_ended = true;
		link->error = n < 0 ? errno : 0;
	}
}

bool link_has_input(const struct link *link)
{
	return link->late.len > 0 || line_input_has_unseen(&link->in);
}

enum link_read link_next(struct link *link, const char **ret_line, size_t *ret_len)
{
	enum line_result found;
	if (link->late.len > 0)
		line_input_add(&link->in, link->late.data, link->late.len);
	buf_finish(&link->late);
	found = line_input_next(&link->in, ret_line, ret_len);
	link->has_line = found == LINE_FOUND;
	if (found == LINE_FOUND)
		return LINK_LINE;
	if (found == LINE_TOO_LONG) {
		link->has_ended = true;
		link->error = EMSGSIZE;
	}
	errno = link->error;
	return !link->has_ended ? LINK_LATE : link->error != 0 ? LINK_BROKEN : LINK_END;
}

static int heeded_fd = -1; /* the signalfd of link_heed(); -1: none */

void link_heed(int signal_fd)
{
	heeded_fd = signal_fd;
}

/* Waits for input until the deadline (-1: forever). Returns LINK_LINE if there may be input. */
static enum link_read wait_for_input(struct link *link, int64_t deadline)
{
	struct pollfd fds[] = {
	    {.fd = link->fd, .events = POLLIN}, {.fd = heeded_fd, .events = POLLIN}};
	int64_t left = clock_left_ms(deadline);
	int r = poll(fds, 2, left > INT_MAX ? INT_MAX : (int)left);
	if (r > 0 && fds[0].revents == 0) {
		r = poll(fds, 1, left < 0 || left > HEED_MS ? HEED_MS : (int)left);
		if (r == 0)
			return left != 0 ? LINK_SIGNAL : LINK_LATE;
	}
	if (r < 0)
		return errno == EINTR ? LINK_SIGNAL : LINK_BROKEN;
	return r == 0 && left <= INT_MAX ? LINK_LATE : LINK_LINE;
}

enum link_read link_read_line(
    struct link *link, int64_t timeout_ms, const char **ret_line, size_t *ret_len)
{
	int64_t deadline = clock_deadline_ms(timeout_ms);
	enum link_read read;
	while ((read = link_next(link, ret_line, ret_len)) == LINK_LATE) {
		read = wait_for_input(link, deadline);
		if (read != LINK_LINE)
			return read;
		link_receive(link);
	}
	return read;
}

const struct json *link_parse(struct link *link, const char *line, size_t len)
{
	struct json_error error;
	if (link->reader == NULL)
		link->reader = json_reader_new(link->in.max_bytes);
	return json_read(link->reader, line, len, &error);
}

enum link_read link_read_message(struct link *link, int64_t timeout_ms,
    const struct json **ret_message, const char **ret_line, size_t *ret_len)
{
	enum link_read read;
	do {
		read = link_read_line(link, timeout_ms, ret_line, ret_len);
		if (read != LINK_LINE)
			return read;
		*ret_message = link_parse(link, *ret_line, *ret_len);
	} while (message_is_ending(*ret_message));
	errno = EPROTO;
	return *ret_message != NULL ? LINK_LINE : LINK_BROKEN;
}

void link_set_other(struct link *link, link_other_fn *other, void *data)
{
	link->other = other;
	link->other_data = data;
}

static bool take_answer(const struct json *message, uint64_t id, struct link_answer *ret_answer)
{
	int64_t number;
	const struct json *error = json_member(message, "error");
	const struct json *their_id = json_member(message, "id");
	bool is_ours;
	if (json_member(message, "method") != NULL || their_id == NULL)
		return false;
	/* An error with the id null answers our last request, which the daemon could not parse. */
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
	int64_t deadline = clock_deadline_ms(timeout_ms);
	for (;;) {
		const struct json *message;
		enum link_read read;
		*ret_answer = (struct link_answer){0};
		read = link_read_message(
		    link, clock_left_ms(deadline), &message, &ret_answer->line, &ret_answer->len);
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
	if (id != 0)
		return link_await(link, id, timeout_ms, ret_answer);
	/* Look for a reason: a daemon that refuses a connection writes one before it closes. */
	if (errno != EPIPE || link_await(link, link->last_id, 0, ret_answer) == LINK_LINE)
		return ret_answer->error != NULL ? LINK_LINE : LINK_BROKEN;
	errno = EPIPE;
	return LINK_BROKEN;
}
