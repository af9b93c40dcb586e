/* SPDX-License-Identifier: ISC */
/*
 * Output of a peer: the bytes that wait to be written to its socket.
 *
 * All peers share one stage, a buffer for the bytes of the peer that is at work: what the socket
 * takes at once needs no memory of the peer. A peer that finds the stage in use, or whose bytes do
 * not fit, keeps them in memory of its own; so does a peer whose socket is full.
 */
#ifndef DAEMON_SERVER_OUTPUT_H
#define DAEMON_SERVER_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define OUTPUT_STAGE_BYTES ((size_t)16 * 1024)

struct evbuffer;
struct output;

struct output_stage {
	struct output *user; /* NULL: free */
	size_t len;
	char bytes[OUTPUT_STAGE_BYTES];
};

struct output {
	struct output_stage *stage;
	struct evbuffer *kept; /* behind the staged bytes; NULL: none */
	size_t len; /* of all bytes */
	int64_t moved_ms; /* when bytes were last taken, or began to wait */
};

void output_init(struct output *output, struct output_stage *stage);
/* Drops all bytes; the output may be used again. */
void output_finish(struct output *output);

/* Both return 0, or -1 if out of memory. */
int output_add(struct output *output, const void *bytes, size_t len);
/* By reference: release is called once with data, also after a failure. */
int output_add_reference(struct output *output, const void *bytes, size_t len,
    void (*release)(const void *bytes, size_t len, void *data), void *data);
/* The same of the content of a buffer, which is copied if it is short, else taken over. */
int output_add_buf(struct output *output, struct buf *line);

enum output_sent {
	OUTPUT_SENT_SOME, /* or all */
	OUTPUT_SENT_FULL, /* the socket takes nothing now */
	OUTPUT_SENT_BROKEN, /* the other end is closed, or there is no memory to keep the rest */
};
/* Writes once. There must be bytes. */
enum output_sent output_send(struct output *output, int fd);

#endif
