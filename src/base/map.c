/* SPDX-License-Identifier: ISC */
/* Open addressing with linear probing. A removed entry leaves a mark, so that probing goes on. */
#include "base/map.h"

#include "base/alloc.h"

#define MAP_FIRST_SLOTS 16

struct map_slot {
	uint64_t key;
	void *value; /* NULL: never used; &removed: its entry was removed */
};

static char removed;

static bool slot_is_used(const struct map_slot *slot)
{
	return slot->value != NULL && slot->value != &removed;
}

void map_init(struct map *map)
{
	*map = (struct map){0};
}

void map_finish(struct map *map)
{
	mem_free(map->slots);
	map_init(map);
}

/* Spreads small consecutive ids over all bits. */
static size_t hash(uint64_t key)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccdu;
	key ^= key >> 33;
	key *= 0xc4ceb9fe1a85ec53u;
	key ^= key >> 33;
	return (size_t)key;
}

static struct map_slot *find(const struct map *map, uint64_t key)
{
	size_t mask;
	if (map->size == 0)
		return NULL;
	mask = map->size - 1;
	for (size_t i = hash(key) & mask; map->slots[i].value; i = (i + 1) & mask) {
		struct map_slot *slot = &map->slots[i];
		if (slot->key == key && slot->value != &removed)
			return slot;
	}
	return NULL;
}

/* Puts a new key into the first free slot. Returns true if the slot was never used before. */
static bool insert(struct map *map, uint64_t key, void *value)
{
	size_t mask = map->size - 1, i = hash(key) & mask;
	bool is_fresh;
	while (slot_is_used(&map->slots[i]))
		i = (i + 1) & mask;
	is_fresh = map->slots[i].value == NULL;
	map->slots[i] = (struct map_slot){key, value};
	return is_fresh;
}

/* Moves all entries to a new table, at most half full, without marks. Returns 0, or -1. */
static int rebuild(struct map *map)
{
	size_t size = MAP_FIRST_SLOTS;
	struct map fresh;
	while (size < SIZE_MAX / 4 && size < (map->count + 1) * 2)
		size *= 2;
	fresh = (struct map){.slots = mem_calloc(size, sizeof *fresh.slots), .size = size};
	if (fresh.slots == NULL)
		return -1;
	for (size_t i = 0; i < map->size; i++)
		if (slot_is_used(&map->slots[i]))
			(void)insert(&fresh, map->slots[i].key, map->slots[i].value);
	fresh.count = map->count;
	fresh.touched = map->count;
	mem_free(map->slots);
	*map = fresh;
	return 0;
}

void *map_get(const struct map *map, uint64_t key)
{
	struct map_slot *slot = find(map, key);
	return slot != NULL ? slot->value : NULL;
}

int map_set(struct map *map, uint64_t key, void *value)
{
	struct map_slot *slot = find(map, key);
	if (slot != NULL) {
		slot->value = value;
		return 0;
	}
	/* Keep a quarter of the slots unused, so that probing ends soon. */
	if (map->touched + 1 > map->size - map->size / 4 && rebuild(map) < 0)
		return -1;
	if (insert(map, key, value))
		map->touched++;
	map->count++;
	return 0;
}

void *map_remove(struct map *map, uint64_t key)
{
	struct map_slot *slot = find(map, key);
	void *value;
	if (slot == NULL)
		return NULL;
	value = slot->value;
	slot->value = &removed;
	map->count--;
	return value;
}

/* A place is the index of a slot plus 1, as a pointer. */
void *map_place(const struct map *map, const void *previous)
{
	size_t at = (uintptr_t)previous;
	while (at < map->size && !slot_is_used(&map->slots[at]))
		at++;
	return at < map->size ? (void *)(uintptr_t)(at + 1) : NULL;
}

void *map_value(const struct map *map, const void *place)
{
	return place != NULL ? map->slots[(uintptr_t)place - 1].value : NULL;
}

uint64_t map_key(const struct map *map, const void *place)
{
	return map->slots[(uintptr_t)place - 1].key;
}
