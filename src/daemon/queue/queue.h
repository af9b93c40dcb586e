/* SPDX-License-Identifier: ISC */
/*
 * The queue of notifications. When the journal has a notification, it is published as an event of
 * kind "notification" with the same number. Its text and data never change; only the state, receipt
 * and counts of an entry, and the position of each named consumer do. Sources post; sinks (peers
 * that pull or subscribe, delivery into panes) take. No source knows a sink.
 */
#pragma once

#include "daemon/queue/record.h"

/* Default limits: entries, and their bytes. Beyond these, settled entries are forgotten first. */
#define QUEUE_KEEP 10000
#define QUEUE_BYTES ((size_t)64 * 1024 * 1024)

struct event_log;

/* store and events must outlive the queue. */
struct queue *queue_new(struct store *store, struct event_log *events);
void queue_free(struct queue *queue);
struct store *queue_store(struct queue *queue);
/* Returns true if changes are only in memory: see store_is_degraded(). queue may be NULL. */
bool queue_is_degraded(const struct queue *queue);
/* Sets the limit of bytes, and forgets entries beyond it at once. */
void queue_set_bytes(struct queue *queue, size_t max);
size_t queue_bytes(const struct queue *queue);

/*
 * Makes an id for a request, and holds it (keeps it in use) until queue_release_id(). It differs
 * from the ids of all entries and from all held ids. The short ids come in turn, so that the id of
 * a forgotten request does not come again soon.
 */
void queue_new_id(struct queue *queue, char ret_id[NOTIFICATION_ID_SIZE]);
void queue_hold_id(struct queue *queue, const char *id); /* for a request of an earlier daemon */
void queue_release_id(struct queue *queue, const char *id);
/* Returns true if a request holds the id, and so may still post. The case of letters is ignored. */
bool queue_holds_id(const struct queue *queue, const char *id);

/*
 * Loads all records of a kind, as record_load(). A record that cannot be read is deleted, and a
 * notification reports its loss.
 */
void queue_load(
    struct queue *queue, const struct record_kind *kind, record_take_fn *take, void *data);

/* A post of a source. The queue copies everything, and cuts text and data to their maximum. */
struct notification_draft {
	enum notification_source source;
	const char *id; /* id of the request; NULL: a new one */
	const struct pane_ref *pane; /* NULL: for no pane */
	const char *text;
	const char *data; /* JSON object; NULL: {} */
	/* posts with equal keys become one until a reader has got it; NULL: never */
	const char *key;
	uint64_t owner; /* hash of the key's owner (struct once); 0: it is shared by all */
	bool is_urgent;
	unsigned count; /* number of things that it reports; 0 means one */
};

/*
 * A transaction of store and queue: the end of a request and its notification are stored together.
 * Calls nest. The outermost commit publishes the posts, and returns the store's ticket. No other
 * event may be published between begin and commit.
 */
void queue_begin(struct queue *queue);
uint64_t queue_commit(struct queue *queue);

/* Posts a notification. Returns its number, or that of an earlier one into which it was counted. */
uint64_t queue_post(struct queue *queue, const struct notification_draft *draft);

/*
 * Returns the notification that a draft would be counted into; NULL: none. It must not be read yet
 * and have the same source, key and owner; for SOURCE_POST also the same pane; and must be urgent
 * if the draft is.
 */
const struct notification *queue_unread(
    struct queue *queue, const struct notification_draft *draft);

const struct notification *queue_find(const struct queue *queue, uint64_t seq);
/* Returns the newest notification with the id of a request, or NULL; note_index_older() goes on. */
const struct notification *queue_find_id(const struct queue *queue, const char *id);
/*
 * Walks through the undelivered notifications of a pane, in order of seq. Begin with previous NULL.
 */
const struct notification *queue_next_for(
    const struct queue *queue, const struct pane_ref *pane, const struct notification *previous);
/* Walks through all notifications, in order of seq. Begin with previous NULL. */
const struct notification *queue_next(
    const struct queue *queue, const struct notification *previous);
/* Returns the first notification with a number above seq, or NULL. */
const struct notification *queue_after(const struct queue *queue, uint64_t seq);
uint64_t queue_last(const struct queue *queue); /* the highest number; 0: none yet */
size_t queue_undelivered(const struct queue *queue);

/* Returns the number up to which entries were forgotten, and the reason; 0: none. */
uint64_t queue_forgotten(const struct queue *queue, const char **ret_reason);
/* Call this if the store has lost records: all numbers so far count as forgotten. */
void queue_note_loss(struct queue *queue);

/* Sets the state and the receipt (JSON; NULL: as before); false if the entry was forgotten. */
bool queue_set_state(
    struct queue *queue, uint64_t seq, enum notification_state state, const char *receipt);
/* Call this when a reader has got the entry: later posts are not counted into it any more. */
void queue_note_told(struct queue *queue, uint64_t seq);
/* Counts that an entry was handed out or typed again (count 1); -1 takes this back. */
void queue_count_redelivery(struct queue *queue, uint64_t seq, int count);

/*
 * posted() is called when the journal has the notification, or has another one that was counted
 * into it; changed() at once, which may be before the journal has the change. The functions must
 * not post. Each may be NULL.
 */
struct queue_listener {
	struct list link;
	void (*posted)(struct queue_listener *listener, const struct notification *note);
	void (*changed)(struct queue_listener *listener, const struct notification *note);
};
void queue_listen(struct queue *queue, struct queue_listener *listener);
