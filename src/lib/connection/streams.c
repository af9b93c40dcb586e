/* SPDX-License-Identifier: ISC */
#include "lib/connection/streams.h"

#include "base/file.h"

#define CHUNK_BYTES (IMSG_MAX - IMSG_HEADER_BYTES - (int)sizeof(int))
/* Room for a file of MUXBUS_COMMAND_MAX bytes with the message headers. */
#define OUT_BYTES_MAX (2 * (size_t)MUXBUS_COMMAND_MAX)
#define ERRORS_MAX ((size_t)64 * 1024)
#define KEEP_BYTES ((size_t)64 * 1024) /* memory of the body to keep for the next list */

void streams_init(struct streams *streams)
{
	*streams = (struct streams){.input = -1};
	for (size_t i = 0; i < STREAMS_MAX; i++)
		streams->open[i].fd = -1;
	buf_init(&streams->out, OUT_BYTES_MAX);
	buf_init(&streams->body, MUXBUS_LINE_MAX);
	buf_init(&streams->errors, ERRORS_MAX);
	buf_init(&streams->text, (size_t)MUXBUS_COMMAND_MAX + 128);
}

void streams_finish(struct streams *streams)
{
	for (size_t i = 0; i < STREAMS_MAX; i++)
		if (streams->open[i].fd > 2)
			close(streams->open[i].fd);
	buf_finish(&streams->out);
	buf_finish(&streams->body);
	buf_finish(&streams->errors);
	buf_finish(&streams->text);
}

void streams_reset(struct streams *streams)
{
	buf_clear(&streams->body);
	buf_clear(&streams->errors);
	buf_shrink(&streams->body, KEEP_BYTES);
	streams->is_cut = false;
}

static bool streams_say(struct streams *streams, uint32_t type, const void *data, size_t len)
{
	int error = imsg_append(&streams->out, streams->form, type, data, len);
	streams->lacks_memory |= error == MUXBUS_ERR_NOMEM;
	return error == 0;
}

static bool say_done(struct streams *streams, uint32_t type, int stream, int error)
{
	const int data[] = {stream, error};
	return streams_say(streams, type, data, sizeof data);
}

static bool say_chunk(struct streams *streams, int stream, const void *bytes, size_t len)
{
	uint8_t data[sizeof stream + CHUNK_BYTES];
	memcpy(data, &stream, sizeof stream);
	memcpy(data + sizeof stream, bytes, len);
	return streams_say(streams, IMSG_READ, data, sizeof stream + len);
}

bool streams_send_input(struct streams *streams)
{
	struct buf *text = &streams->text;
	const int stream = streams->input;
	bool is_sent = true;
	for (size_t at = 0; is_sent && at < text->len; at += CHUNK_BYTES) {
		size_t left = text->len - at;
		is_sent = say_chunk(
		    streams, stream, text->data + at, left < CHUNK_BYTES ? left : CHUNK_BYTES);
	}
	buf_finish(text);
	streams->input = -1;
	return is_sent && say_done(streams, IMSG_READ_DONE, stream, 0);
}

static int send_contents(struct streams *streams, int stream, int fd)
{
	char bytes[CHUNK_BYTES];
	struct stat info;
	ssize_t got;
	if (fstat(fd, &info) != 0)
		return errno;
	if (!S_ISREG(info.st_mode)) /* other files may block or never end */
		return S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
	if (info.st_size > (off_t)MUXBUS_COMMAND_MAX)
		return EFBIG;
	while ((got = read(fd, bytes, sizeof bytes)) > 0)
		if (!say_chunk(streams, stream, bytes, (size_t)got))
			return EFBIG;
	return got < 0 ? errno : 0;
}

static bool send_file(struct streams *streams, int stream, const char *path)
{
	int fd = streams->may_open ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	int error = streams->may_open ? errno : EACCES;
	if (fd >= 0) {
		error = send_contents(streams, stream, fd);
		close(fd);
	}
	return say_done(streams, IMSG_READ_DONE, stream, error);
}

static const char *read_path(const struct imsg *message, size_t numbers)
{
	size_t at = numbers * sizeof(int);
	return message->len > at && message->data[message->len - 1] == '\0'
	    ? (const char *)message->data + at
	    : NULL;
}

static bool asks_for_text(const struct streams *streams, int fd, const char *path)
{
	return streams->is_channel
	    ? fd < 0 && path != NULL && strcmp(path, STREAMS_CHANNEL_PATH) == 0
	    : fd == STDIN_FILENO && streams->text.len > 0;
}

