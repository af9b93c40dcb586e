/* SPDX-License-Identifier: ISC */
/*
 * Watches of files: a source of notifications. A watch is told of what is written after it
 * was accepted, and ends with exactly one terminal notification: at its first match, or when
 * its time is up, or it is cancelled, or its pattern cannot be evaluated. One that stays tells
 * of matches until then. What it has read is kept in the store, now and then, and together
 * with each notification: reading a part again after a crash tells nothing twice.
 */
#ifndef DAEMON_SOURCE_WATCH_H
#define DAEMON_SOURCE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "daemon/core/boot_clock.h"
#include "daemon/file/line_match.h"
#include "daemon/file/tail_loop.h"
#include "daemon/queue/notification.h"

#define WATCHES_MAX 1000
#define WATCH_CONTEXT 3 /* lines before the one that matched */
#define WATCH_LINE_MAX 4096 /* bytes of a line that are told */
#define WATCH_CONTEXT_MAX 512 /* bytes of a line of the context */
#define WATCH_LIMITS_MAX 10 /* lines in a row on which the pattern may give up */

struct event_base;
struct queue;
struct watch_set;

struct watch_text {
	char *bytes;
	size_t len;
	int64_t offset;
	int64_t line; /* 0: not known */
	unsigned flags; /* enum tail_flag */
};

struct watch {
	struct list link; /* oldest first */
	struct watch_set *set;
	char id[NOTIFICATION_ID_SIZE];
	char *file;
	struct pane_ref pane; /* who is to be told; cleared: nobody */
	struct line_matcher matcher; /* its pattern is NULL without one */
	bool on_change;
	bool is_staying; /* it does not end with its first match */
	int64_t created_ms; /* CLOCK_REALTIME */
	int64_t boot_due_ms;
	int64_t real_due_ms;
	int64_t timeout_ms;
	uint64_t count; /* matches and changes that were told */
	uint64_t limit_hits; /* lines on which the pattern gave up */
	struct tail_loop *tail_loop;
	/* The rest is its own. */
	unsigned limits_in_row;
	bool is_over;
	bool is_dirty; /* its place is not in the store */
	int changed; /* enum tail_change since the last look; -1: nothing */
	uint64_t found; /* matches since the last look */
	char *found_data; /* what is told of the first of them */
	struct watch_text last; /* the line that was read last, for changes */
	struct watch_text context[WATCH_CONTEXT]; /* lines before the next block, oldest first */
	int64_t shown_offset; /* of a line that matched before it had an end; -1: none */
};

struct watch_order {
	const char *file; /* absolute */
	const char *regex; /* NULL: any change */
	bool on_change;
	bool is_staying;
	int64_t timeout_ms;
	const struct pane_ref *pane;
};

/* Loads what the queue's store holds. The clock must outlive the set. */
struct watch_set *watch_set_new(struct event_base *base, struct queue *queue,
    const struct boot_clock *clock, const struct tail_loop_options *options);
void watch_set_free(struct watch_set *set);

/* NULL with a reason: errno ENOSPC for too many, EINVAL for a pattern that is none. */
const struct watch *watch_add(
    struct watch_set *set, const struct watch_order *order, char *ret_reason, size_t size);

/* Ends one with a notification in state cancelled; false if there is none of that id. */
bool watch_cancel(struct watch_set *set, const char *id);

const struct watch *watch_next(const struct watch_set *set, const struct watch *previous);
size_t watch_count(const struct watch_set *set);

/* The alarm rang: ends those whose time is up. */
void watch_ring(struct watch_set *set);

struct tail_loop_set *watch_feeds(const struct watch_set *set);

#endif
