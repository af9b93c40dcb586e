/* SPDX-License-Identifier: ISC */
/*
 * The store: data that outlives the daemon, as a table of keys and values in memory. Changes that
 * belong together (a timer ends and its notification is posted) form a transaction, which is
 * normally one record of the journal. Keys are "kind/name": "timer/A1B2",
 * "note/00000000000000000123", "consumer/NAME". Values are bytes, mostly JSON. If memory runs out,
 * the process ends, and the journal keeps what was committed.
 */
#pragma once

#include "daemon/queue/journal.h"

struct json_writer;

#define STORE_KEY_MAX 200 /* bytes */
#define STORE_VALUE_MAX (1024 * 1024)
#define STORE_FILE "journal"

struct store_handlers {
	/* These are as in struct journal_handlers. All handlers may be NULL. */
	void (*gap)(void *data, uint64_t count, const char *reason);
	void (*degraded)(void *data, bool is_degraded, const char *reason);
	/* Called when journal_timeout_ms() may have changed. */
	void (*pending)(void *data);
};

/*
 * Opens the store and reads the journal. disk NULL: nothing is kept. threaded: as in
 * journal_open(). handlers may be NULL. Returns NULL with errno on failure.
 */
struct store *store_open(const struct journal_disk *disk, void *disk_data, bool threaded,
    const struct store_handlers *handlers, void *data);
void store_close(struct store *store);

/* The key whose value says why records are missing. queue_note_loss() deletes the key. */
#define STORE_LOSS_KEY "loss/journal"

/* Returns the journal; NULL: there is no disk. */
struct journal *store_journal(struct store *store);

/*
 * The changes between store_begin() and store_commit() are a transaction. Calls nest. The table
 * changes at once; the outermost commit writes to the journal and returns a ticket. From then on,
 * the changes survive kill -9. store_commit() returns 0 if it is not the outermost one, if nothing
 * has changed, or if the changes are only in memory. A transaction of more than JOURNAL_PAYLOAD_MAX
 * bytes is written in several records, each with whole changes. Keys and values must not be larger
 * than their maximum.
 */
void store_begin(struct store *store);
uint64_t store_commit(struct store *store);
void store_put(struct store *store, const char *key, const void *value, size_t len);
void store_delete(struct store *store, const char *key); /* does nothing if there is no such key */

/* Returns the value, and a NUL behind it, until the key changes; NULL: none. ret_len: or NULL. */
const char *store_get(const struct store *store, const char *key, size_t *ret_len);

/*
 * Walks through the keys that begin with prefix, in ascending order. *cursor must be 0 at first.
 * Returns false at the end. The table must not change during the walk. The first walk after a
 * change may sort the whole table, so this is for the start of the daemon.
 */
bool store_next(struct store *store, const char *prefix, size_t *cursor, const char **ret_key,
    const char **ret_value, size_t *ret_len);

size_t store_count(const struct store *store);
/* Returns true if changes are only in memory: the journal is degraded, or there is no disk. */
bool store_is_degraded(const struct store *store);
/* Writes the member "durable": false, unless is_durable. */
void store_put_durable(struct json_writer *writer, bool is_durable);

/*
 * Starts a sync, and calls when() when the changes up to a ticket survive a power cut, perhaps
 * before this function returns. is_durable is false if this fails, or the ticket is 0.
 */
typedef void store_when_fn(void *data, bool is_durable);
void store_when_durable(struct store *store, uint64_t ticket, store_when_fn *when, void *data);
/* For the end of the daemon: waits for the disk, and calls all waiters. */
void store_settle(struct store *store);
