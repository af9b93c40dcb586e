/* SPDX-License-Identifier: ISC */
/*
 * Files that are followed once for all their listeners: one reading, one inotify watch, and one
 * search for the patterns of all of them. The listeners of a path share a tail while they stand
 * at the same place of it. A listener gets a tail of its own if none stands where it begins; two
 * tails that have come to the same place become one.
 *
 * A listener hears of a line what it would hear from a tail of its own. Only the context may have
 * the whole of a line of which the listener heard the end.
 */
#pragma once

#include "daemon/core/pattern_set.h"
#include "daemon/file/tail_loop.h"

struct context_lines;
struct tail_listener;

/* A line that a pattern matches, or on which the pattern gave up. */
struct tail_finding {
	const struct tail_block *block;
	const struct matched_line *line;
	enum pattern_result result;
	bool may_grow; /* the last line, incomplete for FEED_PARTIAL_MS */
	uint64_t number; /* of the block; 0 for a line that may grow */
	uint64_t previous; /* the number of the block before */
};

/* Handlers that are NULL are not called. */
struct tail_listener_handlers {
	/* False: the listener needs no more blocks. */
	bool (*found)(struct tail_listener *listener, const struct tail_finding *finding);
	/* Each block, before its lines are searched. */
	void (*block)(struct tail_listener *listener, const struct tail_block *block);
	void (*changed)(struct tail_listener *listener, enum tail_change change);
	/* A line of which only the first TAIL_LINE_MAX bytes are searched. */
	void (*cut)(struct tail_listener *listener);
	/* After a look that called another handler. Only this one may add or remove listeners. */
	void (*looked)(struct tail_listener *listener);
};

/* Part of its owner. */
struct tail_listener {
	struct list link; /* of its tail */
	struct list block_link; /* with those that take blocks or changes */
	struct list told_link; /* with those to be called after the look */
	struct shared_tail *tail;
	const struct tail_listener_handlers *handlers;
	struct pattern_member member; /* its pattern is NULL without one */
	uint64_t context_from; /* earlier lines are not of its time */
	bool is_done; /* needs no more blocks */
};

/* NULL options: the defaults. moved: the place of a tail is another one after a look. */
struct tail_share *tail_share_new(struct event_base *base, const struct tail_loop_options *options,
    void (*moved)(void *data), void *data);
void tail_share_free(struct tail_share *share); /* after all its listeners */

size_t tail_share_count(const struct tail_share *share); /* of tails */

/*
 * Listens to a path from now on, or from places of an earlier run (tail_loop_new()). pattern may
 * be NULL, and must outlive the listener. The handlers are called from the event loop.
 */
void tail_listener_add(struct tail_share *share, struct tail_listener *listener, const char *path,
    const struct tail_place *places, size_t count, struct pattern *pattern,
    const struct tail_listener_handlers *handlers);
void tail_listener_remove(struct tail_listener *listener); /* zeroes: nothing */

const struct tail_loop *tail_listener_loop(const struct tail_listener *listener);
/* Grows with each change of the places; never the same again. */
uint64_t tail_listener_version(const struct tail_listener *listener);

/* The lines before a finding; to be finished. Only within found(). */
void tail_listener_context(const struct tail_listener *listener, const struct tail_finding *finding,
    struct context_lines *ret_context);

#define CONTEXT_LINES 3
#define CONTEXT_LINE_MAX 512 /* bytes */

struct context_line {
	char *bytes; /* NULL: there is none */
	size_t len;
};

struct context_lines {
	struct context_line lines[CONTEXT_LINES]; /* oldest first */
	uint64_t count; /* that were ever remembered */
};

void context_lines_finish(struct context_lines *context);

/* Remembers the last lines of some that end at end. */
void context_lines_add(struct context_lines *context, const char *text, size_t end);

/* Copies the remembered lines, without the first `from` that were ever remembered. */
void context_lines_copy(
    const struct context_lines *context, uint64_t from, struct context_lines *ret_copy);

/* Length without the end of the line. */
size_t context_line_len(const char *bytes, size_t len);
