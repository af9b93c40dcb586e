/* SPDX-License-Identifier: ISC */
/*
 * The queue of notifications. One sequence with the events: a notification is an event of kind
 * "notification" too, and bears its number. Entries never change; what changes is their state,
 * and the place of each named consumer. Sources post; sinks (peers that pull or are
 * subscribed, delivery into panes) take. No source knows a sink. Nothing is published before
 * the journal has it.
 */
#pragma once

#include "daemon/queue/record.h"

/* Entries remembered, and bytes unless the limit says another; settled ones are forgotten first. */
#define QUEUE_KEEP 10000
#define QUEUE_BYTES ((size_t)64 * 1024 * 1024)

struct event_log;

/* Loads what the store holds. Both live longer than the queue. */
struct queue *queue_new(struct store *store, struct event_log *events);
void queue_free(struct queue *queue);
struct store *queue_store(struct queue *queue);
bool queue_is_degraded(const struct queue *queue); /* its changes are in memory only; NULL: no */
/* Bounds the bytes of all entries; what is over the bound now is forgotten. */
void queue_set_bytes(struct queue *queue, size_t max);
size_t queue_bytes(const struct queue *queue);

/*
 * A request id that nothing remembered bears, nor any of the last 50,000 while this daemon runs; held
 * until it is released.
 */
void queue_new_id(struct queue *queue, char ret_id[NOTIFICATION_ID_SIZE]);
void queue_hold_id(struct queue *queue, const char *id); /* after a restart */
void queue_release_id(struct queue *queue, const char *id);
/* Whether a request holds the id, in letters of any case: it may still post. */
bool queue_holds_id(const struct queue *queue, const char *id);

/*
 * Has all records of a kind taken. For each that cannot be read it posts a notification
 * instead, named by the same id if there is one, and takes the record out of the store.
 */
void queue_load(
    struct queue *queue, const struct record_kind *kind, record_take_fn *take, void *data);

/* The draft that a source posts. Everything is copied; text and data are cut to their maxima. */
struct notification_draft {
	enum notification_source source;
	const char *id; /* the request's; NULL: a new one */
	const struct pane_ref *pane; /* NULL: addressed to no pane */
	const char *text;
	const char *data; /* JSON object; NULL: {} */
	const char *key; /* equal keys coalesce until a reader has one; NULL: never */
	uint64_t owner; /* whose key it is: the hash of one of once; 0: that of all */
	bool is_urgent;
	unsigned count; /* how many things it tells of; 0: one */
};

/*
 * One transaction of the store and the queue: a request ends and its notification comes, or
 * neither. Nesting counts. Posts are published at the outermost commit, which returns the
 * store's ticket. Between them nothing else may be published.
 */
void queue_begin(struct queue *queue);
uint64_t queue_commit(struct queue *queue);

/*
 * Posts, in a transaction of its own outside of one. Returns its number: that of the older one if
 * it was coalesced.
 */
uint64_t queue_post(struct queue *queue, const struct notification_draft *draft);

/*
 * The one that this would be counted into: of the same source, key and owner, and of a post the same
 * pane; no reader has it yet. NULL: there is none.
 */
const struct notification *queue_unread(
    struct queue *queue, const struct notification_draft *draft);

const struct notification *queue_find(const struct queue *queue, uint64_t seq);
/* The newest that bears the id of a request; NULL: none. */
const struct notification *queue_find_id(const struct queue *queue, const char *id);
/* The next older one that bears the same id; NULL: none. */
const struct notification *queue_older(const struct queue *queue, const struct notification *note);
/* The undelivered ones of a pane, in order of seq: NULL starts, NULL ends. */
const struct notification *queue_next_for(
    const struct queue *queue, const struct pane_ref *pane, const struct notification *previous);
/* In order of seq: NULL starts, NULL ends. */
const struct notification *queue_next(
    const struct queue *queue, const struct notification *previous);
/* The first behind a number, or NULL. */
const struct notification *queue_after(const struct queue *queue, uint64_t seq);
uint64_t queue_last(const struct queue *queue); /* number of the last one, 0: none yet */
size_t queue_undelivered(const struct queue *queue);

/* Numbers up to this were forgotten, and why; 0: none. */
uint64_t queue_forgotten(const struct queue *queue, const char **ret_reason);
/* Says that some were lost before now, if the store has lost any. */
void queue_note_loss(struct queue *queue);

/* receipt is a JSON object; NULL leaves the one there is. False if it is forgotten. */
bool queue_set_state(
    struct queue *queue, uint64_t seq, enum notification_state state, const char *receipt);
/* A reader has it now: no later one is counted into it, since no reader would see that. */
void queue_note_told(struct queue *queue, uint64_t seq);
/* Counts hand-outs of an entry that had been handed out before; -1 takes one back. */
void queue_count_redelivery(struct queue *queue, uint64_t seq, int count);

/* Called after the journal has it. Must not post. */
struct queue_listener {
	struct list link;
	void (*posted)(struct queue_listener *listener, const struct notification *note);
	void (*changed)(
	    struct queue_listener *listener, const struct notification *note); /* or NULL */
};
void queue_listen(struct queue *queue, struct queue_listener *listener);
