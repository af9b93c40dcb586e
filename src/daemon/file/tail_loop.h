/* SPDX-License-Identifier: ISC */
/*
 * Followed files on the event loop: inotify says when to look. Without inotify events (no
 * watches left, network or kernel file systems) a timer polls, which is reported as the
 * mode. With inotify an idle file causes no wake-ups.
 */
#pragma once

#include "daemon/file/tail.h"

#define FEED_POLL_MS 1000
#define FEED_PARTIAL_MS 1000 /* a partial line this old is reported */

struct event_base;

struct tail_loop_options {
	bool is_polling; /* without inotify, for tests */
	int64_t poll_ms; /* 0: FEED_POLL_MS */
};

struct tail_loop_handlers {
	/* Lines; return false to stop for good. */
	tail_sink_fn *block;
	void (*changed)(void *data, enum tail_change change);
	/* The last line, incomplete for FEED_PARTIAL_MS; it may still grow. */
	void (*partial)(void *data, const struct tail_block *block);
	/* After each look. Only this handler may free the tail_loop. */
	void (*looked)(void *data);
};

/* NULL options: the defaults. */
struct tail_loop_set *tail_loop_set_new(
    struct event_base *base, const struct tail_loop_options *options);
void tail_loop_set_free(struct tail_loop_set *set); /* after all its tail_loops */
/* Looks at all of them, as after an overflow. */
void tail_loop_set_look(struct tail_loop_set *set);

/*
 * Follows a path from now on, or, if places is not NULL, from these places of an earlier run;
 * count 0 means that there was no file then. The first look comes from the event loop.
 */
struct tail_loop *tail_loop_new(struct tail_loop_set *set, const char *path,
    const struct tail_place *places, size_t count, const struct tail_loop_handlers *handlers,
    void *data);
void tail_loop_free(struct tail_loop *tail_loop); /* NULL: nothing */

/* Whether a tail that started now would stand where this one stands, and hear what it hears. */
bool tail_loop_is_at_end(const struct tail_loop *tail_loop);
/* Takes over the knowledge of another one at the same place, before that is freed. */
void tail_loop_take(struct tail_loop *tail_loop, const struct tail_loop *other);

const struct tail *tail_loop_tail(const struct tail_loop *tail_loop);
/* Why the path is polled; NULL: it is not. Lent. */
const char *tail_loop_poll_reason(const struct tail_loop *tail_loop);
