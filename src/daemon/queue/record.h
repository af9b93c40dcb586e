/* SPDX-License-Identifier: ISC */
/*
 * Records: structs in the store. A kind of record is a prefix of keys and a table of rows
 * (record_field.h); its values are JSON objects. Values of release 0.1, some of which were words,
 * are read too.
 */
#pragma once

#include "daemon/queue/notification.h"

#define RECORDS_LOST_MAX 64 /* records that a start reports per kind; the next start reports more */

struct store;

/* The part of a key behind the prefix. */
enum record_naming {
	RECORD_BY_NAME,
	RECORD_BY_ID, /* of a request */
	RECORD_BY_EITHER, /* an id if it is short enough for one, else a name */
};

struct record_kind {
	const char *prefix; /* the start of its keys: "timer/" */
	const char *noun; /* for people, with its article: "a timer" */
	const struct record_rows *rows;
	enum notification_source source; /* of the notification that reports a lost record */
	enum record_naming naming;
};

void record_put(
    struct store *store, const struct record_kind *kind, const char *name, const void *object);
void record_delete(struct store *store, const struct record_kind *kind, const char *name);

/* Loads a record of an earlier daemon. Returns false if it cannot be read. */
typedef bool record_take_fn(void *data, const char *name, const struct json *value);

/* Keys of unreadable records, for queue_load(). The caller frees each key. */
struct record_lost {
	char *keys[RECORDS_LOST_MAX];
	size_t count;
};

/* Calls take for all records of a kind, in order of their keys. take must not change the store. */
void record_load(struct store *store, const struct record_kind *kind, record_take_fn *take,
    void *data, struct record_lost *lost);
/* Returns false if there is no readable record of this name. */
bool record_get(
    struct store *store, const struct record_kind *kind, const char *name, void *object);
