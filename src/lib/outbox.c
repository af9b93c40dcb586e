/* SPDX-License-Identifier: ISC */
/* Bytes that wait to be written to a socket. */
#include "lib/outbox.h"

#include <errno.h>
#include <sys/socket.h>

/* What is kept when it is empty. */
enum { KEEP_BYTES = 64 * 1024 };

void outbox_init(struct outbox *outbox, size_t max)
{
	buf_init(&outbox->bytes, max);
	outbox->sent = 0;
}

void outbox_finish(struct outbox *outbox)
{
	buf_finish(&outbox->bytes);
}

static void empty(struct outbox *outbox)
{
	buf_clear(&outbox->bytes);
	buf_shrink(&outbox->bytes, KEEP_BYTES);
	outbox->sent = 0;
}

/* Drops what was sent, once that is the larger part. */
static void compact(struct outbox *outbox)
{
	if (outbox->sent < KEEP_BYTES || outbox->sent < outbox->bytes.len / 2)
		return;
	buf_consume(&outbox->bytes, outbox->sent);
	outbox->sent = 0;
}

enum outbox_state outbox_send(struct outbox *outbox, int fd)
{
	struct buf *bytes = &outbox->bytes;

	while (outbox->sent < bytes->len) {
		ssize_t sent = send(fd, bytes->data + outbox->sent, bytes->len - outbox->sent,
		    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent >= 0) {
			outbox->sent += (size_t)sent;
		} else if (errno == EAGAIN || errno == ENOBUFS) {
			compact(outbox);
			return OUTBOX_FULL;
		} else if (errno != EINTR) {
			empty(outbox);
			return OUTBOX_BROKEN;
		}
	}
	if (bytes->len > 0)
		empty(outbox);
	return OUTBOX_EMPTY;
}
