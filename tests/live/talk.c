/* SPDX-License-Identifier: ISC */
/* A conversation with muxbusd over its socket. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum { LINE_MAX_BYTES = 16 * 1024 * 1024, READ_BYTES = 65536 };

/* A line that came while the caller waited for another. */
struct kept {
	struct kept *next;
	size_t len;
	char text[];
};

struct talk {
	int fd;
	bool at_end;
	int last_id;
	struct buf in; /* bytes not yet taken as lines */
	size_t in_start;
	struct buf line; /* the last line read */
	struct kept *kept_first;
	struct kept *kept_last;
	struct json_reader *reader;
};

struct talk *talk_new(const struct live *live)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct talk *talk;
	if (strlen(live->socket) >= sizeof address.sun_path)
		live_bail("%s: too long", live->socket);

	memcpy(address.sun_path, live->socket, strlen(live->socket) + 1);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) == -1) {
		(void)close(fd);
		return NULL;
	}
	talk = xcalloc(1, sizeof *talk);
	talk->fd = fd;
	buf_init(&talk->in, LINE_MAX_BYTES);
	buf_init(&talk->line, LINE_MAX_BYTES);
	talk->reader = json_reader_new(LINE_MAX_BYTES);
	return talk;
}

void talk_free(struct talk *talk)
{
	if (talk == NULL)
		return;
	for (struct kept *kept = talk->kept_first, *next; kept != NULL; kept = next) {
		next = kept->next;
		mem_free(kept);
	}
	(void)close(talk->fd);
	buf_finish(&talk->in);
	buf_finish(&talk->line);
	json_reader_free(talk->reader);
	mem_free(talk);
}

int talk_fd(const struct talk *talk)
{
	return talk->fd;
}

const char *talk_text(const struct talk *talk)
{
	return talk->line.data == NULL ? "" : (const char *)talk->line.data;
}

bool talk_at_end(const struct talk *talk)
{
	return talk->at_end;
}

