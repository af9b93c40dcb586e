/* SPDX-License-Identifier: ISC */
/*
 * Named consumers of the queue: each sees every notification in order, at least once, and says
 * so by acknowledging. An entry that is handed out and not acknowledged comes again after a
 * while, a bounded number of times. A reply that was sent is no acknowledgement.
 */
#pragma once

#include "daemon/queue/queue.h"
#include "wire/field.h"

#define CONSUMERS_MAX 256
#define CONSUMER_NAME_MAX 64 /* characters of [A-Za-z0-9_.:-] */
#define CONSUMER_ACK_WAIT_MS 60000 /* unless it is set */
#define CONSUMER_DELIVER_MAX 10 /* hand-outs of one entry to one consumer */

struct consumer_filter;

/* Loads the places that the queue's store holds. */
struct consumer_set *consumer_set_new(struct queue *queue);
void consumer_set_free(struct consumer_set *set);
/* How long what is handed out may stay unacknowledged until it comes again. */
void consumer_set_ack_wait(struct consumer_set *set, int64_t ack_wait_ms);

bool consumer_name_is_valid(const char *name);
/* NULL if there is none of that name. */
struct consumer *consumer_find(struct consumer_set *set, const char *name);
/*
 * Makes one if there is none: it begins at the oldest entry. If there are CONSUMERS_MAX, the one that
 * was used longest ago is forgotten, but none that has an entry in hand or that a request waits for.
 * NULL if all are such.
 */
struct consumer *consumer_get(struct consumer_set *set, const char *name);
/* A request waits for its next entry; the end of that is a use too. */
void consumer_begin_wait(struct consumer *consumer);
void consumer_end_wait(struct consumer *consumer);
/* Everything up to this number is acknowledged. */
uint64_t consumer_floor(const struct consumer *consumer);

/*
 * The next entry for a consumer: one that was handed out too long ago, else the next it has
 * not seen. NULL if there is none; then *ret_due_ms is when one handed out comes again
 * (CLOCK_MONOTONIC), 0: not by itself.
 */
const struct notification *consumer_peek(struct consumer *consumer,
    const struct consumer_filter *filter, int64_t now_ms, int64_t *ret_due_ms);
/* Hands out a notification, from now_ms on. */
void consumer_hand_out(struct consumer *consumer, const struct notification *note, int64_t now_ms);
/* The reader did not get what was handed out: the notification comes again at once. */
void consumer_put_back(struct consumer *consumer, uint64_t seq);

/*
 * Acknowledges one for a reader that has waited for it; its receipt says so if it has no other.
 * name: of a consumer, which the receipt has too; NULL: it is a wait.
 */
void consumer_settle(struct queue *queue, uint64_t seq, const char *name);

/* Acknowledges one entry, or all up to a number. Returns how many were not yet. */
unsigned consumer_acknowledge(struct consumer *consumer, uint64_t seq, bool up_to);
/* The same for this consumer alone: the entries stay as they are for panes and other readers. */
unsigned consumer_pass(struct consumer *consumer, uint64_t seq, bool up_to);

/*
 * Entries that were handed out CONSUMER_DELIVER_MAX times in vain, and do not come again unless they
 * are taken back now.
 */
size_t consumer_parked(struct consumer *consumer, bool takes_back);
size_t consumer_set_parked(const struct consumer_set *set);
size_t consumer_set_count(const struct consumer_set *set);

#define CONSUMER_FILTER_ID_MAX 200 /* bytes */

/* Members that are not set do not decide. */
struct consumer_filter {
	bool has_pane;
	uint32_t pane;
	int source; /* enum notification_source; -1: any */
	const char *id; /* of a request, in capitals or not; NULL: any */
	bool is_urgent; /* only those */
};

/* The members of a filter as JSON: pane, source, id, urgent. */
extern const struct field consumer_filter_fields[];

/*
 * Reads a filter: an object, or an id alone; NULL: every notification matches. *ret_pane is the
 * text that names its pane, or NULL: the caller looks the pane up. Its id is lent from value. False
 * with a reason if value is no filter.
 */
bool consumer_filter_read(const struct json *value, struct consumer_filter *ret_filter,
    const char **ret_pane, char *ret_reason, size_t size);

bool consumer_filter_matches(const struct consumer_filter *filter, const struct notification *note);
