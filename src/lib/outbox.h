/* SPDX-License-Identifier: ISC */
/* Bytes that wait to be written to a socket. */
#ifndef LIB_OUTBOX_H
#define LIB_OUTBOX_H

#include <stddef.h>

#include "base/buf.h"

struct outbox {
	struct buf bytes; /* append to it */
	size_t sent; /* how much of it was written */
};

enum outbox_state {
	OUTBOX_EMPTY, /* all was written */
	OUTBOX_FULL, /* the socket takes no more now */
	OUTBOX_BROKEN, /* nobody reads there; what waited was dropped */
};

void outbox_init(struct outbox *outbox, size_t max);
void outbox_finish(struct outbox *outbox);

/* Writes what the socket takes, without waiting and without SIGPIPE. */
enum outbox_state outbox_send(struct outbox *outbox, int fd);

#endif
