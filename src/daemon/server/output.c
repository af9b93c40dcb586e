/* SPDX-License-Identifier: ISC */
/* Output of a peer. */
#include "daemon/server/output.h"

#include <errno.h>
#include <event2/buffer.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/alloc.h"
#include "base/clock.h"

#define PIECES_MAX 32 /* of one write */
#define COPY_BYTES_MAX 2048 /* longer lines are referenced instead */

void output_init(struct output *output, struct output_stage *stage)
{
	*output = (struct output){.stage = stage};
}

static size_t staged_len(const struct output *output)
{
	return output->stage->user == output ? output->stage->len : 0;
}

static void leave_stage(struct output *output)
{
	if (output->stage->user != output)
		return;
	output->stage->user = NULL;
	output->stage->len = 0;
}

static void free_kept(struct output *output)
{
	if (output->kept != NULL)
		evbuffer_free(output->kept);
	output->kept = NULL;
}

void output_finish(struct output *output)
{
	leave_stage(output);
	free_kept(output);
	output->len = 0;
}

/* From now on there is something to read. */
static void note(struct output *output, size_t len)
{
	if (output->len == 0)
		output->moved_ms = clock_mono_ms();
	output->len += len;
}

static int make_kept(struct output *output)
{
	if (output->kept == NULL)
		output->kept = evbuffer_new();
	return output->kept != NULL ? 0 : -1;
}

int output_add(struct output *output, const void *bytes, size_t len)
{
	struct output_stage *stage = output->stage;
	if (output->kept == NULL && (stage->user == NULL || stage->user == output) &&
	    len <= OUTPUT_STAGE_BYTES - stage->len) {
		stage->user = output;
		memcpy(stage->bytes + stage->len, bytes, len);
		stage->len += len;
	} else if (make_kept(output) < 0 || evbuffer_add(output->kept, bytes, len) < 0) {
		return -1;
	}
	note(output, len);
	return 0;
}

int output_add_reference(struct output *output, const void *bytes, size_t len,
    void (*release)(const void *bytes, size_t len, void *data), void *data)
{
	if (make_kept(output) < 0 ||
	    evbuffer_add_reference(output->kept, bytes, len, release, data) < 0) {
		release(bytes, len, data);
		return -1;
	}
	note(output, len);
	return 0;
}

static void free_bytes(const void *bytes, size_t len, void *data)
{
	(void)bytes;
	(void)len;
	mem_free(data);
}

int output_add_buf(struct output *output, struct buf *line)
{
	uint8_t *bytes;
	size_t len;
	if (line->len <= COPY_BYTES_MAX)
		return output_add(output, line->data, line->len);
	bytes = buf_steal(line, &len);
	return output_add_reference(output, bytes, len, free_bytes, bytes);
}

/* The socket is full: another peer may have the stage. */
static int keep_staged(struct output *output)
{
	size_t len = staged_len(output);
	int r = 0;
	if (len > 0)
		r = make_kept(output) < 0
		    ? -1
		    : evbuffer_prepend(output->kept, output->stage->bytes, len);
	leave_stage(output);
	return r;
}

/* Drops bytes that were sent. */
static void drain(struct output *output, size_t sent)
{
	struct output_stage *stage = output->stage;
	size_t staged = staged_len(output);
	size_t first = sent < staged ? sent : staged;
	output->len -= sent;
	output->moved_ms = clock_mono_ms();
	if (first == staged) {
		leave_stage(output);
	} else {
		stage->len -= first;
		memmove(stage->bytes, stage->bytes + first, stage->len);
	}
	if (sent > first)
		(void)evbuffer_drain(output->kept, sent - first);
	if (output->kept != NULL && evbuffer_get_length(output->kept) == 0)
		free_kept(output);
}

static ssize_t send_pieces(const struct output *output, int fd)
{
	struct evbuffer_iovec kept[PIECES_MAX - 1];
	struct iovec iov[PIECES_MAX];
	struct msghdr message = {.msg_iov = iov};
	size_t staged = staged_len(output);
	int count = evbuffer_peek(output->kept, -1, NULL, kept, PIECES_MAX - 1);
	if (staged > 0)
		iov[message.msg_iovlen++] = (struct iovec){output->stage->bytes, staged};
	for (int i = 0; i < count && i < PIECES_MAX - 1; i++)
		iov[message.msg_iovlen++] = (struct iovec){kept[i].iov_base, kept[i].iov_len};
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

enum output_sent output_send(struct output *output, int fd)
{
	ssize_t sent = output->kept != NULL
	    ? send_pieces(output, fd)
	    : send(fd, output->stage->bytes, output->stage->len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent >= 0)
		drain(output, (size_t)sent);
	if (sent >= 0 || errno == EINTR)
		return OUTPUT_SENT_SOME;
	if ((errno == EAGAIN || errno == ENOBUFS) && keep_staged(output) == 0)
		return OUTPUT_SENT_FULL;
	return OUTPUT_SENT_BROKEN;
}
