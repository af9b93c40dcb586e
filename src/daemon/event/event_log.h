/* SPDX-License-Identifier: ISC */
/*
 * The kinds of events, and the one sequence of all events. An event gets a number and a time, and
 * is passed to the listeners. Most events are then remembered for subscribers that catch up.
 * Numbers are not reused: see struct sequence.
 */
#pragma once

#include "base/base.h"

/* Keep alphabetized, as in event_kind.c. */
enum event_kind {
	EVENT_ACTIVE_PANE_CHANGED,
	EVENT_AGENT_REPORTED,
	EVENT_AGENT_STATE,
	EVENT_BELL,
	EVENT_CLIENT_ATTACHED,
	EVENT_CLIENT_DETACHED,
	EVENT_COMMAND_CHANGED,
	EVENT_COMMAND_FINISHED,
	EVENT_COMMAND_STARTED,
	EVENT_DELIVERY,
	EVENT_GAP,
	EVENT_HOST_STATE,
	EVENT_LAYOUT_CHANGED,
	EVENT_LINE,
	EVENT_MODE_CHANGED,
	EVENT_NOTIFICATION,
	EVENT_PANE_CLOSED,
	EVENT_PANE_CREATED,
	EVENT_PANE_EXITED,
	EVENT_PANE_MOVED,
	EVENT_PANE_OUTPUT,
	EVENT_PANE_QUIET,
	EVENT_PATH_CHANGED,
	EVENT_PROGRAM_NOTIFIED,
	EVENT_PROGRESS_CHANGED,
	EVENT_SERVER_FOUND,
	EVENT_SERVER_LOST,
	EVENT_SESSION_CLOSED,
	EVENT_SESSION_CREATED,
	EVENT_SESSION_RENAMED,
	EVENT_TITLE_CHANGED,
	EVENT_WAY_CHANGED,
	EVENT_WINDOW_CLOSED,
	EVENT_WINDOW_CREATED,
	EVENT_WINDOW_RENAMED,
	EVENT_KIND_COUNT_,
};

/* Numbers from EVENT_KIND_COUNT_ on are kinds that providers publish (published.h). */
#define EVENT_PUBLISHED_MAX 24
#define EVENT_KINDS_MAX (EVENT_KIND_COUNT_ + EVENT_PUBLISHED_MAX)
#define EVENT_KINDS_PUBLISHED (~((UINT64_C(1) << EVENT_KIND_COUNT_) - 1))

struct event_kind_info {
	const char *name; /* "pane_created" */
	const char *help; /* cause and content of the event */
	const char *members; /* names of its own members, with blanks between */
	const char *lists; /* names of members that are arrays or objects; NULL: none */
};
/* Returns NULL for the number of a published kind that was never taken. */
const struct event_kind_info *event_kind_info(enum event_kind kind);
/* Returns the number of the kind with this name; -1: none. */
int event_kind_find(const char *name);
/* Returns the known name that is most similar; NULL: no name is similar. */
const char *event_kind_nearest(const char *name);
/*
 * Returns a bit for each kind that a name or pattern ("pane_*") matches. A pattern does not match
 * pane_output and line.
 */
uint64_t event_kinds_find(const char *pattern);
/*
 * Returns the names of the members of these kinds, without duplicates, with NULL at the end. lists:
 * returns the members that are arrays or objects, instead of the others. Valid until the next call.
 */
#define EVENT_MEMBERS_MAX 128
const char *const *event_kinds_members(uint64_t kinds, bool lists);

/* The objects of an event, for filters. MUXBUS_NO_ID: none. */
struct event_scope {
	uint32_t pane;
	uint32_t window;
	uint32_t sessions[8]; /* at most 8 of its sessions; MUXBUS_NO_ID ends a shorter list */
};

/* A shared event: event_entry_ref() and event_entry_unref() count its users. */
struct event_entry {
	uint64_t seq;
	int64_t time_ms; /* CLOCK_REALTIME */
	enum event_kind kind;
	struct event_scope scope;
	bool is_sent; /* a subscription of a peer took it; it may still wait to be written there */
	const char *json; /* members without braces: "\"seq\":12,\"time\":\"…\",\"kind\":\"…\",…" */
	size_t json_len;
};

