/* SPDX-License-Identifier: ISC */
#include "daemon/queue/store.h"

#include <assert.h>
#include <endian.h>

#include "base/hash.h"
#include "wire/json.h"

enum {
	RECORD_TRANSACTION = 1,
	OP_PUT = 'P',
	OP_DELETE = 'D',
	OP_HEADER = 8, /* op 1 · zero 1 · key length 2 · value length 4 */
	SNAPSHOT_BATCH = 64 * 1024, /* about the bytes of a record in a rewrite; kept memory */
};

struct store_entry {
	struct store_entry *same_hash; /* the next entry whose key has the same hash */
	uint64_t hash;
	size_t place; /* index in store->entries */
	char *value;
	size_t len;
	char key[];
};

struct store_waiter {
	struct list link;
	uint64_t ticket;
	store_when_fn *when;
	void *data;
};

struct store {
	struct journal *journal; /* NULL: there is no disk */
	struct store_handlers handlers;
	void *data;
	struct store_entry **entries; /* sorted by key if is_sorted */
	size_t count, size;
	bool is_sorted;
	size_t unwritten; /* during a rewrite: the entries below this index are not written yet */
	struct map by_hash; /* from the hash of a key to the first entry with it */
	unsigned depth; /* nesting depth of store_begin() */
	struct buf transaction; /* changes of the open transaction, not in the journal yet */
	size_t dead_bytes; /* bytes in the journal that the transaction makes dead */
	char new_loss[64]; /* the reason of a loss that was found while opening; "": none */
	struct list waiters; /* in the order of their tickets */
};

static uint64_t key_hash(const char *key)
{
	return hash_bytes(key, strlen(key));
}

static struct store_entry *table_find(const struct store *store, const char *key, uint64_t hash)
{
	struct store_entry *entry = map_get(&store->by_hash, hash);
	while (entry != NULL && strcmp(entry->key, key) != 0)
		entry = entry->same_hash;
	return entry;
}

static void entry_free(struct store_entry *entry)
{
	mem_free(entry->value);
	mem_free(entry);
}

static void table_index(struct store *store, uint64_t hash, struct store_entry *first)
{
	if (first == NULL)
		(void)map_remove(&store->by_hash, hash);
	else
		xmap_set(&store->by_hash, hash, first);
}

static struct store_entry *table_insert(struct store *store, const char *key, uint64_t hash)
{
	size_t size = strlen(key) + 1;
	struct store_entry *entry = xcalloc(1, sizeof *entry + size);
	if (store->count == store->size) {
		store->size = store->size == 0 ? 64 : 2 * store->size;
		store->entries = xrealloc(store->entries, store->size * sizeof *store->entries);
	}
	memcpy(entry->key, key, size);
	entry->hash = hash;
	entry->place = store->count;
	entry->same_hash = map_get(&store->by_hash, hash);
	table_index(store, hash, entry);
	store->is_sorted = store->is_sorted &&
	    (store->count == 0 || strcmp(store->entries[store->count - 1]->key, key) < 0);
	store->entries[store->count++] = entry;
	return entry;
}

/* Puts a value into the table. Returns the bytes of the old change that are dead in the journal. */
static size_t table_put(struct store *store, const char *key, const void *value, size_t len)
{
	uint64_t hash = key_hash(key);
	struct store_entry *entry = table_find(store, key, hash);
	size_t dead = 0;
	if (entry != NULL) {
		dead = OP_HEADER + strlen(key) + entry->len;
		mem_free(entry->value);
	} else {
		entry = table_insert(store, key, hash);
	}
	entry->value = xmemdup(value, len);
	entry->len = len;
	return dead;
}

