/* SPDX-License-Identifier: ISC */
/*
 * Records: structs in the store. A kind of record has a prefix of its keys and a table of rows
 * (record_field.h). The values are JSON objects. Values of release 0.1, some of which were words,
 * are read too.
 */
#pragma once

#include "daemon/queue/notification.h"

/* maximum number of lost records of a kind that a start reports; the next start reports more */
#define RECORDS_LOST_MAX 64

struct store;

/* The part of a key behind the prefix. */
enum record_naming {
	RECORD_BY_NAME,
	RECORD_BY_ID, /* the id of a notification */
	RECORD_BY_EITHER, /* an id if it is as short as one, else a name */
};

struct record_kind {
	const char *prefix; /* the start of its keys: "timer/" */
	const char *noun; /* for people, with its article: "a timer" */
	const struct record_rows *rows;
	enum notification_source source; /* source of the notification that reports a lost record */
	enum record_naming naming;
};

void record_put(
    struct store *store, const struct record_kind *kind, const char *name, const void *object);
void record_delete(struct store *store, const struct record_kind *kind, const char *name);

/* Takes a record of an earlier daemon. Returns false if it cannot be read. */
typedef bool record_take_fn(void *data, const char *name, const struct json *value);

/* The keys of records that cannot be read. The caller frees each key. */
struct record_lost {
	char *keys[RECORDS_LOST_MAX];
	size_t count;
};

/* Calls take for all records of a kind, in order of their keys. take must not change the store. */
void record_load(struct store *store, const struct record_kind *kind, record_take_fn *take,
    void *data, struct record_lost *lost);
/*
 * Reads one record into object; the caller calls record_finish(). Returns false if there is no
 * readable record of this name.
 */
bool record_get(
    struct store *store, const struct record_kind *kind, const char *name, void *object);
