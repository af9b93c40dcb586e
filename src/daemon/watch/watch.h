/* SPDX-License-Identifier: ISC */
/*
 * Watches of files. A watch sees what is written after it was accepted. It ends with one
 * notification: at its first match or change (unless it stays), at its timeout, when it is
 * cancelled, or if its pattern cannot be evaluated.
 *
 * The store has the place of a watch in its file. The place is stored at intervals, and together
 * with each notification: after a crash no match in a whole line is notified twice.
 */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/file/tail_share.h"
#include "daemon/queue/record.h"
#include "daemon/server/method.h"

#define WATCH_LINE_MAX 4096 /* maximum bytes of a line in a notification */

struct watch_text {
	char *bytes;
	size_t len;
	int64_t offset;
	int64_t line; /* 0: not known */
	unsigned flags; /* enum tail_flag */
};

struct watch {
	struct list link; /* the oldest first */
	struct watch_set *set;
	char id[NOTIFICATION_ID_SIZE];
	char *file;
	char *regex; /* NULL: any change */
	struct pane_ref pane; /* the pane or thread that is notified; cleared: none */
	struct pattern *pattern; /* NULL: regex is NULL */
	bool on_change;
	bool is_staying; /* not ended by its first match or change */
	int64_t created_ms; /* CLOCK_REALTIME */
	int64_t boot_due_ms;
	int64_t real_due_ms;
	char boot_id[BOOT_ID_SIZE]; /* the boot from which boot_due_ms counts */
	int64_t timeout_ms;
	uint64_t count; /* number of matches and changes that were notified */
	uint64_t limit_hits; /* number of lines on which the search was given up */
	uint64_t cut_lines; /* number of lines of which only the beginning was searched */
	struct tail_listener listener;
	/* The members below belong to watch.c and watch_record.c. */
	uint64_t stored; /* tail_listener_version() of the stored places */
	unsigned limits_in_row;
	uint64_t limit_block; /* number of the last block with a line of limit_hits */
	bool is_limit_last; /* the last line of that block is such a line */
	bool is_over;
	int changed; /* enum tail_change since the last look; -1: nothing */
	uint64_t found; /* number of matches since the last look */
	char *found_data; /* data of a notification for the first of these matches */
	struct watch_text last; /* the line that was read last, for notifications of changes */
	/* offset of a line that was notified before its end was written; -1: none */
	int64_t shown_offset;
	uint64_t shown_block; /* number of the block before that line */
};

struct watch_stored {
	struct watch watch;
	struct tail_place places[TAIL_PLACES_MAX];
	size_t place_count;
};

/* The kind of the records; their struct is watch_stored. */
extern const struct record_kind watch_kind;

/* Reads a record; the members of stored must be zero. Returns false if value is invalid. */
bool watch_record_read(const struct json *value, struct watch_stored *stored);
/* Frees the members that watch_record_read() has allocated. */
void watch_record_finish(struct watch *watch);

enum watch_reason {
	WATCH_MATCH,
	WATCH_CHANGE,
	WATCH_TIMEOUT,
	WATCH_CANCELLED,
	WATCH_ERROR, /* the pattern cannot be evaluated on these lines */
};

struct watch_finding {
	const struct watch_text *line;
	const struct pattern_match *match; /* match in the line; NULL: none */
	const struct context_lines *context; /* NULL: none */
};

/* Returns data of a notification: for watch_record_close(), or to be freed. finding may be NULL. */
char *watch_record_data(
    const struct watch *watch, enum watch_reason reason, const struct watch_finding *finding);
/* Adds the counts and the state to data, which is freed. Returns the new data, to be freed. */
char *watch_record_close(const struct watch *watch, char *data, uint64_t count);

/* Appends the text of a notification, for people. The text has no contents of the file. */
void watch_record_text(
    const struct watch *watch, enum watch_reason reason, uint64_t count, struct buf *out);

#define WATCHES_MAX 1000
/* number of lines in a row with a search that was given up, after which the watch ends */
#define WATCH_LIMITS_MAX 10

struct queue;
struct tmux;

struct watch_order {
	const char *file; /* absolute */
	const char *regex; /* NULL: any change */
	bool on_change;
	bool is_staying;
	int64_t timeout_ms;
	const struct pane_ref *pane;
	const struct once *once; /* key of the request; NULL: none */
};

/* Loads the watches from the store. The clock must outlive the set. */
struct watch_set *watch_set_new(struct event_base *base, struct queue *queue,
    const struct boot_clock *clock, const struct tail_loop_options *options);
void watch_set_free(struct watch_set *set);

/*
 * Checks that a path is absolute, and names a regular file or may name one later. Returns false
 * after failing the request.
 */
bool watch_check_path(struct request *request, const char *field, const char *path);

/* Adds a watch; NULL: failed, with errno ENOSPC (too many watches) or EINVAL (invalid pattern). */
const struct watch *watch_add(
    struct watch_set *set, const struct watch_order *order, char *ret_reason, size_t size);

/* Cancels a watch, and posts a cancelled notification. Returns false if there is no such watch. */
bool watch_cancel(struct watch_set *set, const char *id);

const struct watch *watch_next(const struct watch_set *set, const struct watch *previous);
size_t watch_count(const struct watch_set *set);

/* Ends the watches whose timeout is over. */
void watch_ring(struct watch_set *set);

struct tail_share *watch_tails(const struct watch_set *set);
extern const struct method methods_watch[];
/* Writes a watch as list_watches shows it. */
void watch_write(struct json_writer *writer, struct tmux *tmux, const struct watch *watch);
