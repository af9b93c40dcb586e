/* SPDX-License-Identifier: ISC */
/*
 * Many patterns, searched for in one pass over a block of lines. A pattern is tried only on the
 * lines that contain its literal; one filter looks for all literals of four bytes or more. A
 * pattern without such a literal is searched for by line_match(), and so are all of them while
 * there are few. The lines found are those of line_match().
 *
 * Memory: at most 64 KiB, and 200 bytes a pattern beside its member, allocated when patterns have
 * been added or removed, never for a block.
 */
#pragma once

#include "daemon/core/pattern.h"

/*
 * Finds the lines of a block that match a pattern. Each line is matched alone, without its
 * end. If the pattern allows it, all lines are first searched in one call, which is many
 * times cheaper, and only lines with a hit are matched alone.
 */

#define PATTERN_LITERAL_MAX 64 /* bytes */

struct line_matcher {
	struct pattern *pattern;
	size_t literal_len; /* 0: there is none */
	char literal[PATTERN_LITERAL_MAX]; /* no line matches without these bytes */
	bool is_blockwise; /* a block without a match has no matching line */
	bool has_dollar; /* except with "$" and the CR of CRLF */
};

/* A line of a block. */
struct matched_line {
	size_t start;
	size_t end; /* without its LF or CRLF */
	size_t after; /* where the next one begins */
	struct pattern_match match; /* from start on */
};

void line_matcher_init(struct line_matcher *matcher, struct pattern *pattern);

/*
 * The first matching line at or after from (the start of a line). PATTERN_LIMIT: the
 * pattern gave up on that line; continue after it.
 */
enum pattern_result line_match(struct line_matcher *matcher, const char *text, size_t len,
    size_t from, struct matched_line *ret_line);

/* Many literals, looked up by four bytes of each at once. */
struct literal_filter {
	const struct literal *literals; /* lent */
	unsigned stride;
	bool *used; /* which hashes have a window */
	uint32_t *heads; /* the first window of a hash, from 1; 0: none */
	struct literal_window *windows;
	unsigned used_shift;
	unsigned heads_shift;
};

/* A pattern in a set; part of its owner. */
struct pattern_member {
	struct list link;
	struct line_matcher matcher;
	uint64_t tried; /* the line that was tried last */
	uint64_t done; /* the search that it has left */
};

struct pattern_set {
	struct list members;
	size_t count;
	bool is_stale; /* the rest must be made again */
	struct literal_filter filter;
	struct pattern_member **sorted; /* those of the filter, then the others */
	struct literal *literals;
	size_t filtered; /* how many are in the filter */
	uint64_t searches;
	uint64_t bytes; /* searched so far */
};

void pattern_set_init(struct pattern_set *set);
void pattern_set_finish(struct pattern_set *set); /* the members need not be removed first */

/* The pattern must outlive its place in the set. */
void pattern_set_add(
    struct pattern_set *set, struct pattern_member *member, struct pattern *pattern);
/* Zeroes, or a member that is in no set: nothing. */
void pattern_set_remove(struct pattern_set *set, struct pattern_member *member);

/*
 * Takes a line that matches, or on which the pattern gave up (PATTERN_LIMIT). False: this member
 * needs no more lines of the block. It must not change the set.
 */
typedef bool pattern_found_fn(void *data, struct pattern_member *member, enum pattern_result result,
    const struct matched_line *line);

/*
 * Searches a block that begins at the start of a line. The lines of each member come in their
 * order; the order of members is not defined.
 */
void pattern_set_find(
    struct pattern_set *set, const char *text, size_t len, pattern_found_fn *found, void *data);

/*
 * Picks the members that may match in a text, each once: a member with a literal if the text has
 * the literal, and each member without a literal. picked must not change the set.
 */
typedef void pattern_picked_fn(void *data, struct pattern_member *member);
void pattern_set_pick(
    struct pattern_set *set, const char *text, size_t len, pattern_picked_fn *picked, void *data);
