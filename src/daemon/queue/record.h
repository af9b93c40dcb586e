/* SPDX-License-Identifier: ISC */
/*
 * Records: structs in the store. A kind of record has a prefix for its keys and a table of rows
 * (record_field.h). The values are JSON objects. Values of release 0.1, some of which are words
 * instead, can be read too.
 */
#pragma once

#include "daemon/queue/notification.h"

/* maximum number of lost records that a load reports; the next start of the daemon reports more */
#define RECORDS_LOST_MAX 64

struct store;

/* The kind of the text behind the prefix of a key. */
enum record_naming {
	RECORD_BY_NAME,
	RECORD_BY_ID, /* the id of a request */
	RECORD_BY_EITHER, /* an id if the text is as short as an id, otherwise a name */
};

struct record_kind {
	const char *prefix; /* the begin of the keys: "timer/" */
	const char *noun; /* for people, with its article: "a timer" */
	const struct record_rows *rows;
	enum notification_source source; /* source of the notification that reports a lost record */
	enum record_naming naming;
};

void record_put(
    struct store *store, const struct record_kind *kind, const char *name, const void *object);
void record_delete(struct store *store, const struct record_kind *kind, const char *name);

/* Takes a record of an earlier daemon. Returns false if it cannot be read: then it is lost. */
typedef bool record_take_fn(void *data, const char *name, const struct json *value);

/* The keys of records that cannot be read. The caller frees each key. */
struct record_lost {
	char *keys[RECORDS_LOST_MAX];
	size_t count;
};

/*
 * Calls take for the records of a kind, in order of their keys. Adds unreadable ones to lost. take
 * must not change the store.
 */
void record_load(struct store *store, const struct record_kind *kind, record_take_fn *take,
    void *data, struct record_lost *lost);
/*
 * Reads one record into object, as record_read(). Returns false if there is no readable record of
 * this name. After true, the caller must call record_finish().
 */
bool record_get(
    struct store *store, const struct record_kind *kind, const char *name, void *object);
