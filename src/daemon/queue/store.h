/* SPDX-License-Identifier: ISC */
/*
 * Data that outlives the daemon: a small table from keys to values in memory, each change of which
 * is one journal record. Several changes that must be true together (a timer goes and its
 * notification comes) are one transaction, and so one record. Keys are "kind/name": "timer/A1B2",
 * "note/00000000000000000123", "ack/consumer". Values are bytes, JSON as a rule, of the owner of
 * the kind. Out of memory ends the process: what was committed is in the journal.
 */
#pragma once

#include "daemon/queue/journal.h"

#define STORE_KEY_MAX 200 /* bytes */
#define STORE_VALUE_MAX (1024 * 1024)
#define STORE_FILE "journal"

struct store_handlers {
	/* As in the journal; each may be NULL. */
	void (*gap)(void *data, uint64_t count, const char *reason);
	void (*degraded)(void *data, bool is_degraded, const char *reason);
	/* The journal has something to do by and by: see journal_timeout_ms(). */
	void (*pending)(void *data);
};

/*
 * Reads what the journal holds. disk NULL: nothing is kept, for tests. threaded as in
 * journal_open(). handlers NULL: none. NULL on failure, with errno.
 */
struct store *store_open(const struct journal_disk *disk, void *disk_data, bool threaded,
    const struct store_handlers *handlers, void *data);
void store_close(struct store *store);

/*
 * Why records are missing, as in the journal's gap(); NULL: none are. It is kept until
 * store_forget_loss(), which belongs into the transaction that tells the readers.
 */
const char *store_loss(const struct store *store);
void store_forget_loss(struct store *store);

/* For its descriptor, time-outs and figures; NULL if nothing is kept. */
struct journal *store_journal(struct store *store);

/*
 * Changes. Those between store_begin() and store_commit() are one transaction; nesting
 * counts, and the outermost commit writes. The table changes at once. Returns a ticket: on
 * return the change survives kill -9; 0 says that it is in memory only (degraded). A
 * transaction of more than JOURNAL_PAYLOAD_MAX bytes is kept change by change, not as one.
 * A key or value over its maximum is a bug of the caller's.
 */
void store_begin(struct store *store);
uint64_t store_commit(struct store *store);
void store_put(struct store *store, const char *key, const void *value, size_t len);
void store_delete(struct store *store, const char *key); /* absent: nothing */

/* A value, with a NUL behind it, lent until it changes; NULL if there is none. */
const char *store_get(const struct store *store, const char *key, size_t *ret_len);

/*
 * Walks the keys that begin with prefix, in ascending order: cursor starts at 0. The table must not
 * change meanwhile. False at the end. A walk after changes sorts the table: this is for the start.
 */
bool store_next(struct store *store, const char *prefix, size_t *cursor, const char **ret_key,
    const char **ret_value, size_t *ret_len);

size_t store_count(const struct store *store);
/* Whether changes are in memory only for now: the journal is degraded, or nothing is kept. */
bool store_is_degraded(const struct store *store);

/*
 * Asks for a sync and calls when once all up to a ticket survives a power cut, at once if
 * it does. Ticket 0, or a disk that fails: is_durable is false.
 */
typedef void store_when_fn(void *data, bool is_durable);
void store_when_durable(struct store *store, uint64_t ticket, store_when_fn *when, void *data);
/* Waits for the disk, and calls all who wait for it: the daemon ends. */
void store_settle(struct store *store);
