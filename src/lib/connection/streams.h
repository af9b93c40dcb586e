/* SPDX-License-Identifier: ISC */
/* How tmux reads and writes files by messages to a client. tmux chooses each stream's number. */
#pragma once

#include <muxbus.h>

#include "lib/connection/imsg.h"

enum { STREAMS_MAX = 16 };

struct streams {
	enum imsg_form form;
	bool may_open; /* tmux may open files by path, with the rights of this process */
	struct buf out; /* messages to send to the server */
	struct buf text; /* content of descriptor 0 */
	struct buf body; /* text written to descriptor 1 */
	struct buf errors; /* text written to descriptor 2 */
	bool is_cut; /* text was dropped, as a buffer is full */
	bool lacks_memory;
	/* A file or standard descriptor that tmux writes to. */
	struct open_stream {
		int number;
		int fd; /* 1: body; 2: errors; higher: a file; -1: unused entry */
	} open[STREAMS_MAX];
};

void streams_init(struct streams *streams);
void streams_finish(struct streams *streams);

/* Handles a message about a stream; ignores others. Returns false if invalid or out of memory. */
bool streams_take(struct streams *streams, const struct imsg *message);

/* Appends to body or errors, and drops text that does not fit. Returns false if out of memory. */
bool streams_keep(struct streams *streams, struct buf *buf, const void *bytes, size_t len);