static bool on_read_open(struct streams *streams, const struct imsg *message)
{
	const char *path = read_path(message, 2);
	int numbers[2]; /* stream, descriptor */
	if (!imsg_numbers(message, numbers, 2))
		return false;
	if (streams->input < 0 && asks_for_text(streams, numbers[1], path)) {
		streams->input = numbers[0];
		return streams->text.len == 0 || streams_send_input(streams);
	}
	if (numbers[1] >= 0 || path == NULL)
		return say_done(streams, IMSG_READ_DONE, numbers[0], EBADF);
	return send_file(streams, numbers[0], path);
}

static struct open_stream *find_stream(struct streams *streams, int number)
{
	for (size_t i = 0; i < STREAMS_MAX; i++)
		if (streams->open[i].fd >= 0 && streams->open[i].number == number)
			return &streams->open[i];
	return NULL;
}

static struct open_stream *unused_stream(struct streams *streams)
{
	for (size_t i = 0; i < STREAMS_MAX; i++)
		if (streams->open[i].fd < 0)
			return &streams->open[i];
	return NULL;
}

static int open_output(struct streams *streams, const char *path, int fd, int flags)
{
	struct stat info;
	if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
		return fd;
	if (fd >= 0 || path == NULL)
		return -EBADF;
	if (!streams->may_open)
		return -EACCES;
	fd = open(path,
	    O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (flags & (O_APPEND | O_TRUNC)),
	    0666);
	if (fd >= 0 && fd <= STDERR_FILENO) { /* a standard stream was closed; avoid its number */
		int low = fd;
		fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(low);
	}
	if (fd < 0)
		return -errno;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

static bool on_write_open(struct streams *streams, const struct imsg *message)
{
	const char *path = read_path(message, 3);
	struct open_stream *stream = unused_stream(streams);
	int numbers[3]; /* stream, descriptor, flags for open() */
	int fd = -EMFILE;
	if (!imsg_numbers(message, numbers, 3) || find_stream(streams, numbers[0]) != NULL)
		return false;
	if (stream != NULL)
		fd = open_output(streams, path, numbers[1], numbers[2]);
	if (fd >= 0)
		*stream = (struct open_stream){.number = numbers[0], .fd = fd, .is_new = true};
	return say_done(streams, IMSG_WRITE_READY, numbers[0], fd < 0 ? -fd : 0);
}

bool streams_has_new(const struct streams *streams)
{
	for (size_t i = 0; i < STREAMS_MAX; i++)
		if (streams->open[i].fd >= 0 && streams->open[i].is_new)
			return true;
	return false;
}

bool streams_keep(struct streams *streams, struct buf *buf, const void *bytes, size_t len)
{
	int error = buf_append(buf, bytes, len);
	streams->is_cut |= error == BUF_FULL;
	streams->lacks_memory |= error == BUF_NOMEM;
	return error != BUF_NOMEM;
}

static bool on_write(struct streams *streams, const struct imsg *message)
{
	const uint8_t *bytes = message->data + sizeof(int);
	struct open_stream *stream;
	size_t len;
	int number;
	if (!imsg_numbers(message, &number, 1))
		return false;
	stream = find_stream(streams, number);
	len = message->len - sizeof number;
	if (stream == NULL)
		return true;
	stream->is_new = false;
	if (stream->fd > 2)
		(void)file_write_all(stream->fd, bytes, len); /* the protocol has no write errors */
	else
		return streams_keep(streams,
		    stream->fd == STDERR_FILENO ? &streams->errors : &streams->body, bytes, len);
	return true;
}

static bool on_write_close(struct streams *streams, const struct imsg *message)
{
	struct open_stream *stream;
	int number;
	if (!imsg_numbers(message, &number, 1))
		return false;
	stream = find_stream(streams, number);
	if (stream != NULL && stream->fd > 2)
		close(stream->fd);
	if (stream != NULL)
		stream->fd = -1;
	return true;
}

bool streams_take(struct streams *streams, const struct imsg *message)
{
	switch (message->type) {
	case IMSG_READ_OPEN:
		return on_read_open(streams, message);
	case IMSG_WRITE_OPEN:
		return on_write_open(streams, message);
	case IMSG_WRITE:
		return on_write(streams, message);
	case IMSG_WRITE_CLOSE:
		return on_write_close(streams, message);
	default: /* flags, and requests that need a client with a terminal */
		return true;
	}
}
