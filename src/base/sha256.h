/* SPDX-License-Identifier: ISC */
/* SHA-256 (FIPS 180-4), for chains of records that show when one was changed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32

struct sha256 {
	uint32_t state[8];
	uint64_t len; /* bytes so far */
	uint8_t block[64];
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t len);
void sha256_finish(struct sha256 *sha, uint8_t out[SHA256_SIZE]);