/* Removes an entry from the table. The last entry moves to its place. */
static void table_remove(struct store *store, struct store_entry *entry)
{
	struct store_entry *first = map_get(&store->by_hash, entry->hash), *before = first;
	struct store_entry *last = store->entries[--store->count];
	if (first == entry) {
		table_index(store, entry->hash, entry->same_hash);
	} else {
		while (before->same_hash != entry)
			before = before->same_hash;
		before->same_hash = entry->same_hash;
	}
	store->is_sorted = store->is_sorted && last == entry;
	store->entries[entry->place] = last;
	last->place = entry->place;
	entry_free(entry);
}

/*
 * Deletes a key from the table. Returns the bytes that are dead in the journal: of the old change
 * and of the deletion.
 */
static size_t table_delete(struct store *store, const char *key)
{
	struct store_entry *entry = table_find(store, key, key_hash(key));
	size_t dead;
	if (entry == NULL)
		return 0;
	dead = 2 * (OP_HEADER + strlen(key)) + entry->len;
	table_remove(store, entry);
	return dead;
}

static int compare_keys(const void *one, const void *other)
{
	const struct store_entry *a = *(struct store_entry *const *)one,
				 *b = *(struct store_entry *const *)other;
	return strcmp(a->key, b->key);
}

static void table_sort(struct store *store)
{
	if (store->is_sorted)
		return;
	qsort(store->entries, store->count, sizeof *store->entries, compare_keys);
	for (size_t at = 0; at < store->count; at++)
		store->entries[at]->place = at;
	store->is_sorted = true;
}

