/* SPDX-License-Identifier: ISC */
/* A segment is the text from a %begin to the sentinel, or one block if no sentinel is expected. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

enum block_line_kind { BLOCK_BEGIN, BLOCK_END, BLOCK_ERROR };

struct guard {
	enum block_line_kind kind;
	bool is_ours; /* the third number: 1 if the command is from this client */
	uint64_t time;
	uint64_t number;
};

/* Reads a %begin, %end or %error line without its newline. Returns false for other lines. */
bool block_line_read(const char *line, size_t len, struct guard *ret_guard);

/* Returns true if end closes the block of begin: all three numbers are equal. */
bool block_line_closes(const struct guard *end, const struct guard *begin);

struct segment {
	struct buf text; /* complete lines; the first is a %begin */
	struct guard first; /* the first line */
	size_t mark; /* the end of the text for segment_divide() */
	bool is_cut; /* MUXBUS_LINE_MAX was reached; behind cut only guards are stored */
	size_t cut; /* offset of the cut */
	size_t next; /* position of segment_next() */
	/* Results of segment_divide(): */
	uint32_t number_span; /* how many numbers tmux has used from the first to the sentinel */
	uint64_t time_first; /* earliest time of a guard; the latest is time_first + time_span */
	uint64_t time_span;
	struct map ends; /* maps the key of a %begin to the line that ends its block */
};

void segment_init(struct segment *segment);
void segment_finish(struct segment *segment);

/* Empties the segment. The next line to add must be the %begin `first`. */
void segment_start(struct segment *segment, const struct guard *first);

/*
 * Adds complete lines, with their newlines. At MUXBUS_LINE_MAX the segment is cut: behind the cut
 * only the latest guards (%begin, %end, %error) are stored. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int segment_add(struct segment *segment, const char *text, size_t len);

/* Marks the current end of the text: the next line may be the %begin of the sentinel. */
void segment_mark(struct segment *segment);

/* Makes one block of the segment. end is the last line of the block, which was not added. */
void segment_block(
    struct segment *segment, const struct guard *end, struct muxbus_block *ret_block);

/*
 * Finds the blocks before the mark; sentinel is the %begin behind it. segment_next() then returns
 * them. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int segment_divide(struct segment *segment, const struct guard *sentinel);

/* A part of a divided segment: a block, or a line outside of blocks. */
struct segment_part {
	bool is_block;
	struct muxbus_block block;
	char *line; /* NUL-terminated, without its newline */
	size_t line_len;
};

bool segment_next(struct segment *segment, struct segment_part *ret_part); /* false at the end */
