/* SPDX-License-Identifier: ISC */
/*
 * Keyed hashes of texts, for maps whose keys strangers choose: SipHash-1-3 with a random key that
 * is drawn once per process, so that colliding keys cannot be prepared. Two texts may have
 * the same hash even so: compare them.
 */
#pragma once

#include "base/std.h"

struct hash_key {
	uint64_t words[2];
};

/* With the key of this process. Not for two threads at once. */
uint64_t hash_bytes(const void *bytes, size_t len);

/* With a key of the caller's: the same in every process. */
uint64_t hash_with_key(const struct hash_key *key, const void *bytes, size_t len);

/* The checksum of bytes; crc is that of the bytes before them, 0 at the beginning. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t len);

/* The same without special instructions. */
uint32_t crc32c_portable(uint32_t crc, const void *bytes, size_t len);

#define SHA256_SIZE 32

struct sha256 {
	uint32_t state[8];
	uint64_t len; /* bytes so far */
	uint8_t block[64];
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t len);
void sha256_finish(struct sha256 *sha, uint8_t out[SHA256_SIZE]);