bool talk_send_bytes(struct talk *talk, const void *bytes, size_t len)
{
	const char *p = bytes;
	while (len > 0) {
		ssize_t n = send(talk->fd, p, len, MSG_NOSIGNAL);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

bool talk_send(struct talk *talk, const char *format, ...)
{
	struct buf line;
	va_list args;
	bool is_sent;
	buf_init(&line, LINE_MAX_BYTES);
	va_start(args, format);
	(void)buf_vprintf(&line, format, args);
	va_end(args);
	(void)buf_append_byte(&line, '\n');
	is_sent = talk_send_bytes(talk, line.data, line.len);
	buf_finish(&line);
	return is_sent;
}

void talk_half_close(struct talk *talk)
{
	(void)shutdown(talk->fd, SHUT_WR);
}

/* Reading. */

/* Takes the next whole line that has arrived into talk->line. */
static bool take_line(struct talk *talk)
{
	size_t rest = talk->in.len - talk->in_start;
	const uint8_t *start = rest == 0 ? NULL : talk->in.data + talk->in_start;
	const uint8_t *newline = rest == 0 ? NULL : memchr(start, '\n', rest);
	if (newline == NULL) {
		buf_consume(&talk->in, talk->in_start);
		talk->in_start = 0;
		return false;
	}
	buf_clear(&talk->line);
	(void)buf_append(&talk->line, start, (size_t)(newline - start));
	talk->in_start += (size_t)(newline - start) + 1;
	return true;
}

/* Reads until a line has arrived; false at the end, or after the timeout. */
static bool read_line(struct talk *talk, int64_t end_ms)
{
	while (!take_line(talk)) {
		int64_t left_ms = end_ms - live_now_ms();
		struct pollfd wait = {.fd = talk->fd, .events = POLLIN};
		ssize_t n;
		if (talk->at_end || poll(&wait, 1, left_ms < 0 ? 0 : (int)left_ms) == 0)
			return false;
		if (buf_reserve(&talk->in, READ_BYTES) != 0)
			live_bail("a line of more than %d bytes", LINE_MAX_BYTES);
		n = read(talk->fd, talk->in.data + talk->in.len, READ_BYTES);
		if (n > 0)
			talk->in.len += (size_t)n;
		else if (n == 0 || errno != EINTR)
			talk->at_end = true;
	}
	return true;
}

static const struct json *parse(struct talk *talk)
{
	struct json_error error;
	const struct json *value =
	    json_read(talk->reader, (char *)talk->line.data, talk->line.len, &error);
	if (value == NULL)
		live_bail("not JSON at %zu: %s: %.200s", error.offset, error.text, talk_text(talk));
	return value;
}

static void keep_line(struct talk *talk)
{
	struct kept *kept = xalloc(sizeof *kept + talk->line.len + 1);
	kept->next = NULL;
	kept->len = talk->line.len;
	memcpy(kept->text, talk->line.data, talk->line.len + 1);
	if (talk->kept_last == NULL)
		talk->kept_first = kept;
	else
		talk->kept_last->next = kept;
	talk->kept_last = kept;
}

static bool take_kept(struct talk *talk)
{
	struct kept *kept = talk->kept_first;
	if (kept == NULL)
		return false;
	talk->kept_first = kept->next;
	if (kept->next == NULL)
		talk->kept_last = NULL;
	buf_clear(&talk->line);
	(void)buf_append(&talk->line, kept->text, kept->len);
	mem_free(kept);
	return true;
}

const struct json *talk_line(struct talk *talk, int timeout_ms)
{
	if (!take_kept(talk) && !read_line(talk, live_now_ms() + timeout_ms))
		return NULL;
	return parse(talk);
}

const struct json *talk_response(struct talk *talk, const char *id, int timeout_ms)
{
	int64_t end_ms = live_now_ms() + timeout_ms;
	while (read_line(talk, end_ms)) {
		const struct json *value = parse(talk);
		const struct json *got = json_member(value, "id");
		if (got != NULL && got->text != NULL && strcmp(got->text, id) == 0)
			return value;
		keep_line(talk);
	}
	return NULL;
}

const struct json *talk_call_json(struct talk *talk, const char *method, const char *params)
{
	char id[16];
	(void)snprintf(id, sizeof id, "%d", ++talk->last_id);
	talk_send(talk, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\"%s%s}", id, method,
	    params == NULL ? "" : ",\"params\":", params == NULL ? "" : params);
	return talk_response(talk, id, LIVE_TIMEOUT_MS);
}

const struct json *talk_call(struct talk *talk, const char *method, const char *params, ...)
{
	struct buf text;
	va_list args;
	const struct json *response;
	if (params == NULL)
		return talk_call_json(talk, method, NULL);
	buf_init(&text, LINE_MAX_BYTES);
	va_start(args, params);
	(void)buf_vprintf(&text, params, args);
	va_end(args);
	response = talk_call_json(talk, method, (char *)text.data);
	buf_finish(&text);
	return response;
}

const struct json *talk_event(
    struct talk *talk, int timeout_ms, const char *kind, const char *member, const char *value)
{
	int64_t end_ms = live_now_ms() + timeout_ms;
	for (;;) {
		int64_t left_ms = end_ms - live_now_ms();
		const struct json *line = talk_line(talk, left_ms < 0 ? 0 : (int)left_ms);
		const struct json *got, *params;
		const char *got_kind, *method;
		if (line == NULL)
			return NULL;
		method = at_str(line, "method");
		params = json_member(line, "params");
		if (method == NULL || strcmp(method, "event") != 0 || params == NULL)
			continue;
		got_kind = at_str(params, "kind");
		if (kind != NULL && (got_kind == NULL || strcmp(got_kind, kind) != 0))
			continue;
		got = member == NULL ? NULL : at(params, member);
		if (member == NULL ||
		    (got != NULL && got->text != NULL && strcmp(got->text, value) == 0))
			return params;
	}
}

/* JSON paths. */

const struct json *at(const struct json *value, const char *path)
{
	while (value != NULL && *path != '\0') {
		char name[64];
		size_t len = strcspn(path, ".");
		(void)snprintf(name, sizeof name, "%.*s", (int)len, path);
		if (value->type == JSON_ARRAY) {
			int index = atoi(name);
			value = value->child;
			while (value != NULL && index-- > 0)
				value = value->next;
		} else {
			value = json_member(value, name);
		}
		path += len + (path[len] == '.');
	}
	return value;
}

const char *at_str(const struct json *value, const char *path)
{
	const struct json *found = at(value, path);
	return found != NULL && found->type == JSON_STRING ? found->text : NULL;
}

int64_t at_int(const struct json *value, const char *path)
{
	const struct json *found = at(value, path);
	int64_t number;
	return found != NULL && json_int(found, &number) ? number : INT64_MIN;
}

bool at_true(const struct json *value, const char *path)
{
	const struct json *found = at(value, path);
	return found != NULL && found->type == JSON_BOOL && found->boolean;
}

const struct json *at_where(const struct json *array, const char *member, const char *value)
{
	const struct json *element = array == NULL ? NULL : array->child;
	while (element != NULL) {
		const char *got = at_str(element, member);
		if (got != NULL && strcmp(got, value) == 0)
			return element;
		element = element->next;
	}
	return NULL;
}
