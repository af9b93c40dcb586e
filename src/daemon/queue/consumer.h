/* SPDX-License-Identifier: ISC */
/*
 * Named consumers of the queue. Each consumer gets every notification in order, at least once, and
 * acknowledges it; one that is not acknowledged in time is redelivered, a bounded number of times.
 * A response that was sent is no acknowledgement.
 */
#pragma once

#include "daemon/queue/queue.h"
#include "wire/field.h"

#define CONSUMERS_MAX 256
#define CONSUMER_NAME_MAX 64 /* characters of [A-Za-z0-9_.:-] */
#define CONSUMER_ACK_WAIT_MS 60000 /* default of consumer_set_ack_wait() */
#define CONSUMER_DELIVER_MAX 10 /* hand-outs of one entry to one consumer */

struct consumer_filter;
struct consumer_set *consumer_set_new(struct queue *queue);
void consumer_set_free(struct consumer_set *set);
/* How long an entry may stay unacknowledged before it is redelivered. */
void consumer_set_ack_wait(struct consumer_set *set, int64_t ack_wait_ms);

bool consumer_name_is_valid(const char *name);
struct consumer *consumer_find(struct consumer_set *set, const char *name);
/*
 * Returns the consumer of this name; a new one begins at the oldest entry. The least recently used
 * of CONSUMERS_MAX consumers that has no entry in hand and no waiting request is replaced. Returns
 * NULL if all are in use.
 */
struct consumer *consumer_get(struct consumer_set *set, const char *name);
/* A request waits for the next entry. The end makes the consumer the most recently used. */
void consumer_begin_wait(struct consumer *consumer);
void consumer_end_wait(struct consumer *consumer);
/* Returns the number up to which all entries are acknowledged. */
uint64_t consumer_floor(const struct consumer *consumer);

/*
 * Returns the oldest matching entry that the consumer has not seen or that is due for redelivery,
 * or NULL. *ret_due_ms is then when the next redelivery is due (CLOCK_MONOTONIC), or 0.
 */
const struct notification *consumer_peek(struct consumer *consumer,
    const struct consumer_filter *filter, int64_t now_ms, int64_t *ret_due_ms);
/* now_ms: CLOCK_MONOTONIC. */
void consumer_hand_out(struct consumer *consumer, const struct notification *note, int64_t now_ms);
/* An entry that did not reach the reader is due again at once. */
void consumer_put_back(struct consumer *consumer, uint64_t seq);

/* A queued notification gets the receipt "waited" with the consumer's name; NULL: a wait. */
void consumer_settle(struct queue *queue, uint64_t seq, const char *name);

/* Acknowledges one entry, or all up to seq. Returns how many. */
unsigned consumer_acknowledge(struct consumer *consumer, uint64_t seq, bool up_to);
/* Like consumer_acknowledge(), but other readers still get the entries. */
unsigned consumer_pass(struct consumer *consumer, uint64_t seq, bool up_to);

/* Counts entries handed out CONSUMER_DELIVER_MAX times. takes_back: these are due again. */
size_t consumer_parked(struct consumer *consumer, bool takes_back);
size_t consumer_set_parked(const struct consumer_set *set);
size_t consumer_set_count(const struct consumer_set *set);

#define CONSUMER_FILTER_ID_MAX 200 /* bytes */

/* A member that is not set matches every notification. */
struct consumer_filter {
	bool has_pane;
	uint32_t pane;
	int source; /* enum notification_source; -1: any */
	const char *id; /* of a request, case ignored; NULL: any */
	bool is_urgent; /* true: urgent ones only */
};

extern const struct field consumer_filter_fields[];

/*
 * Reads a filter from an object, a string with an id, or NULL, which matches all. *ret_pane is the
 * text that names its pane, or NULL; the caller resolves it. Strings are lent from value. Returns
 * false with a reason if value is invalid.
 */
bool consumer_filter_read(const struct json *value, struct consumer_filter *ret_filter,
    const char **ret_pane, char *ret_reason, size_t size);

bool consumer_filter_matches(const struct consumer_filter *filter, const struct notification *note);
