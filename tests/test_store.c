/* SPDX-License-Identifier: ISC */
/* The store: committed transactions are there again, whole or not at all. */
#include "daemon/queue/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "torn_disk.h"

static void put(struct store *store, const char *key, const char *value)
{
	store_put(store, key, value, strlen(value));
}

static struct store *reopen(struct torn_disk *disk)
{
	struct store *store = store_open(&torn_disk_table, disk, false, NULL, NULL);
	if (store == NULL)
		abort();
	return store;
}

static void test_table(void)
{
	struct store *store = store_open(NULL, NULL, false, NULL, NULL);
	const char *key, *value;
	size_t cursor = 0, len;
	char seen[64] = "";
	put(store, "timer/B2", "two");
	put(store, "timer/A1", "one");
	put(store, "note/1", "n");
	put(store, "watch/Z9", "w");
	is_str(store_get(store, "timer/A1", &len), "one", "a value is found");
	is_int((long long)len, 3, "with its length");
	put(store, "timer/A1", "uno");
	is_str(store_get(store, "timer/A1", NULL), "uno", "and replaced");
	while (store_next(store, "timer/", &cursor, &key, &value, NULL))
		snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s=%s ", key, value);
	is_str(seen, "timer/A1=uno timer/B2=two ", "a kind is walked in order");
	cursor = 0;
	ok(!store_next(store, "zebra/", &cursor, &key, &value, NULL), "an empty kind has none");
	store_delete(store, "timer/A1");
	ok(store_get(store, "timer/A1", NULL) == NULL, "a deleted one is gone");
	store_delete(store, "timer/A1");
	is_int((long long)store_count(store), 3, "and three are left");
	store_close(store);
}

static void test_reopen(void)
{
	struct torn_disk disk;
	struct store *store;
	char key[32], value[64];
	unsigned wrong = 0;
	torn_disk_init(&disk, 1);
	store = reopen(&disk);
	for (unsigned at = 0; at < 500; at++) {
		snprintf(key, sizeof key, "k/%u", at % 50);
		snprintf(value, sizeof value, "value %u", at);
		if (at % 7 == 3)
			store_delete(store, key);
		else
			put(store, key, value);
	}
	store_close(store);
	store = reopen(&disk);
	for (unsigned at = 450; at < 500; at++) {
		const char *found;
		snprintf(key, sizeof key, "k/%u", at % 50);
		snprintf(value, sizeof value, "value %u", at);
		found = store_get(store, key, NULL);
		wrong += at % 7 == 3 ? found != NULL : found == NULL || strcmp(found, value) != 0;
	}
	is_int(wrong, 0, "after 500 changes and a restart every value is unchanged");
	store_close(store);
	torn_disk_finish(&disk);
}

/* A transfer between two accounts: their sum shows half a transaction. */
static void test_transactions(void)
{
	struct torn_disk disk, torn;
	struct store *store;
	unsigned halves = 0, checked = 0;
	size_t len;
	torn_disk_init(&disk, 2);
	store = reopen(&disk);
	for (unsigned at = 0; at <= 20; at++) {
		char value[16];
		store_begin(store);
		snprintf(value, sizeof value, "%u", at);
		put(store, "account/a", value);
		snprintf(value, sizeof value, "%u", 20 - at);
		put(store, "account/b", value);
		ok(store_commit(store) > 0, "a transaction gets a ticket");
	}
	len = torn_disk_file(&disk, STORE_FILE)->len;
	for (size_t cut = 0; cut <= len; cut++) {
		const char *a, *b;
		struct store *after;
		torn_disk_copy(&torn, &disk);
		torn_disk_kill(&torn);
		torn_disk_file(&torn, STORE_FILE)->len = cut;
		after = reopen(&torn);
		a = store_get(after, "account/a", NULL);
		b = store_get(after, "account/b", NULL);
		halves += (a == NULL) != (b == NULL);
		if (a != NULL && b != NULL)
			halves += atoi(a) + atoi(b) != 20;
		checked++;
		store_close(after);
		torn_disk_finish(&torn);
	}
	is_int(halves, 0, "cut anywhere (%u places), a transaction is whole or not there", checked);
	store_close(store);
	torn_disk_finish(&disk);
}

