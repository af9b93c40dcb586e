/* SPDX-License-Identifier: ISC */
/* The text from a %begin to the sentinel, kept back until all of it is there, then divided. */
#ifndef LIB_SEGMENT_H
#define LIB_SEGMENT_H

#include <muxbus.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "lib/block_line.h"

struct segment {
	struct buf text; /* whole lines; the first is a %begin */
	struct guard first; /* that line */
	size_t mark; /* where the text ends for segment_divide() */
	bool is_cut; /* the maximum was reached; of what follows only guards are kept */
	size_t cut; /* where they begin */
	size_t next; /* of segment_next(): how much was given out */
	/* What segment_divide() found out: */
	uint32_t number_span; /* how many numbers tmux gave out up to the sentinel */
	uint64_t time_first; /* the earliest time of a guard, and how much later is the last */
	uint64_t time_span;
	struct map ends; /* for the key of a %begin: where the line is that ends its block */
};

void segment_init(struct segment *segment);
void segment_finish(struct segment *segment);

/* Empties it; the next line added must be the one that first was read from. */
void segment_start(struct segment *segment, const struct guard *first);

/*
 * Adds text of whole lines, each with its newline. At MUXBUS_LINE_MAX the segment is
 * cut: of what follows only guards are kept, and of these the latest. Returns 0, or
 * MUXBUS_ERR_NOMEM.
 */
int segment_add(struct segment *segment, const char *text, size_t len);

/* Remembers that the next line to be added may be the sentinel's %begin. */
void segment_mark(struct segment *segment);

/* The one block that the segment is, if the next line would be its end. */
void segment_block(
    struct segment *segment, const struct guard *end, struct muxbus_block *ret_block);

/*
 * Finds the blocks in the text before the mark. sentinel is the guard of the sentinel.
 * Returns 0 or MUXBUS_ERR_NOMEM.
 */
int segment_divide(struct segment *segment, const struct guard *sentinel);

/* What follows next in a divided segment: a block, or a line outside of blocks. */
struct segment_part {
	bool is_block;
	struct muxbus_block block;
	char *line; /* without its newline, with a NUL instead */
	size_t line_len;
};

/* Gives out the parts in their order; false at the end. */
bool segment_next(struct segment *segment, struct segment_part *ret_part);

#endif
