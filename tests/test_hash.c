/* SPDX-License-Identifier: ISC */
/* Keyed hashes: SipHash-1-3 as another implementation computes it (CPython 3.11, key 0). */
#include "base/hash.h"

#include <string.h>

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
	ok(hash_bytes("key", 3) == hash_bytes("key", 3), "one key in a process");
	ok(hash_bytes("key", 3) != hash_bytes("kez", 3), "other texts, other hashes");
	ok(hash_bytes("", 0) == hash_bytes("x", 0), "an empty text has one too");
}

int main(void)
{
	test_vectors();
	test_key();
	return done_testing();
}
