/* SPDX-License-Identifier: ISC */
/*
 * The queue of notifications. After its commit, a notification is published as an event of kind
 * "notification" with the same number. The text and data of an entry do not change later; its
 * state, receipt and counts do. Sources post notifications. Sinks (for example peers that pull or
 * subscribe, and delivery into panes) take them.
 */
#pragma once

#include "daemon/queue/record.h"

/*
 * Beyond these limits, the oldest settled entries are forgotten first, then the oldest others. An
 * entry is settled when it is delivered, acknowledged, cancelled or failed.
 */
#define QUEUE_KEEP 10000 /* maximum number of entries */
#define QUEUE_BYTES ((size_t)64 * 1024 * 1024) /* bytes; default of queue_set_bytes() */

struct event_log;

/* store and events must outlive the queue. */
struct queue *queue_new(struct store *store, struct event_log *events);
void queue_free(struct queue *queue);
struct store *queue_store(struct queue *queue);
/* Returns store_is_degraded(): changes are only in memory. Returns false if queue is NULL. */
bool queue_is_degraded(const struct queue *queue);
/* Sets the limit of bytes, and forgets entries beyond it at once. */
void queue_set_bytes(struct queue *queue, size_t max);
size_t queue_bytes(const struct queue *queue);

/*
 * Makes an id for a request, and holds it (keeps it in use) until queue_release_id(). The id
 * differs from the ids of entries and from held ids, unless too many tries find no free id. Short
 * ids are used in turn, so that the id of a forgotten request does not come again soon.
 */
void queue_new_id(struct queue *queue, char ret_id[NOTIFICATION_ID_SIZE]);
/* Holds an id once more, for example that of a request of an earlier daemon. */
void queue_hold_id(struct queue *queue, const char *id);
void queue_release_id(struct queue *queue, const char *id);
/* Returns true if a request holds the id, and so may still post. Ignores the case of letters. */
bool queue_holds_id(const struct queue *queue, const char *id);

/*
 * Loads the records of a kind like record_load(). Up to RECORDS_LOST_MAX records that cannot be
 * read are deleted, and notifications report the loss.
 */
void queue_load(
    struct queue *queue, const struct record_kind *kind, record_take_fn *take, void *data);

/* A post of a source. The queue copies everything. It cuts long text, and replaces long data. */
struct notification_draft {
	enum notification_source source;
	const char *id; /* id of the request; NULL: a new one */
	const struct pane_ref *pane; /* NULL: for no pane */
	const char *text;
	const char *data; /* JSON object; NULL: {} */
	/* lets this post be counted into an earlier one: queue_unread(); NULL: never */
	const char *key;
	uint64_t owner; /* hash of the key's owner (struct once); 0: the key is shared by all */
	bool is_urgent;
	unsigned count; /* number of things that it reports; 0 means one */
};

/*
 * A transaction of store and queue, so that the end of a request and its notification are stored
 * together. Calls nest. The outermost commit publishes the posts, and returns what store_commit()
 * does; inner ones return 0. No other event may be published between begin and commit.
 */
void queue_begin(struct queue *queue);
uint64_t queue_commit(struct queue *queue);

/* Posts a notification. Returns its number, or the number of the one into which it was counted. */
uint64_t queue_post(struct queue *queue, const struct notification_draft *draft);

/*
 * Returns the notification that a draft would be counted into; NULL: none. That notification is
 * queued and not read yet, has the same source, key and owner, and is urgent if the draft is. If a
 * draft of SOURCE_POST has an address, that must be the same, too.
 */
const struct notification *queue_unread(
    struct queue *queue, const struct notification_draft *draft);

const struct notification *queue_find(const struct queue *queue, uint64_t seq);
/* Returns the newest notification of a request, or NULL. For earlier ones: note_index_older(). */
const struct notification *queue_find_id(const struct queue *queue, const char *id);
/*
 * Walks through the undelivered notifications of an address, in order of seq. Begin with previous
 * NULL.
 */
const struct notification *queue_next_for(
    const struct queue *queue, const struct pane_ref *pane, const struct notification *previous);
/* Walks through all notifications, in order of seq. Begin with previous NULL. */
const struct notification *queue_next(
    const struct queue *queue, const struct notification *previous);
/* Returns the first notification with a number above seq, or NULL. */
const struct notification *queue_after(const struct queue *queue, uint64_t seq);
uint64_t queue_last(const struct queue *queue); /* the highest number so far; 0: none yet */
size_t queue_undelivered(const struct queue *queue);

/* Returns a number up to which entries were forgotten or lost, with the reason; 0: none. */
uint64_t queue_forgotten(const struct queue *queue, const char **ret_reason);
/* If the store has lost records, makes all numbers so far count as forgotten. */
void queue_note_loss(struct queue *queue);

/* Sets the state and the receipt (JSON; NULL: as before). Returns false for a forgotten entry. */
bool queue_set_state(
    struct queue *queue, uint64_t seq, enum notification_state state, const char *receipt);
/* Call this when a reader has got the entry: later posts are not counted into it any more. */
void queue_note_told(struct queue *queue, uint64_t seq);
/* Counts that an entry was handed out or typed again (count 1); -1 takes this back. */
void queue_count_redelivery(struct queue *queue, uint64_t seq, int count);

/*
 * posted() is called after the commit of a notification, or of a post that was counted into it.
 * changed() is called when a state, receipt or count changes, which may be before the commit. The
 * functions must not post. They may be NULL.
 */
struct queue_listener {
	struct list link;
	void (*posted)(struct queue_listener *listener, const struct notification *note);
	void (*changed)(struct queue_listener *listener, const struct notification *note);
};
void queue_listen(struct queue *queue, struct queue_listener *listener);
