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
void map_finish(struct map *map); /* frees the table; the map is empty and can be used again */

void *map_get(const struct map *map, uint64_t key); /* NULL if absent */
/* Sets the value of a key; value must not be NULL. Returns 0, or -1 if out of memory. */
int map_set(struct map *map, uint64_t key, void *value);
void xmap_set(struct map *map, uint64_t key, void *value); /* out of memory ends the process */
void *map_remove(struct map *map, uint64_t key); /* the old value, or NULL if absent */

/*
 * Loops over the values in no order: map_each (struct job, job, &jobs) {...} The body may remove
 * entries, but must not add any. The key of the current entry is map_key(&jobs, job_at).
 */
#define map_each(type, value, map)                                                         \
	for (type *value##_at = map_place(map, NULL), *value = map_value(map, value##_at); \
	     value != NULL;                                                                \
	     value##_at = map_place(map, value##_at), value = map_value(map, value##_at))

/* Returns the place of the next entry; previous NULL: of the first. Returns NULL after the last. */
void *map_place(const struct map *map, const void *previous);
void *map_value(const struct map *map, const void *place); /* NULL if place is NULL */
uint64_t map_key(const struct map *map, const void *place);
