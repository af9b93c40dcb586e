/* SPDX-License-Identifier: ISC */
/*
 * Streams: the client's part of tmux's work with files. For a client without a terminal tmux reads
 * and writes files, and the standard descriptors, by messages: it opens a stream by a number of its
 * own, and the client opens the file.
 */
#pragma once

#include <muxbus.h>

#include "lib/connection/imsg.h"

enum { STREAMS_MAX = 16 };

struct streams {
	enum imsg_form form;
	bool may_open; /* files by their paths, with the rights of this process */
	struct buf out; /* messages to the server */
	struct buf text; /* for descriptor 0 */
	struct buf body; /* from descriptor 1 */
	struct buf errors; /* from descriptor 2 */
	bool is_cut; /* more came than fits */
	bool lacks_memory;
	/* A file, or a standard descriptor, that tmux writes to. */
	struct open_stream {
		int number;
		int fd; /* 1: body, 2: errors, else a file; -1: unused */
	} open[STREAMS_MAX];
};

void streams_init(struct streams *streams);
void streams_finish(struct streams *streams);

/* Takes a message about a stream; others are left out. False: not valid, or out of memory. */
bool streams_take(struct streams *streams, const struct imsg *message);

/* Adds to body or errors. False: out of memory. Bytes that do not fit are left out. */
bool streams_keep(struct streams *streams, struct buf *buf, const void *bytes, size_t len);

/* Errors are left out, as by tmux's own client: the stream says nothing of them. */
void streams_write_file(int fd, const uint8_t *bytes, size_t len);
