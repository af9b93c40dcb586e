/* SPDX-License-Identifier: ISC */
/*
 * A set of many patterns, searched for in one pass over a block of lines. A pattern is tried only
 * on lines that contain its literal (bytes that every match has); one filter looks for all literals
 * of four bytes or more. A pattern without such a literal is searched for alone by line_match(),
 * and so is every pattern while there are few.
 *
 * Memory: at most 64 KiB, and 200 bytes a pattern beside its member. It is allocated at the first
 * search after patterns were added or removed.
 */
#pragma once

#include "daemon/core/pattern.h"

/*
 * A line_matcher finds the lines of a block that match one pattern. Each line is matched alone,
 * without its line end. If the pattern allows it, all lines are first searched in one call, which
 * is many times cheaper, and only lines with a hit are matched alone.
 */

#define PATTERN_LITERAL_MAX 64 /* bytes */

struct line_matcher {
	struct pattern *pattern;
	size_t literal_len; /* 0: no literal */
	char literal[PATTERN_LITERAL_MAX]; /* no line matches without these bytes */
	/*
	 * the pattern can be searched for in a whole block: without a match there, no line matches
	 */
	bool is_blockwise;
	/* the pattern has "$": a line with CRLF may match though the block does not */
	bool has_dollar;
};

struct matched_line {
	size_t start;
	size_t end; /* before its LF or CRLF */
	size_t after; /* where the next line begins */
	struct pattern_match match; /* offsets from start */
};

void line_matcher_init(struct line_matcher *matcher, struct pattern *pattern);

/*
 * Finds the first matching line that begins at or after `from`, which must be the start of a line.
 * PATTERN_LIMIT: the search was given up on *ret_line; the caller may continue after this line.
 */
enum pattern_result line_match(struct line_matcher *matcher, const char *text, size_t len,
    size_t from, struct matched_line *ret_line);

/* Finds many literals at once, by the hashes of four bytes of each. */
struct literal_filter {
	const struct literal *literals; /* lent */
	unsigned stride;
	bool *used; /* by hash: whether a window has it */
	uint32_t *heads; /* by hash: its first window, from 1; 0: none */
	struct literal_window *windows;
	unsigned used_shift;
	unsigned heads_shift;
};

struct pattern_member {
	struct list link;
	struct line_matcher matcher;
	uint64_t tried; /* end of the last line tried, as an offset in the text of all searches */
	uint64_t done; /* number of the latest search in which found() returned false */
};

struct pattern_set {
	struct list members;
	size_t count;
	bool is_stale; /* patterns were added or removed, so the members below are made again */
	struct literal_filter filter;
	struct pattern_member **sorted; /* members in the filter, then the others */
	struct literal *literals;
	size_t filtered; /* number of members in the filter */
	uint64_t searches;
	uint64_t bytes; /* of all searches so far */
};

void pattern_set_init(struct pattern_set *set);
/* members that are still in the set need not be removed */
void pattern_set_finish(struct pattern_set *set);

/* The member and its pattern must last until the member is removed. */
void pattern_set_add(
    struct pattern_set *set, struct pattern_member *member, struct pattern *pattern);
/* Does nothing if the member is zeroed or was removed. */
void pattern_set_remove(struct pattern_set *set, struct pattern_member *member);

/*
 * Called with a line that matches, or on which the search was given up (PATTERN_LIMIT). Returns
 * false if the member needs no more lines of the block. Must not change the set.
 */
typedef bool pattern_found_fn(void *data, struct pattern_member *member, enum pattern_result result,
    const struct matched_line *line);

/*
 * Calls found for the matching lines of a block, which begins at the start of a line; for each
 * member in their order.
 */
void pattern_set_find(
    struct pattern_set *set, const char *text, size_t len, pattern_found_fn *found, void *data);

/*
 * Calls picked once for each member that may match in a text: those whose literal the text
 * contains, and all that have none in the filter. picked must not change the set.
 */
typedef void pattern_picked_fn(void *data, struct pattern_member *member);
void pattern_set_pick(
    struct pattern_set *set, const char *text, size_t len, pattern_picked_fn *picked, void *data);
