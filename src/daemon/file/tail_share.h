/* SPDX-License-Identifier: ISC */
/*
 * Files that are followed once for all their listeners: a file is read once, has one inotify watch,
 * and is searched once for all patterns. Listeners to a path share a tail while they are at the
 * same place of the file; two tails that have come to the same place are merged.
 *
 * A listener gets the same lines as from a tail of its own, but the context may have a whole line
 * of which the listener got only the end.
 */
#pragma once

#include "daemon/core/pattern_set.h"
#include "daemon/file/tail_loop.h"

struct context_lines;
struct tail_listener;

/* A line that a pattern matches, or on which the pattern takes too many steps. */
struct tail_finding {
	const struct tail_block *block;
	const struct matched_line *line;
	enum pattern_result result;
	bool may_grow; /* the last line, without an end for TAIL_PARTIAL_MS */
	uint64_t number; /* of the block; 0 for a line that may grow */
	uint64_t previous; /* number of the block before */
};

/* Each may be NULL. */
struct tail_listener_handlers {
	/* Returns false if the listener needs no more blocks. */
	bool (*found)(struct tail_listener *listener, const struct tail_finding *finding);
	/* Takes each block before its lines are searched. */
	void (*block)(struct tail_listener *listener, const struct tail_block *block);
	void (*changed)(struct tail_listener *listener, enum tail_change change);
	/* A line was cut: only its first TAIL_LINE_MAX bytes are searched. */
	void (*cut)(struct tail_listener *listener);
	/* Called after a look that called another handler. Only looked() may change listeners. */
	void (*looked)(struct tail_listener *listener);
};

/* A listener, which is a part of its owner. */
struct tail_listener {
	struct list link; /* in the listeners of its tail */
	struct list block_link; /* in the listeners of its tail that take blocks or changes */
	struct list told_link; /* in the list of listeners to call after the look */
	struct shared_tail *tail;
	const struct tail_listener_handlers *handlers;
	struct pattern_member member; /* with pattern NULL if the listener has none */
	uint64_t context_from; /* number of the first line of context since the listener began */
	bool is_done; /* needs no more blocks */
};

/* options may be NULL. moved() is called after a look that has changed the place of a tail. */
struct tail_share *tail_share_new(struct event_base *base, const struct tail_loop_options *options,
    void (*moved)(void *data), void *data);
void tail_share_free(struct tail_share *share); /* after all its listeners */

size_t tail_share_count(const struct tail_share *share); /* number of tails */

/*
 * Listens to a path: from now on if places is NULL, otherwise from the places that an earlier run
 * stored, as in tail_loop_new(). pattern may be NULL, and must outlive the listener. The handlers
 * are called from the event loop.
 */
void tail_listener_add(struct tail_share *share, struct tail_listener *listener, const char *path,
    const struct tail_place *places, size_t count, struct pattern *pattern,
    const struct tail_listener_handlers *handlers);
void tail_listener_remove(struct tail_listener *listener); /* zeroes are accepted */

const struct tail_loop *tail_listener_loop(const struct tail_listener *listener);
/* Returns a number that grows with each change of the places; no two tails have the same. */
uint64_t tail_listener_version(const struct tail_listener *listener);

/* The caller frees the lines by context_lines_finish(). Only within found(). */
void tail_listener_context(const struct tail_listener *listener, const struct tail_finding *finding,
    struct context_lines *ret_context);

#define CONTEXT_LINES 3
#define CONTEXT_LINE_MAX 512 /* bytes */

struct context_line {
	char *bytes; /* NULL: no line */
	size_t len;
};

struct context_lines {
	struct context_line lines[CONTEXT_LINES]; /* oldest first */
	uint64_t count; /* lines ever remembered */
};

void context_lines_finish(struct context_lines *context);

/* Returns the length without the line end. */
size_t context_line_len(const char *bytes, size_t len);
