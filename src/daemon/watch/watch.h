/* SPDX-License-Identifier: ISC */
/*
 * Watches of files: a source of notifications. A watch sees content written after it was
 * accepted, and ends with exactly one terminal notification: at its first match, or when its
 * time is up, or it is cancelled, or its pattern cannot be evaluated. A watch that stays
 * notifies of matches until then. Its position is kept in the store, now and then, and
 * together with each notification: after a crash no match is notified twice.
 */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/file/tail_share.h"
#include "daemon/queue/record.h"
#include "daemon/server/method.h"

#define WATCH_LINE_MAX 4096 /* bytes of a line in a notification */

struct watch_text {
	char *bytes;
	size_t len;
	int64_t offset;
	int64_t line; /* 0: not known */
	unsigned flags; /* enum tail_flag */
};

struct watch {
	struct list link; /* oldest first */
	struct watch_set *set;
	char id[NOTIFICATION_ID_SIZE];
	char *file;
	char *regex; /* NULL: any change */
	struct pane_ref pane; /* the pane to notify; cleared: none */
	struct pattern *pattern; /* NULL without a regex */
	bool on_change;
	bool is_staying; /* it does not end with its first match */
	int64_t created_ms; /* CLOCK_REALTIME */
	int64_t boot_due_ms;
	int64_t real_due_ms;
	char boot_id[BOOT_ID_SIZE]; /* of the start that boot_due_ms counts from */
	int64_t timeout_ms;
	uint64_t count; /* matches and changes that were notified */
	uint64_t limit_hits; /* lines on which the pattern gave up */
	uint64_t cut_lines; /* of which only the beginning was looked at */
	struct tail_listener listener;
	/* Only watch.c uses the rest. */
	uint64_t stored; /* the version of the places that are in the store */
	unsigned limits_in_row;
	uint64_t limit_block; /* in which the pattern gave up last */
	bool is_limit_last; /* on the last line of it */
	bool is_over;
	int changed; /* enum tail_change since the last look; -1: nothing */
	uint64_t found; /* matches since the last look */
	char *found_data; /* the data for the first of them */
	struct watch_text last; /* the line that was read last, for changes */
	int64_t shown_offset; /* of a line that matched before it had an end; -1: none */
	uint64_t shown_block; /* the block before that line */
};

/* A watch as the store keeps it. */
struct watch_stored {
	struct watch watch;
	struct tail_place places[TAIL_PLACES_MAX];
	size_t place_count;
};

/* Watches in the store; the struct is watch_stored. */
extern const struct record_kind watch_kind;

/* Fills one whose members are zero; false if it cannot be read. */
bool watch_record_read(const struct json *value, struct watch_stored *stored);
/* Frees the members that were read. */
void watch_record_finish(struct watch *watch);

enum watch_reason {
	WATCH_MATCH,
	WATCH_CHANGE,
	WATCH_TIMEOUT,
	WATCH_CANCELLED,
	WATCH_ERROR, /* the pattern cannot be evaluated on these lines */
};

/* Details of a notification: the line and the match in it; NULL: none. */
struct watch_finding {
	const struct watch_text *line;
	const struct pattern_match *match; /* in it; NULL: none */
	const struct context_lines *context; /* NULL: none */
};

/* The "data" of a notification as mem_alloc() memory, without the count, and open at its end. */
char *watch_record_data(
    const struct watch *watch, enum watch_reason reason, const struct watch_finding *finding);
/* Closes it with what is known when it is posted. Frees data. */
char *watch_record_close(const struct watch *watch, char *data, uint64_t count);

/* The text for people: nothing of what the file says is in it. */
void watch_record_text(
    const struct watch *watch, enum watch_reason reason, uint64_t count, struct buf *out);

#define WATCHES_MAX 1000
#define WATCH_LIMITS_MAX 10 /* lines in a row on which the pattern may give up */

struct queue;
struct tmux;

struct watch_order {
	const char *file; /* absolute */
	const char *regex; /* NULL: any change */
	bool on_change;
	bool is_staying;
	int64_t timeout_ms;
	const struct pane_ref *pane;
	const struct once *once; /* of the request; NULL: it has no key */
};

/* Loads what the queue's store holds. The clock must outlive the set. */
struct watch_set *watch_set_new(struct event_base *base, struct queue *queue,
    const struct boot_clock *clock, const struct tail_loop_options *options);
void watch_set_free(struct watch_set *set);

/*
 * Whether a watch of the path can ever fire: it is absolute, and is no pattern, and leads to a file
 * or to nothing yet. Else fails the request, with the call that can.
 */
bool watch_check_path(struct request *request, const char *field, const char *path);

/* NULL with a reason: errno ENOSPC for too many, EINVAL for an invalid pattern. */
const struct watch *watch_add(
    struct watch_set *set, const struct watch_order *order, char *ret_reason, size_t size);

/* Ends one with a notification in state cancelled; false if there is none of that id. */
bool watch_cancel(struct watch_set *set, const char *id);

const struct watch *watch_next(const struct watch_set *set, const struct watch *previous);
size_t watch_count(const struct watch_set *set);

/* The alarm rang: ends those whose time is up. */
void watch_ring(struct watch_set *set);

struct tail_share *watch_tails(const struct watch_set *set);

/* The methods of watches, in watch_methods.c. */
extern const struct method methods_watch[];
/* Writes a watch as list_watches shows it. */
void watch_write(struct json_writer *writer, struct tmux *tmux, const struct watch *watch);