static size_t table_lower_bound(const struct store *store, const char *text)
{
	size_t low = 0, high = store->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(store->entries[middle]->key, text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void op_write(struct buf *out, uint8_t op, const char *key, const void *value, size_t len)
{
	uint8_t header[OP_HEADER] = {op};
	uint16_t key_len = htole16((uint16_t)strlen(key));
	uint32_t value_len = htole32((uint32_t)len);
	memcpy(header + 2, &key_len, sizeof key_len);
	memcpy(header + 4, &value_len, sizeof value_len);
	if (buf_append(out, header, sizeof header) != 0 || buf_append_str(out, key) != 0 ||
	    buf_append(out, value, len) != 0)
		assert(false && "a change fits into a record");
}

/* Applies one change from a record of the journal. Returns its bytes; 0: it is invalid. */
static size_t op_apply(struct store *store, const uint8_t *bytes, size_t len)
{
	char key[STORE_KEY_MAX + 1];
	uint16_t key_len;
	uint32_t value_len;
	size_t size;
	if (len < OP_HEADER)
		return 0;
	memcpy(&key_len, bytes + 2, sizeof key_len);
	memcpy(&value_len, bytes + 4, sizeof value_len);
	key_len = le16toh(key_len);
	value_len = le32toh(value_len);
	size = (size_t)OP_HEADER + key_len + value_len;
	if (size > len || key_len == 0 || key_len > STORE_KEY_MAX || value_len > STORE_VALUE_MAX)
		return 0;
	memcpy(key, bytes + OP_HEADER, key_len);
	key[key_len] = '\0';
	if (bytes[0] == OP_PUT)
		(void)table_put(store, key, bytes + OP_HEADER + key_len, value_len);
	else if (bytes[0] == OP_DELETE)
		(void)table_delete(store, key);
	return size;
}

static void load_record(void *data, uint8_t type, const void *payload, size_t len)
{
	struct store *store = data;
	const uint8_t *bytes = payload;
	size_t size;
	if (type != RECORD_TRANSACTION)
		return;
	while (len > 0 && (size = op_apply(store, bytes, len)) > 0) {
		bytes += size;
		len -= size;
	}
}

/*
 * Called for a gap in the journal. Puts the reason into the table at once, as the journal may be
 * rewritten from the table while opening.
 */
static void load_gap(void *data, uint64_t count, const char *reason)
{
	struct store *store = data;
	(void)table_put(store, STORE_LOSS_KEY, reason, strlen(reason));
	snprintf(store->new_loss, sizeof store->new_loss, "%s", reason);
	if (store->handlers.gap != NULL)
		store->handlers.gap(store->data, count, reason);
}

/*
 * Writes a part of the table: one record. Returns true if it was the last part. Parts go from the
 * last entry to the first: table_remove() may move the last entry forward, which is written then.
 */
static bool write_snapshot(void *data, struct journal *journal, bool is_first)
{
	struct store *store = data;
	struct buf record = BUF(JOURNAL_PAYLOAD_MAX);
	uint64_t ticket;
	if (is_first || store->unwritten > store->count)
		store->unwritten = store->count;
	while (store->unwritten > 0 && record.len < SNAPSHOT_BATCH) {
		const struct store_entry *entry = store->entries[--store->unwritten];
		op_write(&record, OP_PUT, entry->key, entry->value, entry->len);
	}
	/* After an error, the journal asks for a snapshot again. */
	if (record.len > 0)
		(void)journal_append(journal, RECORD_TRANSACTION, record.data, record.len, &ticket);
	buf_finish(&record);
	return store->unwritten == 0;
}

/* Calls the waiters with tickets up to `ticket`; if is_durable is false, calls all waiters. */
static void wake_waiters(struct store *store, uint64_t ticket, bool is_durable)
{
	while (!list_is_empty(&store->waiters)) {
		struct store_waiter *waiter =
		    list_entry(store->waiters.next, struct store_waiter, link);
		if (is_durable && waiter->ticket > ticket)
			return;
		list_remove(&waiter->link);
		waiter->when(waiter->data, is_durable);
		mem_free(waiter);
	}
}

static void became_durable(void *data, uint64_t ticket)
{
	wake_waiters(data, ticket, true);
}

static void became_degraded(void *data, bool is_degraded, const char *reason)
{
	struct store *store = data;
	if (is_degraded)
		wake_waiters(store, 0, false);
	if (store->handlers.degraded != NULL)
		store->handlers.degraded(store->data, is_degraded, reason);
}

struct store *store_open(const struct journal_disk *disk, void *disk_data, bool threaded,
    const struct store_handlers *handlers, void *data)
{
	const struct journal_handlers journal_handlers = {.record = load_record,
	    .gap = load_gap,
	    .snapshot = write_snapshot,
	    .degraded = became_degraded,
	    .durable = became_durable};
	struct store *store = xcalloc(1, sizeof *store);
	int error;
	if (handlers != NULL)
		store->handlers = *handlers;
	store->data = data;
	store->is_sorted = true;
	list_init(&store->waiters);
	map_init(&store->by_hash);
	buf_init(&store->transaction, JOURNAL_PAYLOAD_MAX);
	if (disk == NULL)
		return store;
	error = journal_open(
	    disk, disk_data, STORE_FILE, threaded, &journal_handlers, store, &store->journal);
	if (error != 0) {
		store_close(store);
		errno = -error;
		return NULL;
	}
	if (store->new_loss[0] != '\0')
		store_put(store, STORE_LOSS_KEY, store->new_loss, strlen(store->new_loss));
	return store;
}

void store_close(struct store *store)
{
	if (store == NULL)
		return;
	journal_close(store->journal);
	wake_waiters(store, 0, false);
	while (store->count > 0)
		entry_free(store->entries[--store->count]);
	mem_free(store->entries);
	map_finish(&store->by_hash);
	buf_finish(&store->transaction);
	mem_free(store);
}

struct journal *store_journal(struct store *store)
{
	return store->journal;
}

void store_begin(struct store *store)
{
	store->depth++;
}

static uint64_t write_out(struct store *store)
{
	uint64_t ticket = 0;
	if (store->journal != NULL &&
	    journal_append(store->journal, RECORD_TRANSACTION, store->transaction.data,
		store->transaction.len, &ticket) != 0)
		ticket = 0;
	buf_clear(&store->transaction);
	return ticket;
}

/*
 * Makes room in the record of the transaction: if the next change does not fit, the changes so far
 * become a record of their own.
 */
static void make_room(struct store *store, const char *key, size_t len)
{
	size_t need = OP_HEADER + strlen(key) + len;
	if (store->transaction.len > 0 && store->transaction.max - store->transaction.len < need)
		(void)write_out(store);
}

uint64_t store_commit(struct store *store)
{
	uint64_t ticket;
	size_t dead;
	assert(store->depth > 0);
	if (--store->depth > 0 || store->transaction.len == 0)
		return 0;
	dead = store->dead_bytes;
	store->dead_bytes = 0;
	ticket = write_out(store);
	buf_shrink(&store->transaction, SNAPSHOT_BATCH);
	if (store->journal != NULL && dead > 0)
		journal_note_dead(store->journal, dead);
	if (store->handlers.pending != NULL)
		store->handlers.pending(store->data);
	return ticket;
}

void store_put(struct store *store, const char *key, const void *value, size_t len)
{
	assert(strlen(key) <= STORE_KEY_MAX && len <= STORE_VALUE_MAX);
	store_begin(store);
	make_room(store, key, len);
	op_write(&store->transaction, OP_PUT, key, value, len);
	store->dead_bytes += table_put(store, key, value, len);
	(void)store_commit(store);
}

void store_delete(struct store *store, const char *key)
{
	if (table_find(store, key, key_hash(key)) == NULL)
		return;
	store_begin(store);
	make_room(store, key, 0);
	op_write(&store->transaction, OP_DELETE, key, "", 0);
	store->dead_bytes += table_delete(store, key);
	(void)store_commit(store);
}

const char *store_get(const struct store *store, const char *key, size_t *ret_len)
{
	const struct store_entry *entry = table_find(store, key, key_hash(key));
	if (entry == NULL)
		return NULL;
	if (ret_len != NULL)
		*ret_len = entry->len;
	return entry->value;
}

bool store_next(struct store *store, const char *prefix, size_t *cursor, const char **ret_key,
    const char **ret_value, size_t *ret_len)
{
	const struct store_entry *entry;
	/* The cursor is an index plus 1; 0 begins the walk. */
	if (*cursor == 0) {
		table_sort(store);
		*cursor = table_lower_bound(store, prefix) + 1;
	}
	if (*cursor > store->count)
		return false;
	entry = store->entries[*cursor - 1];
	if (strncmp(entry->key, prefix, strlen(prefix)) != 0)
		return false;
	(*cursor)++;
	*ret_key = entry->key;
	*ret_value = entry->value;
	if (ret_len != NULL)
		*ret_len = entry->len;
	return true;
}

size_t store_count(const struct store *store)
{
	return store->count;
}

void store_put_durable(struct json_writer *writer, bool is_durable)
{
	if (!is_durable)
		json_put_bool(writer, "durable", false);
}

bool store_is_degraded(const struct store *store)
{
	struct journal_stats stats;
	if (store->journal == NULL)
		return true;
	journal_stats(store->journal, &stats);
	return stats.is_degraded;
}

void store_when_durable(struct store *store, uint64_t ticket, store_when_fn *when, void *data)
{
	struct journal_stats stats;
	struct store_waiter *waiter;
	if (ticket == 0 || store->journal == NULL) {
		when(data, false);
		return;
	}
	journal_stats(store->journal, &stats);
	if (stats.durable >= ticket || stats.is_degraded) {
		when(data, stats.durable >= ticket);
		return;
	}
	waiter = xcalloc(1, sizeof *waiter);
	waiter->ticket = ticket;
	waiter->when = when;
	waiter->data = data;
	list_append(&store->waiters, &waiter->link);
	journal_sync(store->journal);
}

void store_settle(struct store *store)
{
	if (store->journal != NULL)
		journal_settle(store->journal);
	wake_waiters(store, 0, false); /* if waiters are left, the disk has failed */
}
