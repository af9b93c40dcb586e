/* SPDX-License-Identifier: ISC */
/*
 * Files that are followed for many listeners. The listeners to a path share a tail (tail.h) while
 * they are at the same place of the file: it reads and watches the file once, and searches once for
 * all patterns. Two tails that have come to the same place are joined after a look.
 *
 * A listener gets the same lines as from a tail of its own. A context line can differ: if the
 * listener came in the middle of the line, the line may have its beginning too.
 */
#pragma once

#include "daemon/core/pattern_set.h"
#include "daemon/file/tail_loop.h"

struct context_lines;
struct tail_listener;

/* A line that a pattern matches, or on which the search was given up (PATTERN_LIMIT). */
struct tail_finding {
	const struct tail_block *block;
	const struct matched_line *line;
	enum pattern_result result;
	/* the last line of the file, which had no line end for TAIL_PARTIAL_MS, and may grow */
	bool may_grow;
	uint64_t number; /* number of the block; 0 for a line that may grow */
	uint64_t previous; /* number of the block before */
};

/* The handlers of a listener; each may be NULL, but not found() if there is a pattern. */
struct tail_listener_handlers {
	/* Returns false if the listener needs no more blocks. */
	bool (*found)(struct tail_listener *listener, const struct tail_finding *finding);
	/* Called with a block before its lines are searched. */
	void (*block)(struct tail_listener *listener, const struct tail_block *block);
	void (*changed)(struct tail_listener *listener, enum tail_change change);
	/* A line was cut: only its first TAIL_LINE_MAX bytes are searched. */
	void (*cut)(struct tail_listener *listener);
	/*
	 * Called after a look that called found(), block() or changed(). The other handlers must
	 * not add or remove listeners.
	 */
	void (*looked)(struct tail_listener *listener);
};

/* A listener, a member of its owner's struct. */
struct tail_listener {
	struct list link; /* in the listeners of its tail */
	/* in the tail's list of listeners to blocks or changes */
	struct list block_link;
	struct list told_link; /* in the list of listeners to call after the look */
	struct shared_tail *tail;
	const struct tail_listener_handlers *handlers;
	/* the listener's pattern; matcher.pattern NULL: none */
	struct pattern_member member;
	/* number of the first context line that came since the listener was added */
	uint64_t context_from;
	bool is_done; /* needs no more blocks */
};

/*
 * options may be NULL. moved is called after a look that has changed the place of a tail, so stored
 * places are out of date.
 */
struct tail_share *tail_share_new(struct event_base *base, const struct tail_loop_options *options,
    void (*moved)(void *data), void *data);
void tail_share_free(struct tail_share *share); /* call this after all listeners were removed */

size_t tail_share_count(const struct tail_share *share); /* number of tails */

/*
 * Listens to a path: from now on if places is NULL, else from the places that an earlier daemon
 * stored, as in tail_loop_new(). pattern may be NULL; it must outlive the listener. The handlers
 * are called from the event loop.
 */
void tail_listener_add(struct tail_share *share, struct tail_listener *listener, const char *path,
    const struct tail_place *places, size_t count, struct pattern *pattern,
    const struct tail_listener_handlers *handlers);
void tail_listener_remove(struct tail_listener *listener); /* a zeroed listener is accepted */

const struct tail_loop *tail_listener_loop(const struct tail_listener *listener);
/* Returns a number that grows with each change of the places. Two tails never share a number. */
uint64_t tail_listener_version(const struct tail_listener *listener);

/*
 * Copies up to CONTEXT_LINES lines before a finding. Call this within found(). The caller frees the
 * lines with context_lines_finish().
 */
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
	uint64_t count; /* number of lines added so far */
};

void context_lines_finish(struct context_lines *context);

/* Returns the length of a line without its line end. */
size_t context_line_len(const char *bytes, size_t len);
