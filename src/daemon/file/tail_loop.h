/* SPDX-License-Identifier: ISC */
/*
 * Followed files on the event loop: inotify says when to look; where it says nothing (no
 * watches left, a file system of the network or of the kernel) a clock does, and that is
 * told as the mode. At rest, and where events come, nothing wakes up.
 */
#ifndef DAEMON_FILE_TAIL_LOOP_H
#define DAEMON_FILE_TAIL_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/file/tail.h"

#define FEED_POLL_MS 1000
#define FEED_PARTIAL_MS 1000 /* a line without its end that old is shown */

struct event_base;
struct feed;
struct feed_set;

struct feed_options {
	bool is_polling; /* without inotify, for tests */
	int64_t poll_ms; /* 0: FEED_POLL_MS */
};

struct feed_handlers {
	/* Lines; false: no more, and no further look. */
	tail_sink_fn *block;
	void (*changed)(void *data, enum follower_change change);
	/* A line at the end of the file that has no end since FEED_PARTIAL_MS; it may get one yet. */
	void (*partial)(void *data, const struct tail_block *block);
	/* After each look. Here, and only here of these, the feed may be freed. */
	void (*looked)(void *data);
};

/* NULL options: the usual ones. NULL on failure. */
struct feed_set *feed_set_new(struct event_base *base, const struct feed_options *options);
void feed_set_free(struct feed_set *set); /* its feeds are gone by then */
/* Looks at all of them, as after an overflow. */
void feed_set_look(struct feed_set *set);

struct inotify_hub; /* NULL while inotify cannot be had */
struct inotify_hub *feed_set_hub(const struct feed_set *set);

/*
 * Follows a path from now on, or, if places is not NULL, from those of an earlier life on;
 * none of them says that there was no file then. The first look comes from the event loop.
 */
struct feed *feed_new(struct feed_set *set, const char *path, const struct tail_place *places,
    size_t count, const struct feed_handlers *handlers, void *data);
void feed_free(struct feed *feed); /* NULL: nothing */

const struct follower *feed_follower(const struct feed *feed);
/* Why it is polled; NULL: it is not. Lent. */
const char *feed_poll_reason(const struct feed *feed);

#endif
