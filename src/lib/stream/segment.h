/* SPDX-License-Identifier: ISC */
/* The text from a %begin to the sentinel: buffered until complete, then divided. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

enum block_line_kind { BLOCK_BEGIN, BLOCK_END, BLOCK_ERROR };

struct guard {
	enum block_line_kind kind;
	bool is_ours; /* the third number: 1 for a command of this client */
	uint64_t time;
	uint64_t number;
};

/* Reads a %begin, %end or %error line without its newline; false for any other line. */
bool block_line_read(const char *line, size_t len, struct guard *ret_guard);

/* Whether end closes the block of begin: all three numbers are the same. */
bool block_line_closes(const struct guard *end, const struct guard *begin);

struct segment {
	struct buf text; /* whole lines; the first is a %begin */
	struct guard first; /* that line */
	size_t mark; /* the end of the text for segment_divide() */
	bool is_cut; /* the maximum was reached; only guards are kept after it */
	size_t cut; /* where these guards begin */
	size_t next; /* the position of segment_next() */
	/* Results of segment_divide(): */
	uint32_t number_span; /* how many numbers tmux used up to the sentinel */
	uint64_t time_first; /* the earliest time of a guard; time_span: to the latest */
	uint64_t time_span;
	struct map ends; /* by the key of a %begin: the place of the line that ends its block */
};

void segment_init(struct segment *segment);
void segment_finish(struct segment *segment);

/* Empties it. The next added line must be the line of first. */
void segment_start(struct segment *segment, const struct guard *first);

/*
 * Adds whole lines, each with its newline. At MUXBUS_LINE_MAX the segment is cut: only the
 * latest guards are kept after it. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int segment_add(struct segment *segment, const char *text, size_t len);

/* Marks that the next added line may be the %begin of the sentinel. */
void segment_mark(struct segment *segment);

/* The segment as one block, if the next line is its end. */
void segment_block(
    struct segment *segment, const struct guard *end, struct muxbus_block *ret_block);

/*
 * Finds the blocks in the text before the mark. sentinel is the guard of the sentinel.
 * Returns 0 or MUXBUS_ERR_NOMEM.
 */
int segment_divide(struct segment *segment, const struct guard *sentinel);

/* The next part of a divided segment: a block, or a line outside of blocks. */
struct segment_part {
	bool is_block;
	struct muxbus_block block;
	char *line; /* without its newline, with a NUL instead */
	size_t line_len;
};

/* Returns the parts in order; false at the end. */
bool segment_next(struct segment *segment, struct segment_part *ret_part);
