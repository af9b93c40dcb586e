/* SPDX-License-Identifier: ISC */
/* Looks for many literals in one pass. */
#include "daemon/core/literal_filter.h"

#include <string.h>

#include "base/xalloc.h"

/* Hashes for each window, so that few places are looked up in vain; within the fast caches. */
#define USED_EACH 64
#define USED_LOG_MIN 10
#define USED_LOG_MAX 16
#define HEADS_EACH 2
/* Windows with the same hash are counted up to this: more are as bad, and counting takes time. */
#define CROWD_MAX 32

struct literal_window {
	uint32_t bytes;
	uint32_t next; /* with the same hash */
	uint32_t literal;
	uint32_t offset; /* in the literal */
};

static uint32_t load(const char *bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static inline uint32_t hash(uint32_t bytes)
{
	return bytes * 0x9e3779b1u;
}

/* The power of two that is not less, as a logarithm within bounds. */
static unsigned log_of(size_t count, unsigned min, unsigned max)
{
	unsigned log = min;
	while (log < max && (size_t)1 << log < count)
		log++;
	return log;
}

unsigned literal_stride(size_t len)
{
	unsigned stride = LITERAL_STRIDE_MAX;
	while (stride > 0 && len < LITERAL_WINDOW - 1 + stride)
		stride /= 2;
	return stride;
}

static void add_window(
    struct literal_filter *filter, uint32_t window, uint32_t literal, uint32_t offset)
{
	uint32_t bytes = load(filter->literals[literal].bytes + offset);
	uint32_t *head = &filter->heads[hash(bytes) >> filter->heads_shift];
	filter->used[hash(bytes) >> filter->used_shift] = true;
	filter->windows[window - 1] = (struct literal_window){
	    .bytes = bytes, .next = *head, .literal = literal, .offset = offset};
	*head = window;
}

/* How many windows have the hash of an offset of a literal, counted up to a limit. */
static unsigned crowd(const struct literal_filter *filter, const char *bytes, unsigned limit)
{
	unsigned count = 0;
	uint32_t window = filter->heads[hash(load(bytes)) >> filter->heads_shift];
	for (; window != 0 && count < limit; window = filter->windows[window - 1].next)
		count++;
	return count;
}

/* The offset of the windows of a literal that share their hashes with the fewest others. */
static uint32_t choose_offset(const struct literal_filter *filter, const struct literal *literal)
{
	size_t last = literal->len - (LITERAL_WINDOW - 1 + filter->stride);
	unsigned best_crowd = CROWD_MAX;
	uint32_t best = 0;
	for (uint32_t offset = 0; offset <= last && best_crowd > 0; offset++) {
		unsigned others = 0;
		for (unsigned i = 0; i < filter->stride && others < best_crowd; i++)
			others += crowd(filter, literal->bytes + offset + i, best_crowd - others);
		if (others < best_crowd) {
			best_crowd = others;
			best = offset;
		}
	}
	return best;
}

void literal_filter_make(
    struct literal_filter *filter, const struct literal *literals, size_t count, unsigned stride)
{
	size_t windows = count * stride;
	unsigned used_log = log_of(windows * USED_EACH, USED_LOG_MIN, USED_LOG_MAX);
	unsigned heads_log = log_of(windows * HEADS_EACH, 1, 31);
	uint32_t window = 1;
	literal_filter_finish(filter);
	filter->literals = literals;
	filter->stride = stride;
	filter->used_shift = 32 - used_log;
	filter->heads_shift = 32 - heads_log;
	filter->used = xcalloc((size_t)1 << used_log, sizeof *filter->used);
	filter->heads = xcalloc((size_t)1 << heads_log, sizeof *filter->heads);
	filter->windows = xcalloc(windows, sizeof *filter->windows);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t offset = choose_offset(filter, &literals[i]);
		for (unsigned step = 0; step < stride; step++)
			add_window(filter, window++, i, offset + step);
	}
}

void literal_filter_finish(struct literal_filter *filter)
{
	mem_free(filter->used);
	mem_free(filter->heads);
	mem_free(filter->windows);
	*filter = (struct literal_filter){0};
}

static inline uint8_t is_used(const struct literal_filter *filter, const char *place)
{
	return filter->used[hash(load(place)) >> filter->used_shift];
}

/* The next place whose bytes have the hash of a window; at least len - 3: there is none. */
static inline __attribute__((always_inline)) size_t skip(
    const struct literal_filter *filter, const char *text, size_t len, size_t at, size_t stride)
{
	/* Several places at once: nearly all of them have no window. */
	for (; at + 7 * stride + LITERAL_WINDOW <= len; at += 8 * stride) {
		const char *place = text + at;
		if (is_used(filter, place) | is_used(filter, place + stride) |
		    is_used(filter, place + 2 * stride) | is_used(filter, place + 3 * stride) |
		    is_used(filter, place + 4 * stride) | is_used(filter, place + 5 * stride) |
		    is_used(filter, place + 6 * stride) | is_used(filter, place + 7 * stride))
			break;
	}
	while (at + LITERAL_WINDOW <= len && !is_used(filter, text + at))
		at += stride;
	return at;
}

static size_t next_place(
    const struct literal_filter *filter, const char *text, size_t len, size_t at)
{
	switch (filter->stride) {
	case 4:
		return skip(filter, text, len, at, 4);
	case 2:
		return skip(filter, text, len, at, 2);
	default:
		return skip(filter, text, len, at, 1);
	}
}

/* Whether the literal of a window stands around a place. */
static bool stands(const struct literal_filter *filter, const struct literal_window *window,
    const char *text, size_t len, size_t at)
{
	const struct literal *literal = &filter->literals[window->literal];
	return window->bytes == load(text + at) && window->offset <= at &&
	    literal->len <= len - (at - window->offset) &&
	    memcmp(text + at - window->offset, literal->bytes, literal->len) == 0;
}

bool literal_filter_next(
    const struct literal_filter *filter, const char *text, size_t len, struct literal_hit *hit)
{
	for (;;) {
		while (hit->window != 0) {
			const struct literal_window *window = &filter->windows[hit->window - 1];
			hit->window = window->next;
			if (stands(filter, window, text, len, hit->at)) {
				hit->literal = window->literal;
				hit->start = hit->at - window->offset;
				hit->at += hit->window == 0 ? filter->stride : 0;
				return true;
			}
			if (hit->window == 0)
				hit->at += filter->stride;
		}
		hit->at = next_place(filter, text, len, hit->at);
		if (hit->at + LITERAL_WINDOW > len)
			return false;
		hit->window = filter->heads[hash(load(text + hit->at)) >> filter->heads_shift];
		if (hit->window == 0)
			hit->at += filter->stride;
	}
}
