/* SPDX-License-Identifier: ISC */
/* Hashes: SipHash-1-3 with a random key of this process or a given key, CRC-32C, SHA-256. */
#pragma once

#include "base/std.h"

struct hash_key {
	uint64_t words[2];
};

/*
 * Hashes with the random key of this process, so that input cannot be made to collide. Two texts
 * may have the same hash by chance, so also compare the texts.
 */
uint64_t hash_bytes(const void *bytes, size_t len);

/* Hashes with the caller's key, so that the result is the same in every process. */
uint64_t hash_with_key(const struct hash_key *key, const void *bytes, size_t len);

/* Continues a CRC-32C with more bytes. crc: the result so far; 0 at the start. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t len);

uint32_t crc32c_portable(uint32_t crc, const void *bytes, size_t len);

#define SHA256_SIZE 32

struct sha256 {
	uint32_t state[8];
	uint64_t len;
	uint8_t block[64];
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t len);
/* Writes the hash of all bytes added. Call sha256_init() before using sha again. */
void sha256_finish(struct sha256 *sha, uint8_t out[SHA256_SIZE]);
