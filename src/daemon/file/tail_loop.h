/* SPDX-License-Identifier: ISC */
/*
 * Followed files on the event loop: inotify says when to look. Without inotify events (no watches
 * left, network or kernel file systems) a timer polls, and the file is reported as polled. With
 * inotify an idle file normally causes no wake-ups.
 */
#pragma once

#include "daemon/file/tail.h"

#define TAIL_POLL_MS 1000
#define TAIL_PARTIAL_MS 1000 /* a partial line that has not grown for this time is reported */

struct event_base;

struct tail_loop_options {
	bool is_polling; /* never use inotify, for tests */
	int64_t poll_ms; /* 0: TAIL_POLL_MS */
};

struct tail_loop_handlers {
	/* Returns false to stop reading: no timer begins the next look. */
	tail_sink_fn *block;
	void (*changed)(void *data, enum tail_change change);
	/* The last line has been incomplete for TAIL_PARTIAL_MS, and may still grow. */
	void (*partial)(void *data, const struct tail_block *block);
	/* Called after each look. The other handlers must not free the tail_loop. */
	void (*looked)(void *data);
};

/* options may be NULL, for the defaults. */
struct tail_loop_set *tail_loop_set_new(
    struct event_base *base, const struct tail_loop_options *options);
/* free its tail_loops before */
void tail_loop_set_free(struct tail_loop_set *set);
/* Looks at all tail_loops soon, as after an overflow of inotify. */
void tail_loop_set_look(struct tail_loop_set *set);

/*
 * Follows a path: from now on if places is NULL, else from the places that an earlier run stored
 * (count 0: the file did not exist then). The first look comes from the event loop.
 */
struct tail_loop *tail_loop_new(struct tail_loop_set *set, const char *path,
    const struct tail_place *places, size_t count, const struct tail_loop_handlers *handlers,
    void *data);
void tail_loop_free(struct tail_loop *tail_loop); /* NULL is accepted */

/* Returns true if a tail_loop that started now would report the same from now on. */
bool tail_loop_is_at_end(const struct tail_loop *tail_loop);
/* Takes over the knowledge of another tail_loop at the same place, which is freed next. */
void tail_loop_take(struct tail_loop *tail_loop, const struct tail_loop *other);

const struct tail *tail_loop_tail(const struct tail_loop *tail_loop);
/* Returns the reason why the path is polled, lent; NULL: it is not polled. */
const char *tail_loop_poll_reason(const struct tail_loop *tail_loop);
