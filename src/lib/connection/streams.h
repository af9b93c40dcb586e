/* SPDX-License-Identifier: ISC */
/* How tmux reads and writes files by messages to a client. tmux chooses each stream's number. */
#pragma once

#include <muxbus.h>

#include "lib/connection/imsg.h"

enum { STREAMS_MAX = 16 };

/* The path by which a channel asks for its next text. tmux checks that the path exists. */
#define STREAMS_CHANNEL_PATH "/./."

struct streams {
	enum imsg_form form;
	bool may_open; /* tmux may open files by path, with the rights of this process */
	struct buf out; /* messages to send to the server */
	struct buf text; /* content of descriptor 0, or the next text of a channel */
	struct buf body; /* text written to descriptor 1 */
	struct buf errors; /* text written to descriptor 2 */
	bool is_cut; /* text was dropped, as a buffer is full */
	bool lacks_memory;
	int input; /* stream on which tmux waits for `text`; -1: none */
	/* true: `text` is for STREAMS_CHANNEL_PATH, and tmux waits while there is none */
	bool is_channel;
	/* A file or standard descriptor that tmux writes to. */
	struct open_stream {
		int number;
		int fd; /* 1: body; 2: errors; higher: a file; -1: unused entry */
		bool is_new; /* tmux has written nothing to it yet */
	} open[STREAMS_MAX];
};

void streams_init(struct streams *streams);
void streams_finish(struct streams *streams);

/* Drops body and errors, before the next list of a channel. */
void streams_reset(struct streams *streams);

/* Handles a message about a stream; ignores others. Returns false if invalid or out of room. */
bool streams_take(struct streams *streams, const struct imsg *message);

/* Sends text to the stream input, which must not be -1. Returns false if `out` has no room. */
bool streams_send_input(struct streams *streams);

/* Returns true if tmux has opened a stream and written nothing to it yet. */
bool streams_has_new(const struct streams *streams);

/* Appends to body or errors, and drops text that does not fit. Returns false if out of memory. */
bool streams_keep(struct streams *streams, struct buf *buf, const void *bytes, size_t len);
