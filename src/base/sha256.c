/* SPDX-License-Identifier: ISC */
/* SHA-256. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
    0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
    0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3,
    0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354,
    0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
    0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
    0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

/* One step: the fourth word and the last one get their new values. */
static inline __attribute__((always_inline)) void mix(uint32_t a, uint32_t b, uint32_t c,
    uint32_t *d, uint32_t e, uint32_t f, uint32_t g, uint32_t *h, uint32_t word)
{
	uint32_t one = *h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + word;
	*d += one;
	*h = one + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));
}

static void add_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t words[64];
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5],
		 g = state[6], h = state[7];
	for (size_t i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		    (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = 16; i < 64; i++)
		words[i] = words[i - 16] + words[i - 7] +
		    (turn(words[i - 15], 7) ^ turn(words[i - 15], 18) ^ words[i - 15] >> 3) +
		    (turn(words[i - 2], 17) ^ turn(words[i - 2], 19) ^ words[i - 2] >> 10);
	/* Instead of moving the words up, each step gives them other names. */
	for (size_t i = 0; i < 64; i += 8) {
		mix(a, b, c, &d, e, f, g, &h, constants[i] + words[i]);
		mix(h, a, b, &c, d, e, f, &g, constants[i + 1] + words[i + 1]);
		mix(g, h, a, &b, c, d, e, &f, constants[i + 2] + words[i + 2]);
		mix(f, g, h, &a, b, c, d, &e, constants[i + 3] + words[i + 3]);
		mix(e, f, g, &h, a, b, c, &d, constants[i + 4] + words[i + 4]);
		mix(d, e, f, &g, h, a, b, &c, constants[i + 5] + words[i + 5]);
		mix(c, d, e, &f, g, h, a, &b, constants[i + 6] + words[i + 6]);
		mix(b, c, d, &e, f, g, h, &a, constants[i + 7] + words[i + 7]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void sha256_init(struct sha256 *sha)
{
	*sha = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
				   0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	while (len > 0) {
		size_t used = sha->len % sizeof sha->block, part = sizeof sha->block - used;
		if (part > len)
			part = len;
		memcpy(sha->block + used, at, part);
		sha->len += part;
		at += part;
		len -= part;
		if (used + part == sizeof sha->block)
			add_block(sha->state, sha->block);
	}
}

void sha256_finish(struct sha256 *sha, uint8_t out[SHA256_SIZE])
{
	static const uint8_t padding[64] = {0x80};
	uint64_t bits = sha->len * 8;
	uint8_t tail[8];
	for (size_t i = 0; i < 8; i++)
		tail[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(sha, padding, 1 + (119 - sha->len % 64) % 64);
	sha256_add(sha, tail, sizeof tail);
	for (size_t i = 0; i < SHA256_SIZE; i++)
		out[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}