/* As when many large notifications are acknowledged at once. */
static void test_large_transaction(void)
{
	enum { COUNT = 12 };
	static char value[STORE_VALUE_MAX + 1];
	struct torn_disk disk;
	struct store *store;
	unsigned there = 0;
	torn_disk_init(&disk, 1);
	store = reopen(&disk);
	memset(value, 'v', STORE_VALUE_MAX);
	store_begin(store);
	for (char key[] = "k/a"; key[2] < 'a' + COUNT; key[2]++)
		put(store, key, value);
	ok(store_commit(store) > 0, "a transaction that is longer than a record is kept");
	store_close(store);
	store = reopen(&disk);
	for (char key[] = "k/a"; key[2] < 'a' + COUNT; key[2]++) {
		const char *kept = store_get(store, key, NULL);
		there += kept != NULL && strcmp(kept, value) == 0;
	}
	is_int(there, COUNT, "with all its changes");
	store_close(store);
	torn_disk_finish(&disk);
}

static void test_compaction(void)
{
	struct journal_stats stats;
	static char value[1000];
	struct torn_disk disk;
	struct store *store;
	memset(value, 'x', sizeof value - 1);
	torn_disk_init(&disk, 3);
	store = reopen(&disk);
	put(store, "keep/1", "kept");
	for (unsigned at = 0; at < 20000; at++)
		put(store, "churn/1", value);
	journal_stats(store_journal(store), &stats);
	ok(stats.rewrites > 5, "a churning store is rewritten (%llu times)",
	    (unsigned long long)stats.rewrites);
	ok(stats.bytes < 4 * 1024 * 1024, "and its file stays small (%llu bytes)",
	    (unsigned long long)stats.bytes);
	store_close(store);
	store = reopen(&disk);
	is_str(store_get(store, "keep/1", NULL), "kept", "an untouched value is there");
	is_str(store_get(store, "churn/1", NULL), value, "and so is the last value of the others");
	store_close(store);
	torn_disk_finish(&disk);
}

static unsigned told_yes, told_no;

static void on_durable(void *data, bool is_durable)
{
	(void)data;
	if (is_durable)
		told_yes++;
	else
		told_no++;
}

static void test_durable(void)
{
	struct torn_disk disk;
	struct store *store;
	uint64_t ticket;
	torn_disk_init(&disk, 4);
	store = reopen(&disk);
	store_begin(store);
	put(store, "note/1", "a");
	ticket = store_commit(store);
	store_when_durable(store, ticket, on_durable, NULL);
	is_int(told_yes, 1, "a waiter for the disk is called");
	disk.room = 0;
	store_begin(store);
	put(store, "note/2", "b");
	ticket = store_commit(store);
	is_int((long long)ticket, 0, "on a full disk there is no ticket");
	store_when_durable(store, ticket, on_durable, NULL);
	is_int(told_no, 1, "and the waiter gets an error");
	is_str(store_get(store, "note/2", NULL), "b", "but memory has the value");
	disk.room = SIZE_MAX;
	journal_rewrite(store_journal(store));
	store_close(store);
	store = reopen(&disk);
	is_str(store_get(store, "note/2", NULL), "b", "and so has the disk, once there is room");
	store_close(store);
	torn_disk_finish(&disk);
}

/* Lets the journal do what is due, as the loop does. */
static void turn(struct store *store)
{
	struct journal *journal = store_journal(store);
	journal_dispatch(journal);
	journal_tick(journal);
}

/* While the table is rewritten part by part, entries come, change and go. */
static void test_parts(void)
{
	enum { KEYS = 400, STEPS = 60000, VALUE = 2000 };
	char dir[] = "/tmp/muxbus-store-XXXXXX", command[64], key[32];
	static char value[VALUE + 1];
	static unsigned model[KEYS]; /* the step that wrote it; 0: gone */
	struct journal_disk_dir *disk = journal_disk_dir_open(mkdtemp(dir));
	struct store *store = store_open(&journal_disk_dir_table, disk, true, NULL, NULL);
	struct journal_stats stats;
	unsigned wrong = 0, count = 0;
	uint32_t random = 1;
	memset(value, 'x', VALUE);
	for (unsigned step = 1; step <= STEPS; step++) {
		unsigned number;
		random = random * 1664525u + 1013904223u;
		number = (random >> 8) % KEYS;
		snprintf(key, sizeof key, "k/%u", number);
		model[number] = random >> 31 ? step : 0;
		memcpy(value, &step, sizeof step);
		if (model[number] != 0)
			store_put(store, key, value, VALUE);
		else
			store_delete(store, key);
		turn(store);
	}
	journal_stats(store_journal(store), &stats);
	store_close(store);
	store = store_open(&journal_disk_dir_table, disk, true, NULL, NULL);
	for (unsigned number = 0; number < KEYS; number++) {
		const char *kept;
		snprintf(key, sizeof key, "k/%u", number);
		kept = store_get(store, key, NULL);
		count += model[number] != 0;
		wrong += (kept != NULL) != (model[number] != 0) ||
		    (kept != NULL && memcmp(kept, &model[number], sizeof model[number]) != 0);
	}
	ok(stats.rewrites > 3, "it was rewritten %d times, in parts", (int)stats.rewrites);
	is_int(wrong, 0, "and every value is as it was last");
	is_int((long long)store_count(store), count, "and none is left that was deleted");
	store_close(store);
	journal_disk_dir_close(disk);
	snprintf(command, sizeof command, "rm -r %s", dir);
	ok(system(command) == 0, "the directory is removed");
}

