/* SPDX-License-Identifier: ISC */
/*
 * The one sequence of all events. An event gets a number and a time, is passed to all listeners,
 * and kept for a while for subscribers that catch up. Numbers are never reused: see struct
 * sequence.
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

/* Higher numbers are of kinds that providers publish (published.h). */
#define EVENT_PUBLISHED_MAX 24
#define EVENT_KINDS_MAX (EVENT_KIND_COUNT_ + EVENT_PUBLISHED_MAX)
#define EVENT_KINDS_PUBLISHED (~((UINT64_C(1) << EVENT_KIND_COUNT_) - 1))

struct event_kind_info {
	const char *name; /* "pane_created" */
	const char *help; /* cause and content of the event, in one sentence */
	const char *members; /* own members, with blanks between; NULL: not listed */
	const char *lists; /* lists and objects, unusable in filters; NULL: none */
};
/* Returns NULL for the number of a published kind that is not in use. */
const struct event_kind_info *event_kind_info(enum event_kind kind);
/* Returns -1 if there is none. */
int event_kind_find(const char *name);
/* Returns NULL if no known name is near. */
const char *event_kind_nearest(const char *name);
/* Returns a bit for each kind. Patterns ("pane_*") never match pane_output and line. */
uint64_t event_kinds_find(const char *pattern);
/* Without duplicates, NULL at the end. Valid until the next call. */
#define EVENT_MEMBERS_MAX 128
const char *const *event_kinds_members(uint64_t kinds, bool lists);

/* For filters. MUXBUS_NO_ID: none. */
struct event_scope {
	uint32_t pane;
	uint32_t window;
	uint32_t sessions[8]; /* with the window; MUXBUS_NO_ID ends a shorter list */
};

/* Immutable, shared by reference. */
struct event_entry {
	uint64_t seq;
	int64_t time_ms; /* CLOCK_REALTIME */
	enum event_kind kind;
	struct event_scope scope;
	bool is_sent; /* to at least one peer */
	/* Encoded members of params: "\"seq\":12,\"time\":\"…\",\"kind\":\"…\",…"; no braces. */
	const char *json;
	size_t json_len;
};

struct event_log_listener {
	struct list link;
	/* Must not publish or remove other listeners. */
	void (*event)(struct event_log_listener *listener, struct event_entry *event);
};

/* state_dir NULL: starts at 1, stores nothing. Returns NULL with a reason on failure. */
struct event_log *event_log_new(const char *state_dir, size_t keep_count, size_t keep_bytes,
    char *ret_reason, size_t reason_size);
void event_log_free(struct event_log *log);

/* An earlier daemon used seq without storing it. Call this before the first event. */
void event_log_pass(struct event_log *log, uint64_t seq);

uint64_t event_log_last(const struct event_log *log);
uint64_t event_log_next(struct event_log *log);
/* Returns last + 1 if no number is remembered. */
uint64_t event_log_oldest(const struct event_log *log);

/* Returns the last event after seq that is lost, and why: "restart" or "forgotten"; 0: none. */
uint64_t event_log_missed(const struct event_log *log, uint64_t seq, const char **ret_reason);

/* Returns the highest number published with keep false; 0: none. */
uint64_t event_log_unkept(const struct event_log *log);

/* Returns the event's number. members: JSON without braces. keep false: not remembered. */
uint64_t event_log_publish(struct event_log *log, enum event_kind kind,
    const struct event_scope *scope, const char *members, size_t members_len, bool keep);

void event_log_listen(struct event_log *log, struct event_log_listener *listener);

/* Returns NULL if there is none. Valid until the next publish. */
struct event_entry *event_log_after(struct event_log *log, uint64_t seq);

/* The member subscription is left out. */
void event_gap_format(struct buf *out, uint64_t from, uint64_t to, const char *reason);

struct event_entry *event_entry_ref(struct event_entry *event);
void event_entry_unref(struct event_entry *event);

/*
 * Numbers that are never reused, even after restarts, kill -9 and power cuts. A file holds a
 * ceiling, which is synced before any number up to it is used. A new start begins above the
 * ceiling; an orderly end lowers it to the last number used.
 *
 * A thread raises the ceiling ahead, so that the main loop rarely waits for the disk. If the file
 * is damaged, was removed or cannot be written, numbers continue from the microseconds since 1970;
 * this relies on the clock.
 */

/* Numbers that one write of the file reserves. */
#define SEQUENCE_BLOCK 65536

/* Most JSON readers use doubles, which cannot represent larger numbers exactly. */
#define SEQUENCE_MAX ((UINT64_C(1) << 53) - 1)

/* state_dir NULL: begins at 1 and stores nothing. Returns NULL with a reason on failure. */
struct sequence *sequence_open(const char *state_dir, char *ret_reason, size_t reason_size);
/* For an orderly end: lowers the ceiling. Ignores NULL. */
void sequence_close(struct sequence *sequence);

uint64_t sequence_next(struct sequence *sequence);
/* The number that sequence_next() will return. */
uint64_t sequence_peek(struct sequence *sequence);
/* An earlier daemon used the number, and perhaps later ones, so the clock gives the next one. */
void sequence_pass(struct sequence *sequence, uint64_t number);
/* Before the first use, the number before the first. */
uint64_t sequence_last(const struct sequence *sequence);
