/* SPDX-License-Identifier: ISC */
/*
 * The one sequence of all events. An event is numbered, stamped, encoded once, passed to
 * all listeners, and kept for a while so that a late subscriber can catch up. Entries never
 * change. Producers know no consumer.
 *
 * Numbers are never reused, even after restarts and power cuts: the state directory holds
 * a ceiling that is raised and synced before numbers up to it are used.
 */
#pragma once

#include "base/base.h"

/* Keep alphabetized; event_kind_name() is the table. */
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

/* Behind them: kinds that providers publish (published.h). */
#define EVENT_PUBLISHED_MAX 24
#define EVENT_KINDS_MAX (EVENT_KIND_COUNT_ + EVENT_PUBLISHED_MAX)
#define EVENT_KINDS_PUBLISHED (~((UINT64_C(1) << EVENT_KIND_COUNT_) - 1))

struct event_kind_info {
	const char *name; /* "pane_created" */
	const char *help; /* its cause and content; one sentence */
	const char *members; /* its own, by name, with blanks between; NULL: not listed */
	const char *lists; /* those that are lists or objects, and none of a filter; NULL: none */
};
/* NULL: a published kind that is not given. */
const struct event_kind_info *event_kind_info(enum event_kind kind);
/* The kind with this name, or -1. */
int event_kind_find(const char *name);
/* The kind's name that is nearest to an unknown name, or NULL. */
const char *event_kind_nearest(const char *name);
/*
 * The kinds that a name or a pattern ("pane_*") means, a bit for each; 0: none. Patterns leave out
 * pane_output and line, which must be named.
 */
uint64_t event_kinds_find(const char *pattern);
/* The names of the members of kinds, each once, NULL behind them. Lent until the next call. */
#define EVENT_MEMBERS_MAX 128
const char *const *event_kinds_members(uint64_t kinds, bool lists);

/* The objects of an event, for filters. MUXBUS_NO_ID: none. */
struct event_scope {
	uint32_t pane;
	uint32_t window;
	uint32_t sessions[8]; /* sessions with the window, ended by MUXBUS_NO_ID or the end */
};

/* An immutable entry, shared by reference. */
struct event_entry {
	uint64_t seq;
	int64_t time_ms; /* CLOCK_REALTIME */
	enum event_kind kind;
	struct event_scope scope;
	bool is_sent; /* to a peer, at least one */
	/* Members of params, encoded: "\"seq\":12,\"time\":\"…\",\"kind\":\"…\",…"; no braces. */
	const char *json;
	size_t json_len;
};

struct event_log_listener {
	struct list link;
	/* Called for each published event. Must not publish or remove other listeners. */
	void (*event)(struct event_log_listener *listener, struct event_entry *event);
};

/* state_dir NULL: numbers start at 1 and are not stored (for tests). NULL with a reason on failure. */
struct event_log *event_log_new(const char *state_dir, size_t keep_count, size_t keep_bytes,
    char *ret_reason, size_t reason_size);
void event_log_free(struct event_log *log);

/*
 * Before the first event: numbers continue behind this one. An earlier daemon used it while its
 * numbers could not be kept.
 */
void event_log_pass(struct event_log *log, uint64_t seq);

/* The number of the last event, and of the next one. */
uint64_t event_log_last(const struct event_log *log);
uint64_t event_log_next(struct event_log *log);
/* The oldest number that is still remembered; last + 1 if none is. */
uint64_t event_log_oldest(const struct event_log *log);

/*
 * For a reader that has seen all events up to seq: the last number that is lost for it, and
 * the reason in a word ("restart" or "forgotten"). 0 if no kept event is lost.
 */
uint64_t event_log_missed(const struct event_log *log, uint64_t seq, const char **ret_reason);

/* The last number published but not kept; 0: none. */
uint64_t event_log_unkept(const struct event_log *log);

/*
 * Publishes. members is JSON text of the members of this kind, without braces ("" for none). Events
 * with keep false are published but not remembered (output). Returns the number.
 */
uint64_t event_log_publish(struct event_log *log, enum event_kind kind,
    const struct event_scope *scope, const char *members, size_t members_len, bool keep);

void event_log_listen(struct event_log *log, struct event_log_listener *listener);

/* The first remembered event with a number above seq, or NULL. Lent until the next publish. */
struct event_entry *event_log_after(struct event_log *log, uint64_t seq);

/* Writes the params of a gap event, without the subscription. */
void event_gap_format(struct buf *out, uint64_t from, uint64_t to, const char *reason);

struct event_entry *event_entry_ref(struct event_entry *event);
void event_entry_unref(struct event_entry *event);

/*
 * Numbers that are never reused, even after restarts, kill -9 and power cuts. A file holds
 * a ceiling, which is raised and synced before any number up to it is used. A new start
 * begins above the ceiling; an orderly end lowers it to the last number used. A thread of its own
 * raises the ceiling ahead of time, at the start and when half of a block is used: the loop
 * waits for the disk only if it uses half a block meanwhile.
 *
 * If the file is damaged or cannot be written, numbers continue from the microseconds since
 * 1970, far above any number counted so far. This relies on the clock.
 */

/* The numbers reserved by one write of the file. */
#define SEQUENCE_BLOCK 65536

/* Larger numbers are not exact in a double, nor in most JSON readers. */
#define SEQUENCE_MAX ((UINT64_C(1) << 53) - 1)

/* state_dir NULL: begins at 1 and stores nothing. NULL with a reason on failure. */
struct sequence *sequence_open(const char *state_dir, char *ret_reason, size_t reason_size);
/* The orderly end. Accepts NULL. */
void sequence_close(struct sequence *sequence);

uint64_t sequence_next(struct sequence *sequence);
/* The number that sequence_next() will return. */
uint64_t sequence_peek(struct sequence *sequence);
/* Numbers continue behind this one, which an earlier life may have used without the file. */
void sequence_pass(struct sequence *sequence, uint64_t number);
/* The last number used; before the first, the number before it. */
uint64_t sequence_last(const struct sequence *sequence);
