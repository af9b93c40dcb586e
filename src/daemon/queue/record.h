/* SPDX-License-Identifier: ISC */
/*
 * Records: how structs are kept in the store. A kind of record is a prefix of keys and a
 * table of rows (record_field.h); its values are JSON objects. Values of release 0.1, some
 * of which were words, are read too (record_field.c). Records that cannot be read at the start
 * are gathered, so that their loss can be notified (queue_load()).
 */
#pragma once

#include "daemon/queue/notification.h"

#define RECORDS_LOST_MAX 64 /* of one kind at one start; the next start notifies more */

struct store;

/* The rest of a key, which follows the prefix. */
enum record_naming {
	RECORD_BY_NAME,
	RECORD_BY_ID, /* of a request */
	RECORD_BY_EITHER, /* what is as short as an id is an id */
};

struct record_kind {
	const char *prefix; /* of its keys: "timer/" */
	const char *noun; /* for people, with its article: "a timer" */
	const struct record_rows *rows;
	enum notification_source source; /* of the notification that one was lost */
	enum record_naming naming;
};

void record_put(
    struct store *store, const struct record_kind *kind, const char *name, const void *object);
void record_delete(struct store *store, const struct record_kind *kind, const char *name);

/* Takes up a record of an earlier daemon by record_read(). False if it cannot be read. */
typedef bool record_take_fn(void *data, const char *name, const struct json *value);

/* Keys of records that cannot be read; the caller frees each. */
struct record_lost {
	char *keys[RECORDS_LOST_MAX];
	size_t count;
};

/* Has all records of a kind taken, in order of their keys. The store must not change. */
void record_load(struct store *store, const struct record_kind *kind, record_take_fn *take,
    void *data, struct record_lost *lost);
/* Fills object from the record of one name. False if there is none that can be read. */
bool record_get(
    struct store *store, const struct record_kind *kind, const char *name, void *object);
