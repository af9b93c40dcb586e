/* SPDX-License-Identifier: ISC */
/*
 * Makes each record of a store unreadable, or writes one from standard input, for tests of what the
 * daemon does then.
 *
 * usage: spoil_store DIRECTORY [KEY]
 */
#include <stdio.h>

#include "base/xalloc.h"
#include "daemon/queue/journal_disk.h"
#include "daemon/queue/store.h"

enum { KEYS_MAX = 100, VALUE_MAX = 16 * 1024 * 1024 };

static void put_input(struct store *store, const char *key)
{
	char *value = xalloc(VALUE_MAX);
	size_t len = fread(value, 1, VALUE_MAX, stdin);
	store_put(store, key, value, len);
	mem_free(value);
}

int main(int argc, char **argv)
{
	struct journal_disk_dir *dir = argc >= 2 ? journal_disk_dir_open(argv[1]) : NULL;
	char *keys[KEYS_MAX];
	const char *key, *value;
	size_t cursor = 0, count = 0;
	struct store *store;
	if (dir == NULL)
		return 2;
	store = store_open(&journal_disk_dir_table, dir, false, NULL, NULL);
	if (store == NULL)
		return 1;
	if (argc > 2)
		put_input(store, argv[2]);
	while (argc == 2 && count < KEYS_MAX && store_next(store, "", &cursor, &key, &value, NULL))
		keys[count++] = xstrdup(key);
	for (size_t at = 0; at < count; at++) {
		store_put(store, keys[at], "{", 1);
		printf("%s\n", keys[at]);
		mem_free(keys[at]);
	}
	store_close(store);
	journal_disk_dir_close(dir);
	return 0;
}
