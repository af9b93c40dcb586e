/* SPDX-License-Identifier: ISC */
/*
 * Watches of files: a source of notifications. A watch sees content written after it was
 * accepted, and ends with exactly one terminal notification: at its first match, or when its
 * time is up, or it is cancelled, or its pattern cannot be evaluated. A watch that stays
 * notifies of matches until then. Its position is kept in the store, now and then, and
 * together with each notification: after a crash no match is notified twice.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/core/boot_clock.h"
#include "daemon/server/method.h"
#include "daemon/watch/watch_record.h"

#define WATCHES_MAX 1000
#define WATCH_LIMITS_MAX 10 /* lines in a row on which the pattern may give up */

struct once;
struct queue;
struct tmux;

struct watch_order {
	const char *file; /* absolute */
	const char *regex; /* NULL: any change */
	bool on_change;
	bool is_staying;
	int64_t timeout_ms;
	const struct pane_ref *pane;
	const struct once *once; /* of the request; NULL: it has no key */
};

/* Loads what the queue's store holds. The clock must outlive the set. */
struct watch_set *watch_set_new(struct event_base *base, struct queue *queue,
    const struct boot_clock *clock, const struct tail_loop_options *options);
void watch_set_free(struct watch_set *set);

/*
 * Whether a watch of the path can ever fire: it is absolute, and is no pattern, and leads to a file
 * or to nothing yet. Else fails the request, with the call that can.
 */
bool watch_check_path(struct request *request, const char *field, const char *path);

/* NULL with a reason: errno ENOSPC for too many, EINVAL for a pattern that is none. */
const struct watch *watch_add(
    struct watch_set *set, const struct watch_order *order, char *ret_reason, size_t size);

/* Ends one with a notification in state cancelled; false if there is none of that id. */
bool watch_cancel(struct watch_set *set, const char *id);

const struct watch *watch_next(const struct watch_set *set, const struct watch *previous);
size_t watch_count(const struct watch_set *set);

/* The alarm rang: ends those whose time is up. */
void watch_ring(struct watch_set *set);

struct tail_share *watch_tails(const struct watch_set *set);

/* The methods of watches, in watch_methods.c. */
extern const struct method methods_watch[];
/* Writes a watch as list_watches shows it. */
void watch_write(struct json_writer *writer, struct tmux *tmux, const struct watch *watch);
