/* SPDX-License-Identifier: ISC */
/* Random input for tests that run for a time: splitmix64, and mutations of bytes. */
#include "fuzzing.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tap.h"

static int64_t now_ms(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* splitmix64: any seed is good. */
static uint64_t next(struct fuzzing *fuzzing)
{
	uint64_t z = fuzzing->state += 0x9e3779b97f4a7c15U;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return z ^ (z >> 31);
}

void fuzzing_init(struct fuzzing *fuzzing, int sec)
{
	const char *seed = getenv("MUXBUS_SEED"), *wanted = getenv("MUXBUS_FUZZ_SEC");
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	*fuzzing = (struct fuzzing){
	    .seed = seed != NULL ? strtoull(seed, NULL, 10)
				 : (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000,
	    .end_ms = now_ms() + (int64_t)(wanted != NULL ? atoi(wanted) : sec) * 1000,
	};
	fuzzing->state = fuzzing->seed;
	diag("MUXBUS_SEED=%llu", (unsigned long long)fuzzing->seed);
}

bool fuzzing_goes_on(struct fuzzing *fuzzing)
{
	if (now_ms() >= fuzzing->end_ms)
		return false;
	fuzzing->rounds++;
	return true;
}

uint32_t fuzzing_below(struct fuzzing *fuzzing, uint32_t limit)
{
	return (uint32_t)(next(fuzzing) % limit);
}

const char *fuzzing_pick(struct fuzzing *fuzzing, const char *const *list)
{
	uint32_t count = 0;
	while (list[count] != NULL)
		count++;
	return list[fuzzing_below(fuzzing, count)];
}

/* Puts len bytes in place of gone bytes; nothing changes if that is too much. */
static size_t splice(
    uint8_t *bytes, size_t old, size_t place, size_t gone, const void *put, size_t len, size_t max)
{
	if (old - gone + len > max)
		return old;
	memmove(bytes + place + len, bytes + place + gone, old - place - gone);
	memcpy(bytes + place, put, len);
	return old - gone + len;
}

static size_t mutate_once(struct fuzzing *fuzzing, uint8_t *bytes, size_t len, size_t max)
{
	static const char odd[] = "\"\\{}[]:,;=%#()$\x1b\x07\n\r\t 0-9\x7f\x80\xff";
	size_t place = fuzzing_below(fuzzing, (uint32_t)len + 1);
	size_t part = fuzzing_below(fuzzing, (uint32_t)(len - place) + 1);
	uint8_t copy[256];
	uint8_t byte = (uint8_t)next(fuzzing);
	const char *word;
	switch (fuzzing_below(fuzzing, 8)) {
	case 0:
		if (place < len)
			bytes[place] ^= (uint8_t)(1U << byte % 8);
		return len;
	case 1:
		return splice(bytes, len, place, place < len, &byte, 1, max);
	case 2:
		return splice(bytes, len, place, 0, &odd[byte % (sizeof odd - 1)], 1, max);
	case 3:
		return splice(bytes, len, place, part % 32 < part ? part % 32 : part, "", 0, max);
	case 4: /* a part appears again elsewhere */
		part = part > sizeof copy ? sizeof copy : part;
		memcpy(copy, bytes + place, part);
		return splice(
		    bytes, len, fuzzing_below(fuzzing, (uint32_t)len + 1), 0, copy, part, max);
	case 5: /* a digit, so that numbers stay numbers */
		while (place < len && (bytes[place] < '0' || bytes[place] > '9'))
			place++;
		byte = (uint8_t)('0' + byte % 10);
		return splice(bytes, len, place, place < len && next(fuzzing) % 2, &byte, 1, max);
	case 6:
		return byte % 16 == 0 ? place : len;
	default:
		word = fuzzing->words == NULL ? "" : fuzzing_pick(fuzzing, fuzzing->words);
		return splice(bytes, len, place, 0, word, strlen(word), max);
	}
}

size_t fuzzing_mutate(struct fuzzing *fuzzing, uint8_t *bytes, size_t len, size_t max)
{
	uint32_t times = 1 + fuzzing_below(fuzzing, 1U << fuzzing_below(fuzzing, 5));
	while (times-- > 0)
		len = mutate_once(fuzzing, bytes, len, max);
	return len;
}
