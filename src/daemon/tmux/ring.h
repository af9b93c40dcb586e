/* SPDX-License-Identifier: ISC */
/*
 * A ring buffer of the last bytes of a stream, numbered by their offset. Its memory grows by
 * doubling. A read ends at a gap; the next read reports the gap.
 */
#pragma once

#include "base/base.h"

/* maximum number; with one more, the oldest gap and all bytes before it are dropped */
#define RING_GAPS_MAX 8

struct ring_gap {
	uint64_t offset; /* the bytes before this one are missing */
	const char *reason; /* a word; a constant string */
};

struct ring {
	uint8_t *data;
	size_t cap;
	size_t max;
	size_t head; /* index of the oldest byte in data */
	size_t len;
	uint64_t end; /* offset of the next byte */
	struct ring_gap gaps[RING_GAPS_MAX]; /* in ascending order */
	unsigned gap_count;
};

struct ring_slice {
	uint64_t from;
	uint64_t to;
	bool has_gap;
	const char *gap_reason;
};

/* Makes a ring of at most max bytes. offset: the present offset of the stream. */
void ring_init(struct ring *ring, size_t max, uint64_t offset);
void ring_finish(struct ring *ring);

void ring_write(struct ring *ring, const void *bytes, size_t len);

/*
 * Notes missing bytes before offset, which is at or after the end. If it is after the end, all
 * bytes are dropped. reason: a constant string.
 */
void ring_gap(struct ring *ring, uint64_t offset, const char *reason);

/* Returns the offset of the oldest byte. */
uint64_t ring_start(const struct ring *ring);

/*
 * Reads from offset on, or from the oldest byte if offset is not in the ring: at most max bytes, up
 * to the next gap. ret_slice->has_gap: bytes before `from` are missing, or offset is after the end.
 */
void ring_read(const struct ring *ring, uint64_t offset, size_t max, struct buf *out,
    struct ring_slice *ret_slice);
