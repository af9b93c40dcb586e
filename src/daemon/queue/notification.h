/* SPDX-License-Identifier: ISC */
/*
 * A notification: the end or a result of something that was asked for. Its content never
 * changes; its state does.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/queue/record_field.h"

#define NOTIFICATION_ID_SIZE 8 /* "A1B2" and its NUL */
#define NOTIFICATION_IDS (24 * 10 * 24 * 10) /* of 4 characters */
#define NOTIFICATION_TEXT_MAX 4096 /* bytes; a longer text is cut at a character */
#define NOTIFICATION_DATA_MAX (64 * 1024) /* bytes of JSON */
#define NOTIFICATION_KEY_MAX 128

enum notification_source {
	SOURCE_COMMAND, /* self_command */
	SOURCE_CONDITION, /* wait_for_idle and named waits */
	SOURCE_JOB,
	SOURCE_POST,
	SOURCE_PROGRAM, /* a program in a pane, by OSC */
	SOURCE_TIMER,
	SOURCE_TOOL, /* a call of a declared tool */
	SOURCE_WATCH,
	SOURCE_COUNT_,
};

enum notification_state {
	NOTE_QUEUED,
	NOTE_DELIVERING, /* being typed */
	NOTE_DELIVERED, /* typed and submitted */
	NOTE_ACKNOWLEDGED,
	NOTE_CANCELLED,
	NOTE_FAILED, /* it cannot be delivered any more */
	NOTE_STATE_COUNT_,
};

const char *notification_source_name(enum notification_source source);
const char *notification_state_name(enum notification_state state);
struct notification {
	struct list link; /* in the queue, in order of seq */
	struct list same_id; /* with those of the same request; see below */
	struct list same_pane; /* with those that wait for the same pane, while is_in_pane */
	struct notification *same_key; /* the next newer one on offer */
	struct notification *next_recounted; /* in the open transaction */
	uint64_t seq;
	int64_t time_ms; /* CLOCK_REALTIME */
	enum notification_source source;
	char id[NOTIFICATION_ID_SIZE];
	struct pane_ref pane;
	char *text; /* one line, UTF-8, without control characters */
	char *data; /* JSON object */
	char *key; /* NULL: none */
	uint64_t owner; /* of the key, as in a draft; not kept, as is_offered */
	unsigned count; /* how many things it tells of, with those that were counted into it */
	bool is_urgent;
	bool is_in_pane;
	bool is_offered; /* later ones with its key may be counted into it */
	bool is_told; /* a reader has it and will not look again */
	bool is_recounted; /* in the open transaction: one more was counted into it */
	bool is_durable; /* false: it came while the journal was degraded */
	enum notification_state state;
	char *delivery; /* receipt as JSON object; NULL: none */
	unsigned redelivered; /* times it was handed out again */
};

/* An id of 4 or 6 characters; each of the first NOTIFICATION_IDS numbers has another of 4. */
void notification_write_id(uint32_t number, size_t len, char ret_id[NOTIFICATION_ID_SIZE]);

void notification_free(struct notification *note);
/* The memory that it takes. */
size_t notification_size(const struct notification *note);

/*
 * The members that protocol section 10 names, without seq and time if is_event: an event
 * has those already.
 */
void notification_write_members(
    struct json_writer *writer, const struct notification *note, bool is_event);

/* How it is kept in the store. */
extern const struct record_rows notification_rows;

/* Makes a text fit to be one: UTF-8, one line, no control characters, bounded. xalloc()ed. */
char *notification_clean_text(const char *text, size_t len);

/*
 * Indexes of the notifications in the queue: by number, by the id of their request, by key, and the
 * undelivered ones by pane. Each look-up takes the same time however many there are. An entry costs
 * its links in struct notification and three slots of maps. Out of memory ends the process.
 */

struct note_index {
	struct map by_seq;
	struct map by_id; /* the newest one of each id */
	struct map by_key; /* the hash of a key to the oldest one that may be counted up */
	struct map by_pane; /* pane_ref_key() to a list of the undelivered */
};

void note_index_init(struct note_index *index);
void note_index_finish(struct note_index *index); /* its notifications were removed */

/* Ids are up to seven bytes: a number stands for each. */
uint64_t note_index_pack(const char *id);

/* Newer ones are added behind older ones. Not by key: see note_index_offer(). */
void note_index_add(struct note_index *index, struct notification *note);
void note_index_remove(struct note_index *index, struct notification *note);
/* The state of one has changed. */
void note_index_update(struct note_index *index, struct notification *note);

struct notification *note_index_find(const struct note_index *index, uint64_t seq);
/* The newest one of an id, and the one before another of the same id; NULL: none. */
struct notification *note_index_newest(const struct note_index *index, const char *id);
struct notification *note_index_older(
    const struct note_index *index, const struct notification *note);

/*
 * The undelivered ones of a pane or thread in order of seq, by pane_ref_key(): of all programs
 * that this pane had. NULL starts, NULL ends.
 */
struct notification *note_index_undelivered(
    const struct note_index *index, uint64_t key, const struct notification *previous);

/* Later posts with its key may be counted into this one, until it is withdrawn. */
void note_index_offer(struct note_index *index, struct notification *note);
void note_index_withdraw(struct note_index *index, struct notification *note);
/* The offered notifications with a key, oldest first: NULL starts, NULL ends. */
struct notification *note_index_offered(
    const struct note_index *index, const char *key, const struct notification *previous);
