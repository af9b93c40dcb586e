/* SPDX-License-Identifier: ISC */
/* Keyed hashes: SipHash-1-3 as another implementation computes it (CPython 3.11, key 0). */
#include "base/hash.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#include "tap.h"

static void test_vectors(void)
{
	static const struct {
		size_t len;
		uint64_t hash;
	} rows[] = {
	    {1, UINT64_C(0x68a914128e01e473)},
	    {7, UINT64_C(0x2f098ab0c751325a)},
	    {8, UINT64_C(0xead411e67ebe2eea)},
	    {9, UINT64_C(0x75927f9d95124362)},
	    {15, UINT64_C(0xf30eb725bb91c9ea)},
	    {16, UINT64_C(0x8972188433a5c5b7)},
	    {63, UINT64_C(0x385d3e39e5f37359)},
	};
	const struct hash_key zero = {{0, 0}};
	uint8_t bytes[64];
	for (size_t at = 0; at < sizeof bytes; at++)
		bytes[at] = (uint8_t)at;
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++)
		ok(hash_with_key(&zero, bytes, rows[at].len) == rows[at].hash,
		    "the hash of %zu bytes", rows[at].len);
}

static void test_key(void)
{
	const struct hash_key one = {{1, 0}}, other = {{0, 1}};
	ok(hash_with_key(&one, "key", 3) != hash_with_key(&other, "key", 3),
	    "another key, another hash");
	ok(hash_bytes("key", 3) == hash_bytes("key", 3), "one key");
	ok(hash_bytes("key", 3) != hash_bytes("kez", 3), "other texts, other hashes");
	ok(hash_bytes("", 0) == hash_bytes("x", 0), "an empty text has one too");
}

static int draws; /* number of calls of getrandom() */

ssize_t getrandom(void *bytes, size_t len, unsigned flags)
{
	(void)flags;
	memset(bytes, ++draws, len);
	return (ssize_t)len;
}

static void *hash_in_thread(void *data)
{
	*(uint64_t *)data = hash_bytes("key", 3);
	return NULL;
}

/* The library allows a loop in each of several threads, and its listings hash names. */
static void test_threads(void)
{
	uint64_t others[8];
	pthread_t threads[8];
	int equal = 0;
	is_int(draws, 1, "the key is drawn before any thread starts");
	for (int i = 0; i < 8; i++)
		if (!ok(pthread_create(&threads[i], NULL, hash_in_thread, &others[i]) == 0,
			"thread %d", i))
			return;
	for (int i = 0; i < 8; i++) {
		(void)pthread_join(threads[i], NULL);
		equal += others[i] == hash_bytes("key", 3);
	}
	is_int(equal, 8, "all threads have one key");
}

int main(void)
{
	test_threads();
	test_vectors();
	test_key();
	return done_testing();
}
