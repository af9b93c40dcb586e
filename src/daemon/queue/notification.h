/* SPDX-License-Identifier: ISC */
/* A notification: the end or result of a request, or a message. Only its state changes. */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/queue/record_field.h"

#define NOTIFICATION_ID_SIZE 8 /* "A1B2" and its NUL */
#define NOTIFICATION_IDS (24 * 10 * 24 * 10) /* number of ids of 4 characters */
#define NOTIFICATION_TEXT_MAX 4096 /* bytes; a longer text is cut between two characters */
#define NOTIFICATION_DATA_MAX (64 * 1024) /* bytes of JSON */
#define NOTIFICATION_KEY_MAX 128

enum notification_source {
	SOURCE_COMMAND, /* by self_command */
	SOURCE_CONDITION, /* by wait_for_idle and background waits */
	SOURCE_JOB,
	SOURCE_POST,
	SOURCE_PROGRAM, /* by a program in a pane, with OSC */
	SOURCE_TIMER,
	SOURCE_TOOL, /* by a call of a declared tool */
	SOURCE_WATCH,
	SOURCE_COUNT_,
};

enum notification_state {
	NOTE_QUEUED,
	NOTE_DELIVERING, /* being typed */
	NOTE_DELIVERED, /* typed and submitted */
	NOTE_ACKNOWLEDGED,
	NOTE_CANCELLED,
	NOTE_FAILED, /* cannot be delivered */
	NOTE_STATE_COUNT_,
};

extern const char *const notification_source_names[];
extern const char *const notification_state_names[];
struct notification {
	struct list link; /* in the queue's list, in order of seq */
	struct list same_id; /* ring of the notifications of one request */
	struct list same_pane; /* in the list of its pane, while is_in_pane */
	struct notification *same_key; /* next newer one on offer whose key has the same hash */
	struct notification *next_recounted; /* in the list of notifications whose count rose */
	uint64_t seq;
	int64_t time_ms; /* CLOCK_REALTIME */
	enum notification_source source;
	char id[NOTIFICATION_ID_SIZE];
	struct pane_ref pane;
	char *text; /* one line, UTF-8, without control characters */
	char *data; /* JSON object */
	char *key; /* equal keys may be counted as one; or NULL */
	uint64_t owner; /* who may reuse the key: see struct notification_draft; not stored */
	unsigned count; /* number of things that it reports, with those counted into it */
	bool is_urgent, is_in_pane;
	bool is_offered; /* a later one with the same key may be counted into this; not stored */
	bool is_told; /* a reader has it and will not read it again */
	bool was_handed; /* a puller of an earlier daemon may have handed it over; not stored */
	bool is_recounted; /* the open transaction counted another one into it */
	bool is_durable; /* false: posted while the journal was degraded */
	enum notification_state state;
	char *delivery; /* the receipt, a JSON object; NULL: none */
	unsigned redelivered; /* times that it was handed out again */
};

/* Writes an id of 4 or 6 characters. Numbers below NOTIFICATION_IDS give distinct ids. */
void notification_write_id(uint32_t number, size_t len, char ret_id[NOTIFICATION_ID_SIZE]);

void notification_free(struct notification *note);
size_t notification_size(const struct notification *note);

/* Writes the members of section 10 of muxbus-protocol(7). is_event: without seq and time. */
void notification_write_members(
    struct json_writer *writer, const struct notification *note, bool is_event);

extern const struct record_rows notification_rows;

/* Returns text as one bounded line of UTF-8 without control characters. The caller frees it. */
char *notification_clean_text(const char *text, size_t len);

/*
 * Indexes of the notifications: by number, by the id of the request, by key, and the undelivered
 * ones by pane. A look-up takes constant time. Out of memory ends the process.
 */

struct note_index {
	struct map by_seq;
	struct map by_id; /* id to its newest notification */
	struct map by_key; /* hash of a key to the oldest notification on offer */
	struct map by_pane; /* pane_ref_key() to the list of undelivered notifications */
};

void note_index_init(struct note_index *index);
void note_index_finish(struct note_index *index); /* every notification must be removed before */

/* Packs an id of up to seven bytes into a number that is unique to it. */
uint64_t note_index_pack(const char *id);

/* Adds a notification, in order of seq. It is not found by key before note_index_offer(). */
void note_index_add(struct note_index *index, struct notification *note);
void note_index_remove(struct note_index *index, struct notification *note);
void note_index_update(struct note_index *index, struct notification *note);

struct notification *note_index_find(const struct note_index *index, uint64_t seq);
/* Return the newest notification of an id, and the next older one; NULL: none. */
struct notification *note_index_newest(const struct note_index *index, const char *id);
struct notification *note_index_older(
    const struct note_index *index, const struct notification *note);

/* In order of seq, also those for earlier programs of the pane. Begin with previous NULL. */
struct notification *note_index_undelivered(
    const struct note_index *index, uint64_t key, const struct notification *previous);

/* Begin and end the offer of a notification, into which later posts of its key may be counted. */
void note_index_offer(struct note_index *index, struct notification *note);
void note_index_withdraw(struct note_index *index, struct notification *note);
/* Iterates the offered notifications with a key, oldest first. Begin with previous NULL. */
struct notification *note_index_offered(
    const struct note_index *index, const char *key, const struct notification *previous);
