/* SPDX-License-Identifier: ISC */
/*
 * Looks for many literals in one pass. At places a fixed stride apart, four bytes of the text are
 * looked up by their hash; each literal has a window of four bytes for each place at which it can
 * stand. The longer the shortest literal, the longer the stride.
 *
 * Memory: at most 64 KiB, and 160 bytes a literal, allocated when the filter is made.
 */
#ifndef DAEMON_CORE_LITERAL_FILTER_H
#define DAEMON_CORE_LITERAL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LITERAL_WINDOW 4
#define LITERAL_STRIDE_MAX 4

struct literal {
	const char *bytes; /* lent */
	size_t len; /* at least LITERAL_WINDOW + the stride - 1 */
};

struct literal_window;

struct literal_filter {
	const struct literal *literals; /* lent */
	unsigned stride;
	bool *used; /* which hashes have a window */
	uint32_t *heads; /* the first window of a hash, from 1; 0: none */
	struct literal_window *windows;
	unsigned used_shift;
	unsigned heads_shift;
};

/* A place in the text. Begin with zeroes. */
struct literal_hit {
	size_t at; /* the place that is looked up */
	uint32_t window; /* the next one there, from 1; 0: the next place */
	size_t literal; /* which literal stands in the text, by its index */
	size_t start; /* of this literal in the text */
};

/* The longest stride for a literal of a length, a power of two; 0: it is too short for any. */
unsigned literal_stride(size_t len);

/* The literals must outlive the filter. Zeroes are a filter that is not made. */
void literal_filter_make(
    struct literal_filter *filter, const struct literal *literals, size_t count, unsigned stride);
void literal_filter_finish(struct literal_filter *filter);

/* Finds the next literal that stands in the text, in no special order of those at one place. */
bool literal_filter_next(
    const struct literal_filter *filter, const char *text, size_t len, struct literal_hit *hit);

#endif
