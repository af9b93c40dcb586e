/* SPDX-License-Identifier: ISC */
/* A notification, as of a message or the end of a request, and the indexes of notifications. */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/queue/record_field.h"

#define NOTIFICATION_ID_SIZE 8 /* up to 7 characters, as "A1B2", and a NUL */
#define NOTIFICATION_IDS (24 * 10 * 24 * 10) /* number of ids of 4 characters */
#define NOTIFICATION_TEXT_MAX 4096 /* maximum bytes; a longer text is cut between two characters */
#define NOTIFICATION_DATA_MAX (64 * 1024) /* bytes of JSON */
#define NOTIFICATION_KEY_MAX 128

enum notification_source {
	SOURCE_COMMAND, /* mostly from self_command and from tasks of agents */
	SOURCE_CONDITION, /* mostly from wait_for_idle and other background waits */
	SOURCE_JOB,
	SOURCE_POST,
	SOURCE_PROGRAM, /* from a program in a pane that reports in its output */
	SOURCE_TIMER,
	SOURCE_TOOL, /* from a call of a declared tool or a provided method */
	SOURCE_WATCH, /* from watch_log and watch_pane */
	SOURCE_COUNT_,
};

enum notification_state {
	NOTE_QUEUED,
	NOTE_DELIVERING, /* being typed or handed over, or on the lease of a puller */
	NOTE_DELIVERED, /* given to the agent or the person, but not acknowledged */
	NOTE_ACKNOWLEDGED,
	NOTE_CANCELLED,
	NOTE_FAILED, /* refused, or typed but perhaps not submitted */
	NOTE_STATE_COUNT_,
};

extern const char *const notification_source_names[]; /* NULL at the end */
extern const char *const notification_state_names[];
struct notification {
	struct list link; /* in the queue's list, in order of seq */
	struct list same_id; /* in the ring of the notifications of one request */
	struct list same_pane; /* in the list of its pane, while is_in_pane */
	/* the next newer one on offer (note_index_offer()) with the same hash of the key */
	struct notification *same_key;
	struct notification *next_recounted; /* in the queue's list `recounted` */
	uint64_t seq;
	int64_t time_ms; /* CLOCK_REALTIME */
	enum notification_source source;
	char id[NOTIFICATION_ID_SIZE];
	struct pane_ref pane;
	char *text; /* one line, UTF-8, without control characters */
	char *data; /* JSON object */
	char *key; /* posts with equal keys may be counted as one; or NULL */
	uint64_t owner; /* owner of the key, see struct notification_draft; not stored */
	unsigned count; /* number of things that it reports, with later posts counted into it */
	bool is_urgent, is_in_pane;
	bool is_offered; /* later posts with the same key may be counted into it; not stored */
	bool is_told; /* a reader may have got it, so no later post is counted into it */
	bool was_handed; /* a puller of an earlier daemon may have handed it over; not stored */
	bool is_recounted; /* it is in the list `recounted` */
	bool is_durable; /* false: not committed yet, or its commit was only in memory */
	enum notification_state state;
	char *delivery; /* the receipt, a JSON object; NULL: none */
	unsigned redelivered; /* how often it was handed out or typed again */
};

/* Writes an id of len (4 or 6) characters. Numbers below NOTIFICATION_IDS give different ids. */
void notification_write_id(uint32_t number, size_t len, char ret_id[NOTIFICATION_ID_SIZE]);

void notification_free(struct notification *note);
/* Returns the size of a notification for the limit of the queue, in bytes. */
size_t notification_size(const struct notification *note);

/*
 * Writes the members of a notification, as in muxbus-protocol(7). is_event: without seq and time.
 */
void notification_write_members(
    struct json_writer *writer, const struct notification *note, bool is_event);

extern const struct record_rows notification_rows;

/*
 * Returns text as one line of UTF-8 without control characters, of at most NOTIFICATION_TEXT_MAX
 * bytes. The caller frees it.
 */
char *notification_clean_text(const char *text, size_t len);

/*
 * Indexes of the notifications: by number, by the id of the request, those on offer by key, and the
 * undelivered ones by address. If memory runs out, the process ends.
 */

struct note_index {
	struct map by_seq;
	struct map by_id; /* from an id to its newest notification */
	struct map by_key; /* from the hash of a key to the oldest notification on offer */
	struct map by_pane; /* from pane_ref_key() to the list of undelivered notifications */
};

void note_index_init(struct note_index *index);
void note_index_finish(struct note_index *index); /* all notifications must be removed before */

/* Packs an id of up to seven bytes into a number. Different ids give different numbers. */
uint64_t note_index_pack(const char *id);

/* Adds a notification. Call this in order of seq. note_index_offer() adds the key. */
void note_index_add(struct note_index *index, struct notification *note);
void note_index_remove(struct note_index *index, struct notification *note);
/* Call this when the state of a notification has changed. */
void note_index_update(struct note_index *index, struct notification *note);

struct notification *note_index_find(const struct note_index *index, uint64_t seq);
/* These return the newest notification with an id, and the one before it; NULL: none. */
struct notification *note_index_newest(const struct note_index *index, const char *id);
struct notification *note_index_older(const struct notification *note);

/*
 * Walks through the undelivered notifications with a pane_ref_key(), in order of seq. They may be
 * for different addresses with the same key. Begin with previous NULL.
 */
struct notification *note_index_undelivered(
    const struct note_index *index, uint64_t key, const struct notification *previous);

/* These begin and end an offer: meanwhile, posts with the same key may be counted into note. */
void note_index_offer(struct note_index *index, struct notification *note);
void note_index_withdraw(struct note_index *index, struct notification *note);
/* Walks through the notifications on offer with a key, oldest first. Begin with previous NULL. */
struct notification *note_index_offered(
    const struct note_index *index, const char *key, const struct notification *previous);
