/* SPDX-License-Identifier: ISC */
/*
 * The queue of notifications. A notification is published, once the journal has it, as an event of
 * kind "notification" with the same number. Content never changes; only the state of an entry and
 * the position of each named consumer do. Sources post; sinks (peers that pull or subscribe,
 * delivery into panes) take. No source knows a sink.
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
/* Returns true if changes are in memory only, as in store_is_degraded(). queue may be NULL. */
bool queue_is_degraded(const struct queue *queue);
/* Forgets entries beyond the limit at once. */
void queue_set_bytes(struct queue *queue, size_t max);
size_t queue_bytes(const struct queue *queue);

/*
 * Makes an id for a request, and holds it until queue_release_id(). It differs from the ids of all
 * entries, from all held ids, and from the last 50,000 ids of this daemon.
 */
void queue_new_id(struct queue *queue, char ret_id[NOTIFICATION_ID_SIZE]);
void queue_hold_id(struct queue *queue, const char *id); /* for requests of an earlier daemon */
void queue_release_id(struct queue *queue, const char *id);
/* Returns true if a request holds the id, and so may still post. Case is ignored. */
bool queue_holds_id(const struct queue *queue, const char *id);

/* A record that cannot be read is deleted, and its loss is notified. */
void queue_load(
    struct queue *queue, const struct record_kind *kind, record_take_fn *take, void *data);

/* A post of a source. The queue copies everything, and cuts text and data to their maxima. */
struct notification_draft {
	enum notification_source source;
	const char *id; /* of the request; NULL: a new one */
	const struct pane_ref *pane; /* NULL: for no pane */
	const char *text;
	const char *data; /* JSON object; NULL: {} */
	const char *key; /* posts with equal keys coalesce until one is read; NULL: never */
	uint64_t owner; /* hash of the owner of the key (struct once); 0: shared by all */
	bool is_urgent;
	unsigned count; /* number of things that it reports; 0: one */
};

/*
 * One transaction of the store and the queue: the end of a request and its notification are stored
 * together. Calls nest. The outermost commit publishes the posts and returns the store's ticket. No
 * event may be published between begin and commit.
 */
void queue_begin(struct queue *queue);
uint64_t queue_commit(struct queue *queue);

/* Returns the number of the notification that has the draft, new or counted up. */
uint64_t queue_post(struct queue *queue, const struct notification_draft *draft);

/*
 * Returns the notification that the draft would be counted into, or NULL: not yet read, of the same
 * source, key and owner, for SOURCE_POST of the same pane, and urgent if the draft is.
 */
const struct notification *queue_unread(
    struct queue *queue, const struct notification_draft *draft);

const struct notification *queue_find(const struct queue *queue, uint64_t seq);
/* Returns the newest notification with the id of a request, or NULL. */
const struct notification *queue_find_id(const struct queue *queue, const char *id);
/* Returns the next older notification with the same id, or NULL. */
const struct notification *queue_older(const struct queue *queue, const struct notification *note);
/* Iterates the undelivered notifications of a pane, in order of seq. Begin with previous NULL. */
const struct notification *queue_next_for(
    const struct queue *queue, const struct pane_ref *pane, const struct notification *previous);
/* Iterates all notifications, in order of seq. Begin with previous NULL. */
const struct notification *queue_next(
    const struct queue *queue, const struct notification *previous);
/* Returns the first notification with a number above seq, or NULL. */
const struct notification *queue_after(const struct queue *queue, uint64_t seq);
uint64_t queue_last(const struct queue *queue); /* highest number; 0: none yet */
size_t queue_undelivered(const struct queue *queue);

/* Returns the number up to which entries were forgotten, or 0, and the reason. */
uint64_t queue_forgotten(const struct queue *queue, const char **ret_reason);
/* The store has lost records, so all numbers so far count as forgotten. */
void queue_note_loss(struct queue *queue);

/* receipt is JSON; NULL: as before. Returns false if the entry is forgotten. */
bool queue_set_state(
    struct queue *queue, uint64_t seq, enum notification_state state, const char *receipt);
/* A reader has got the entry, so later posts are not counted into it. */
void queue_note_told(struct queue *queue, uint64_t seq);
/* A count of -1 takes a redelivery back. */
void queue_count_redelivery(struct queue *queue, uint64_t seq, int count);

/* Called after the journal has the change. They must not post. Each may be NULL. */
struct queue_listener {
	struct list link;
	void (*posted)(struct queue_listener *listener, const struct notification *note);
	void (*changed)(struct queue_listener *listener, const struct notification *note);
};
void queue_listen(struct queue *queue, struct queue_listener *listener);
