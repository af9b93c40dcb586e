/* SPDX-License-Identifier: ISC */
/*
 * A set of many patterns, searched for in a block of lines. A literal is a text that all matches of
 * a pattern contain. A filter finds many literals in one pass, and their patterns are tried only on
 * the lines found. A pattern with a short literal or none is searched for alone by line_match(),
 * and so are all patterns if there are few.
 *
 * The set needs at most 64 KiB, and 200 bytes a pattern beside its member. The memory is allocated
 * at the first search after a change of the set.
 */
#pragma once

#include "daemon/core/pattern.h"

/*
 * A line_matcher finds the lines of a block that match one pattern. A line is matched alone,
 * without its line end. If the pattern allows it, the whole block is first searched in one call,
 * which is many times cheaper. Then only lines with a hit are matched alone.
 */

#define PATTERN_LITERAL_MAX 64 /* bytes */

struct line_matcher {
	struct pattern *pattern;
	size_t literal_len; /* 0: no literal */
	char literal[PATTERN_LITERAL_MAX]; /* no line matches without these bytes */
	bool is_blockwise; /* the whole block can be searched in one call */
	/* the pattern has "$": a line with CRLF may match although the block does not */
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
 * PATTERN_LIMIT: the search was given up in the line *ret_line. The caller may continue after that
 * line.
 */
enum pattern_result line_match(struct line_matcher *matcher, const char *text, size_t len,
    size_t from, struct matched_line *ret_line);

/* Finds many literals in one pass. Windows and stride: see pattern_set.c. */
struct literal_filter {
	const struct literal *literals; /* not owned */
	unsigned stride;
	bool *used; /* by hash: true if a window has this hash */
	uint32_t *heads; /* by hash: the first window with this hash, from 1; 0: none */
	struct literal_window *windows;
	unsigned used_shift;
	unsigned heads_shift;
};

struct pattern_member {
	struct list link;
	struct line_matcher matcher;
	uint64_t tried; /* end of the last tried line, as an offset in the text of all searches */
	uint64_t done; /* number of the latest search that needs no more lines for this member */
};

struct pattern_set {
	struct list members;
	size_t count;
	bool is_stale; /* patterns were added or removed: the next search calls renew() */
	struct literal_filter filter;
	struct pattern_member **sorted; /* members in the filter, then the others */
	struct literal *literals;
	size_t filtered; /* number of members in the filter */
	uint64_t searches;
	uint64_t bytes; /* of all searches so far */
};

void pattern_set_init(struct pattern_set *set);
/* Members may still be in the set. */
void pattern_set_finish(struct pattern_set *set);

/* The member and its pattern must last until the member is removed. */
void pattern_set_add(
    struct pattern_set *set, struct pattern_member *member, struct pattern *pattern);
/* Does nothing if the member is zeroed or was removed. */
void pattern_set_remove(struct pattern_set *set, struct pattern_member *member);

/*
 * Called with a line that matches, or in which the search was given up (PATTERN_LIMIT). Returns
 * false if the member needs no more lines of the block. Must not change the set.
 */
typedef bool pattern_found_fn(void *data, struct pattern_member *member, enum pattern_result result,
    const struct matched_line *line);

/*
 * Calls found for the matching lines of a block, which must begin at the start of a line. A member
 * gets its lines in their order.
 */
void pattern_set_find(
    struct pattern_set *set, const char *text, size_t len, pattern_found_fn *found, void *data);

/*
 * Calls picked once for each member that may match in a text: the filter has found the literal of
 * the member, or does not look for one. picked must not change the set.
 */
typedef void pattern_picked_fn(void *data, struct pattern_member *member);
void pattern_set_pick(
    struct pattern_set *set, const char *text, size_t len, pattern_picked_fn *picked, void *data);