static void on_gap(void *data, uint64_t count, const char *reason)
{
	(void)count;
	snprintf(data, 32, "%s", reason);
}

/* The journal is removed, replaced, cut or moved by another program while it is in use. */
static void test_disturbed(void)
{
	static const char *const commands[] = {
	    "rm -r s",
	    "rm -r \"$PWD\"",
	    "rm s/journal",
	    "mv s/journal s/other",
	    "ln s/journal s/link && rm s/journal",
	    "cp s/journal s/copy && mv s/copy s/journal",
	    ": > s/journal",
	    "mv s aside",
	    "mv s older && mkdir -m 700 s",
	};
	char dir[] = "/tmp/muxbus-store-XXXXXX", path[64], command[256];
	struct journal_disk_dir *disk;
	struct store *store;
	snprintf(path, sizeof path, "%s/s", mkdtemp(dir));
	disk = journal_disk_dir_open(path);
	store = store_open(&journal_disk_dir_table, disk, false, NULL, NULL);
	store_put(store, "note/first", "1", 1);
	for (size_t at = 0; at < sizeof commands / sizeof *commands; at++) {
		struct journal_stats stats;
		char key[32];
		snprintf(command, sizeof command, "cd %s && %s", dir, commands[at]);
		ok(system(command) == 0, "%s", commands[at]);
		snprintf(key, sizeof key, "note/%zu", at);
		store_put(store, key, "2", 1);
		journal_stats(store_journal(store), &stats);
		ok(stats.is_degraded, "a change is not called durable");
		journal_rewrite(store_journal(store));
		journal_stats(store_journal(store), &stats);
		ok(!stats.is_degraded, "and the next attempt writes all of it again");
		store_close(store);
		journal_disk_dir_close(disk);
		disk = journal_disk_dir_open(path);
		store = store_open(&journal_disk_dir_table, disk, false, NULL, NULL);
		is_int((long long)store_count(store), (long long)at + 2,
		    "where the next daemon finds it");
	}
	store_close(store);
	journal_disk_dir_close(disk);
	snprintf(command, sizeof command, "rm -r %s", dir);
	ok(system(command) == 0, "the directory is removed");
}

/* A journal that cannot be opened is no journal that is not there: the loss is reported. */
static void test_unreadable(void)
{
	static const struct store_handlers handlers = {.gap = on_gap};
	char dir[] = "/tmp/muxbus-store-XXXXXX", command[128], reason[32] = "";
	struct journal_disk_dir *disk = journal_disk_dir_open(mkdtemp(dir));
	struct store *store = store_open(&journal_disk_dir_table, disk, false, &handlers, reason);
	store_put(store, "note/1", "a", 1);
	store_close(store);
	is_str(reason, "", "a first journal has no gap");
	snprintf(command, sizeof command, "cd %s && mv journal other && ln -s other journal", dir);
	ok(system(command) == 0, "the journal is a symbolic link");
	store = store_open(&journal_disk_dir_table, disk, false, &handlers, reason);
	is_str(reason, "unreadable", "which is a gap");
	store_close(store);
	journal_disk_dir_close(disk);
	snprintf(
	    command, sizeof command, "cd %s && test -L journal.damaged-1 && rm -r %s", dir, dir);
	ok(system(command) == 0, "and the link is set aside");
}

int main(void)
{
	test_table();
	test_reopen();
	test_transactions();
	test_large_transaction();
	test_compaction();
	test_durable();
	test_parts();
	test_disturbed();
	test_unreadable();
	return done_testing();
}
