/* SPDX-License-Identifier: ISC */
/* A hash table from 64-bit numbers to pointers. The caller owns what the pointers point to. */
#pragma once

#include "base/std.h"

struct map {
	struct map_slot *slots;
	size_t count;
	size_t size; /* a power of two, or 0 */
	size_t touched; /* slots used at any time since the last rebuild */
};

void map_init(struct map *map);
void map_finish(struct map *map);

void *map_get(const struct map *map, uint64_t key); /* NULL if absent */
/* Sets or replaces; value is not NULL. Returns 0, or -1 if out of memory. */
int map_set(struct map *map, uint64_t key, void *value);
/* For programs: ends the process if out of memory, as xalloc() does. */
void xmap_set(struct map *map, uint64_t key, void *value);
void *map_remove(struct map *map, uint64_t key); /* the old value, or NULL */

/*
 * Walks all entries in no order: *cursor starts at 0; false at the end. The map must
 * not grow during the walk; the entry just returned may be removed.
 */
bool map_next(const struct map *map, size_t *cursor, uint64_t *ret_key, void **ret_value);
