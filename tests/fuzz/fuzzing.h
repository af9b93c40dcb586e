/* SPDX-License-Identifier: ISC */
/*
 * Random input for tests that run for a time: numbers from a seed that is printed, choices, and
 * mutations of bytes. MUXBUS_SEED=N repeats a run, MUXBUS_FUZZ_SEC=N makes it longer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzzing {
	uint64_t seed;
	uint64_t state;
	uint64_t rounds; /* that fuzzing_goes_on() has begun */
	int64_t end_ms;
	const char *const *words; /* that mutations insert; NULL-terminated; NULL: none */
};

/* Begins, for that many seconds if the environment says nothing else, and prints the seed. */
void fuzzing_init(struct fuzzing *fuzzing, int sec);
/* Begins the next round; false when the time is over. */
bool fuzzing_goes_on(struct fuzzing *fuzzing);

uint32_t fuzzing_below(struct fuzzing *fuzzing, uint32_t limit); /* limit > 0 */
/* One of a list that NULL ends and that is not empty. */
const char *fuzzing_pick(struct fuzzing *fuzzing, const char *const *list);
/* Changes bytes in a few places. Returns the new length, at most max. */
size_t fuzzing_mutate(struct fuzzing *fuzzing, uint8_t *bytes, size_t len, size_t max);