struct event_log_listener {
	struct list link;
	/* Called for an event when it is published. Must not publish, or remove other listeners. */
	void (*event)(struct event_log_listener *listener, struct event_entry *event);
};

/*
 * Remembers at most keep_count events of keep_bytes together. state_dir NULL: numbers start at 1,
 * and nothing is stored. Returns NULL with a reason on failure.
 */
struct event_log *event_log_new(const char *state_dir, size_t keep_count, size_t keep_bytes,
    char *ret_reason, size_t reason_size);
void event_log_free(struct event_log *log);

/* Makes new numbers higher than seq, which an earlier daemon used. Call before the first event. */
void event_log_pass(struct event_log *log, uint64_t seq);

uint64_t event_log_last(const struct event_log *log);
/* Returns the number that the next event will have. */
uint64_t event_log_next(struct event_log *log);
/* Returns the lowest remembered number; last + 1 if there is none. */
uint64_t event_log_oldest(const struct event_log *log);

/*
 * Returns the highest number after seq of which an event was forgotten, or may have been published
 * by an earlier daemon, and sets *ret_reason to "forgotten" or "restart". 0: no such number.
 */
uint64_t event_log_missed(const struct event_log *log, uint64_t seq, const char **ret_reason);

/* Returns the highest number published with keep false; 0: none. */
uint64_t event_log_unkept(const struct event_log *log);

/* Publishes an event. scope may be NULL. members: JSON without braces. Returns its number. */
uint64_t event_log_publish(struct event_log *log, enum event_kind kind,
    const struct event_scope *scope, const char *members, size_t members_len, bool keep);

void event_log_listen(struct event_log *log, struct event_log_listener *listener);

/* Returns the first remembered event after seq; NULL: none. Valid until the next publish. */
struct event_entry *event_log_after(struct event_log *log, uint64_t seq);

/*
 * Appends the JSON members of the event gap, which reports that the events from..to were missed.
 * The caller adds the member subscription.
 */
void event_gap_format(struct buf *out, uint64_t from, uint64_t to, const char *reason);

struct event_entry *event_entry_ref(struct event_entry *event);
void event_entry_unref(struct event_entry *event);

/*
 * A sequence: numbers that are not reused, even after restarts, kill -9 and power cuts. A file
 * holds a ceiling, which is synced to the disk before numbers up to the ceiling are used. A new
 * start begins above the ceiling. A normal end of the daemon lowers the ceiling to the last used
 * number.
 *
 * A thread raises the ceiling ahead, so that the main loop rarely waits for the disk. If the file
 * is damaged, was removed or cannot be written, numbers continue from the microseconds since 1970.
 * Then numbers may be reused if the clock was set back.
 */

/* Numbers that one write of the file reserves. */
#define SEQUENCE_BLOCK 65536

/* Most JSON readers use doubles, which do not represent all larger numbers exactly. */
#define SEQUENCE_MAX ((UINT64_C(1) << 53) - 1)

/* state_dir NULL: begins at 1 and stores nothing. Returns NULL with a reason on failure. */
struct sequence *sequence_open(const char *state_dir, char *ret_reason, size_t reason_size);
/* Lowers the ceiling to the last used number, and frees the sequence. NULL is ignored. */
void sequence_close(struct sequence *sequence);

uint64_t sequence_next(struct sequence *sequence);
/* Returns the number that sequence_next() will return. */
uint64_t sequence_peek(struct sequence *sequence);
/*
 * If an earlier daemon used this number without reserving it, makes the next numbers higher. They
 * continue from the clock if that is higher, as the daemon may have used later numbers, too.
 */
void sequence_pass(struct sequence *sequence, uint64_t number);
/* Returns the last number that was used; before the first use, the number before the first. */
uint64_t sequence_last(const struct sequence *sequence);
