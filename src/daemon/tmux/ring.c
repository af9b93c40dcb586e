/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/ring.h"

#define RING_FIRST_BYTES 1024

void ring_init(struct ring *ring, size_t max, uint64_t offset)
{
	*ring = (struct ring){.max = max, .end = offset};
}

void ring_finish(struct ring *ring)
{
	mem_free(ring->data);
	ring_init(ring, ring->max, ring->end);
}

uint64_t ring_start(const struct ring *ring)
{
	return ring->end - ring->len;
}

static void grow(struct ring *ring, size_t len)
{
	size_t cap = ring->cap ? ring->cap : RING_FIRST_BYTES;
	uint8_t *data;
	size_t first;
	while (cap < len)
		cap *= 2;
	if (cap > ring->max)
		cap = ring->max;
	data = xalloc(cap);
	first = ring->cap - ring->head;
	if (first > ring->len)
		first = ring->len;
	if (first > 0)
		memcpy(data, ring->data + ring->head, first);
	if (ring->len > first)
		memcpy(data + first, ring->data, ring->len - first);
	mem_free(ring->data);
	ring->data = data;
	ring->cap = cap;
	ring->head = 0;
}

static void forget_gaps(struct ring *ring)
{
	unsigned gone = 0;
	while (gone < ring->gap_count && ring->gaps[gone].offset < ring_start(ring))
		gone++;
	ring->gap_count -= gone;
	memmove(ring->gaps, ring->gaps + gone, ring->gap_count * sizeof ring->gaps[0]);
}

static void drop(struct ring *ring, size_t len)
{
	ring->len -= len;
	ring->head = ring->len == 0 ? 0 : (ring->head + len) % ring->cap;
}

void ring_write(struct ring *ring, const void *bytes, size_t len)
{
	const uint8_t *in = bytes;
	size_t tail, first;
	ring->end += len;
	if (len >= ring->max) {
		in += len - ring->max;
		len = ring->max;
		ring->len = 0;
		ring->head = 0;
	}
	if (len == 0)
		return;
	if (ring->len + len > ring->cap && ring->cap < ring->max)
		grow(ring, ring->len + len);
	if (ring->len + len > ring->cap)
		drop(ring, ring->len + len - ring->cap);
	tail = (ring->head + ring->len) % ring->cap;
	first = ring->cap - tail;
	if (first > len)
		first = len;
	memcpy(ring->data + tail, in, first);
	memcpy(ring->data, in + first, len - first);
	ring->len += len;
	if (ring->gap_count > 0)
		forget_gaps(ring);
}

void ring_gap(struct ring *ring, uint64_t offset, const char *reason)
{
	if (offset > ring->end) {
		/* Offsets in the ring are successive: drop the bytes before the gap. */
		drop(ring, ring->len);
		ring->end = offset;
		ring->gap_count = 0;
	}
	if (ring->gap_count > 0 && ring->gaps[ring->gap_count - 1].offset == offset) {
		ring->gaps[ring->gap_count - 1].reason = reason;
		return;
	}
	if (ring->gap_count == RING_GAPS_MAX) {
		drop(ring, (size_t)(ring->gaps[0].offset - ring_start(ring)));
		memmove(ring->gaps, ring->gaps + 1, (RING_GAPS_MAX - 1) * sizeof ring->gaps[0]);
		ring->gap_count--;
	}
	ring->gaps[ring->gap_count++] = (struct ring_gap){.offset = offset, .reason = reason};
}

static void copy_out(const struct ring *ring, uint64_t from, uint64_t to, struct buf *out)
{
	size_t len = (size_t)(to - from);
	size_t place, first;
	if (len == 0)
		return;
	place = (ring->head + (size_t)(from - ring_start(ring))) % ring->cap;
	first = ring->cap - place;
	if (first > len)
		first = len;
	buf_append(out, ring->data + place, first);
	if (len > first)
		buf_append(out, ring->data, len - first);
}

void ring_read(const struct ring *ring, uint64_t offset, size_t max, struct buf *out,
    struct ring_slice *ret_slice)
{
	uint64_t start = ring_start(ring);
	struct ring_slice slice = {.from = offset};
	uint64_t to;
	if (offset < start) {
		slice.from = start;
		slice.has_gap = true;
		slice.gap_reason = "forgotten";
	} else if (offset > ring->end) {
		/* The offset belongs to another stream, for example of an earlier tmux server. */
		slice.from = start;
		slice.has_gap = true;
		slice.gap_reason = "unknown_offset";
	}
	to = ring->end;
	for (unsigned i = 0; i < ring->gap_count; i++) {
		if (ring->gaps[i].offset > slice.from) {
			to = ring->gaps[i].offset;
			break;
		}
		if (ring->gaps[i].offset == slice.from && !slice.has_gap) {
			slice.has_gap = true;
			slice.gap_reason = ring->gaps[i].reason;
		}
	}
	if (to - slice.from > max)
		to = slice.from + max;
	slice.to = to;
	copy_out(ring, slice.from, to, out);
	*ret_slice = slice;
}
