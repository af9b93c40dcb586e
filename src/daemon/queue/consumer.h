/* SPDX-License-Identifier: ISC */
/*
 * Named consumers of the queue (method next_notification with a consumer), and the filter of its
 * readers. A consumer must acknowledge the entries that it gets: an entry that is not acknowledged
 * in time is handed out again, a bounded number of times. A response that was sent does not count
 * as an acknowledgement.
 */
#pragma once

#include "daemon/queue/queue.h"
#include "wire/field.h"

#define CONSUMERS_MAX 256
#define CONSUMER_NAME_MAX 64 /* characters of [A-Za-z0-9_.:-] */
#define CONSUMER_ACK_WAIT_MS 60000 /* default of consumer_set_ack_wait() */
/* an entry that was handed out so often without acknowledgement is parked */
#define CONSUMER_DELIVER_MAX 10

struct consumer_filter;
struct consumer_set *consumer_set_new(struct queue *queue);
void consumer_set_free(struct consumer_set *set);
/* Sets how long an entry may stay unacknowledged before it is handed out again. */
void consumer_set_ack_wait(struct consumer_set *set, int64_t ack_wait_ms);

bool consumer_name_is_valid(const char *name);
struct consumer *consumer_find(struct consumer_set *set, const char *name);
/*
 * Returns the consumer of this name, now the most recently used, or makes one that begins at the
 * oldest entry. If there are CONSUMERS_MAX already, it replaces the least recently used one without
 * a waiting request or an entry to acknowledge in time. Returns NULL if there is none.
 */
struct consumer *consumer_get(struct consumer_set *set, const char *name);
/*
 * Call these when a request begins to wait for the next entry, and when it no longer waits. The
 * second call makes the consumer the most recently used.
 */
void consumer_begin_wait(struct consumer *consumer);
void consumer_end_wait(struct consumer *consumer);
/* Returns a number up to which the consumer has no entry left to acknowledge. */
uint64_t consumer_floor(const struct consumer *consumer);

/*
 * Returns the oldest matching entry that is new to the consumer, or is due to be handed out again,
 * and is not cancelled. Returns NULL if there is none. *ret_due_ms is then the time
 * (CLOCK_MONOTONIC) at which the next entry is due again; 0: none will be.
 */
const struct notification *consumer_peek(struct consumer *consumer,
    const struct consumer_filter *filter, int64_t now_ms, int64_t *ret_due_ms);
/* Notes that an entry is handed out. now_ms: CLOCK_MONOTONIC. */
void consumer_hand_out(struct consumer *consumer, const struct notification *note, int64_t now_ms);
/* Takes back an entry that did not reach the reader, unless it was acknowledged meanwhile. */
void consumer_put_back(struct consumer *consumer, uint64_t seq);

/*
 * Sets a notification to acknowledged. If it was queued, it gets a receipt with the way "waited"
 * and the consumer's name; NULL: none, as another request has waited for it.
 */
void consumer_settle(struct queue *queue, uint64_t seq, const char *name);

/* Acknowledges one entry, or all up to seq. Returns how many the consumer had not acknowledged. */
unsigned consumer_acknowledge(struct consumer *consumer, uint64_t seq, bool up_to);
/* Like consumer_acknowledge(), but other readers still get the entries. */
unsigned consumer_pass(struct consumer *consumer, uint64_t seq, bool up_to);

/*
 * Counts the parked entries, which were handed out CONSUMER_DELIVER_MAX times and not acknowledged
 * in time. takes_back: makes them due again.
 */
size_t consumer_parked(struct consumer *consumer, bool takes_back);
/* Counts the parked entries of all consumers. */
size_t consumer_set_parked(const struct consumer_set *set);
size_t consumer_set_count(const struct consumer_set *set);

#define CONSUMER_FILTER_ID_MAX 200 /* bytes */

/* Which notifications a reader wants. A member that is not set matches all. */
struct consumer_filter {
	bool has_pane;
	uint32_t pane;
	int source; /* enum notification_source; -1: any */
	const char *id; /* id of a request, in upper or lower case; NULL: any */
	bool is_urgent; /* true: urgent ones only */
};

extern const struct field consumer_filter_fields[];

/*
 * Reads a filter from an object, from a string with an id, or from NULL, which matches all. The
 * strings belong to value. *ret_pane is the text that names a pane, or NULL; the caller finds the
 * pane and sets it in the filter. Returns false with a reason if value is invalid.
 */
bool consumer_filter_read(const struct json *value, struct consumer_filter *ret_filter,
    const char **ret_pane, char *ret_reason, size_t size);

bool consumer_filter_matches(const struct consumer_filter *filter, const struct notification *note);
