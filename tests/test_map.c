/* SPDX-License-Identifier: ISC */
/* Maps: against a plain array with the same operations, and while they are walked. */
#include "base/map.h"

#include "fail_alloc.h"
#include "tap.h"

#define KEYS 500

static int values[KEYS];

static void test_basics(void)
{
	struct map map;
	map_init(&map);
	ok(map_get(&map, 1) == NULL, "nothing is in an empty map");
	ok(map_remove(&map, 1) == NULL, "or can be removed from it");
	is_int(map_set(&map, 0, &values[0]), 0, "0 is a key");
	is_int(map_set(&map, UINT64_MAX, &values[1]), 0, "and so is the largest number");
	ok(map_get(&map, 0) == &values[0] && map_get(&map, UINT64_MAX) == &values[1],
	    "both are there");
	is_int(map_set(&map, 0, &values[2]), 0, "a value can be replaced");
	ok(map_get(&map, 0) == &values[2] && map.count == 2, "without another entry");
	ok(map_remove(&map, 0) == &values[2], "remove returns the old value");
	ok(map_get(&map, 0) == NULL && map.count == 1, "and then it is gone");
	map_finish(&map);
	is_int(map_set(&map, 7, &values[7]), 0, "a finished map may be used again");
	map_finish(&map);
}

/* The same steps on the map and on an array. Keys are few, so that each is often met again. */
static void test_model(void)
{
	void *model[KEYS] = {0};
	struct map map;
	uint32_t random = 1;
	bool is_same = true;
	size_t largest = 0;
	size_t count;
	map_init(&map);
	for (int step = 0; step < 200000; step++) {
		uint64_t key, spread;
		random = random * 1664525u + 1013904223u;
		key = (random >> 8) % KEYS;
		spread = key * 0x10000000000u; /* keys with equal low bits */
		if (random >> 30) {
			is_same &= map_set(&map, spread, &values[key]) == 0;
			model[key] = &values[key];
		} else {
			is_same &= map_remove(&map, spread) == model[key];
			model[key] = NULL;
		}
		is_same &= map_get(&map, spread) == model[key];
		largest = map.size > largest ? map.size : largest;
	}
	count = 0;
	for (size_t key = 0; key < KEYS; key++) {
		is_same &= map_get(&map, key * 0x10000000000u) == model[key];
		count += model[key] != NULL;
	}
	ok(is_same, "200000 steps leave map and array alike");
	is_int(map.count, count, "and as full");
	ok(largest <= 4096, "removed entries do not make it grow (%zu slots)", largest);
	map_finish(&map);
}

static void test_walking(void)
{
	struct map map;
	int seen[KEYS] = {0};
	bool is_right;
	map_init(&map);
	ok(map_place(&map, NULL) == NULL, "there is nothing to walk in an empty map");
	for (uint64_t i = 0; i < KEYS; i++)
		(void)map_set(&map, i, &values[i]);
	is_right = true;
	map_each (int, value, &map) {
		uint64_t key = map_key(&map, value_at);
		is_right &= key < KEYS && value == &values[key];
		seen[key]++;
		if (key % 2)
			is_right &= map_remove(&map, key) == value;
	}
	for (size_t i = 0; i < KEYS; i++)
		is_right &= seen[i] == 1;
	ok(is_right, "a walk that removes every other entry meets each of them once");
	is_int(map.count, KEYS / 2, "and half of them stay");
	map_finish(&map);
}

static void test_failure(void)
{
	struct map map;
	bool is_right;
	size_t set;
	map_init(&map);
	fail_alloc_arm(0);
	is_int(map_set(&map, 1, &values[1]), -1, "no memory for the first entry");
	set = 1;
	fail_alloc_arm(1);
	while (map_set(&map, set, &values[set]) == 0)
		set++;
	(void)fail_alloc_disarm();
	is_right = true;
	for (size_t i = 1; i < set; i++)
		is_right &= map_get(&map, i) == &values[i];
	ok(is_right && map.count == set - 1 && set > 8,
	    "a failed growth loses none of the entries");
	is_int(map_set(&map, set, &values[set]), 0, "and later it works");
	map_finish(&map);
}

int main(void)
{
	test_basics();
	test_model();
	test_walking();
	test_failure();
	return done_testing();
}
