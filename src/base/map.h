/* SPDX-License-Identifier: ISC */
/* A hash table from 64-bit numbers to pointers. The caller owns the objects. */
#pragma once

#include "base/std.h"

struct map {
	struct map_slot *slots;
	size_t count;
	size_t size; /* a power of two, or 0 */
	size_t touched; /* number of slots that hold an entry or a mark of a removed entry */
};

void map_init(struct map *map);
void map_finish(struct map *map);

void *map_get(const struct map *map, uint64_t key); /* NULL if absent */
/* Sets the value of a key; value must not be NULL. Returns 0, or -1 if out of memory. */
int map_set(struct map *map, uint64_t key, void *value);
/* Calls map_set(), but ends the process if out of memory. */
void xmap_set(struct map *map, uint64_t key, void *value);
void *map_remove(struct map *map, uint64_t key); /* the old value, or NULL if absent */

/*
 * Returns the next entry, in no particular order, or false at the end. *cursor starts at 0. During
 * a walk the map must not grow; the caller may remove the returned entry.
 */
bool map_next(const struct map *map, size_t *cursor, uint64_t *ret_key, void **ret_value);
