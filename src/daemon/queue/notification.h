/* SPDX-License-Identifier: ISC */
/*
 * A notification: the end or a result of something that was asked for. Its content never
 * changes; its state does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/list.h"
#include "daemon/core/pane_ref.h"
#include "daemon/queue/record_field.h"
#include "wire/json.h"

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
	struct list same_id; /* with those of the same request; see note_index.h */
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
