/* SPDX-License-Identifier: ISC */
/* How a watch is kept in the store, and what its notifications say. */
#ifndef DAEMON_SOURCE_WATCH_RECORD_H
#define DAEMON_SOURCE_WATCH_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "daemon/source/watch.h"

/* Appends a watch as JSON, with its places. */
void watch_record_write(const struct watch *watch, const char *boot_id, struct buf *out);

/* What is read back of one; strings are lent until the reader reads again. */
struct watch_record {
	struct watch_order order;
	struct pane_ref pane;
	int64_t created_ms;
	int64_t boot_due_ms;
	int64_t real_due_ms;
	int64_t count;
	const char *boot_id;
	struct tail_place places[TAIL_PLACES_MAX];
	size_t place_count;
};
bool watch_record_read(
    struct json_reader *reader, const char *value, size_t len, struct watch_record *ret_record);

enum watch_reason {
	WATCH_MATCH,
	WATCH_CHANGE,
	WATCH_TIMEOUT,
	WATCH_CANCELLED,
	WATCH_ERROR, /* the pattern cannot be evaluated on these lines */
};

/* What is told besides: the line and what was found in it; NULL: nothing. */
struct watch_finding {
	const struct watch_text *line;
	const struct pattern_match *match; /* in it; NULL: none */
	const struct watch_text *context; /* of WATCH_CONTEXT; without bytes: none */
};

/* The "data" of a notification as mem_alloc() memory, without the count, and open at its end. */
char *watch_record_data(
    const struct watch *watch, enum watch_reason reason, const struct watch_finding *finding);
/* Closes it with what is known when it is posted. Frees data. */
char *watch_record_close(const struct watch *watch, char *data, uint64_t count);

/* The text for people: nothing of what the file says is in it. */
void watch_record_text(
    const struct watch *watch, enum watch_reason reason, uint64_t count, struct buf *out);

#endif
