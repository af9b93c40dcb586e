/* SPDX-License-Identifier: ISC */
/* SipHash-1-3 has one round for each word of the text, and three rounds at the end. */
#include "base/hash.h"

#include <endian.h>
#include <sys/random.h>

#include "base/clock.h"

struct sip {
	uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static void sip_round(struct sip *sip)
{
	sip->a += sip->b;
	sip->c += sip->d;
	sip->b = rotate(sip->b, 13) ^ sip->a;
	sip->d = rotate(sip->d, 16) ^ sip->c;
	sip->a = rotate(sip->a, 32);
	sip->c += sip->b;
	sip->a += sip->d;
	sip->b = rotate(sip->b, 17) ^ sip->c;
	sip->d = rotate(sip->d, 21) ^ sip->a;
	sip->c = rotate(sip->c, 32);
}

static void sip_word(struct sip *sip, uint64_t word)
{
	sip->d ^= word;
	sip_round(sip);
	sip->a ^= word;
}

uint64_t hash_with_key(const struct hash_key *key, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	struct sip sip = {.a = key->words[0] ^ UINT64_C(0x736f6d6570736575),
	    .b = key->words[1] ^ UINT64_C(0x646f72616e646f6d),
	    .c = key->words[0] ^ UINT64_C(0x6c7967656e657261),
	    .d = key->words[1] ^ UINT64_C(0x7465646279746573)};
	uint64_t word;
	for (size_t left = len; left >= sizeof word; left -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		sip_word(&sip, le64toh(word));
	}
	/* The last word: the remaining bytes of the text, and its length. */
	word = 0;
	if (len % sizeof word > 0)
		memcpy(&word, at, len % sizeof word);
	sip_word(&sip, le64toh(word) | (uint64_t)len << 56);
	sip.c ^= 0xff;
	for (unsigned round = 0; round < 3; round++)
		sip_round(&sip);
	return sip.a ^ sip.b ^ sip.c ^ sip.d;
}

static struct hash_key own_key;

/* Runs when the program or library is loaded, so that all threads use the same key. */
static void __attribute__((constructor)) draw_key(void)
{
	/* Use the time if there are no random numbers yet. */
	if (getrandom(&own_key, sizeof own_key, GRND_NONBLOCK) != sizeof own_key)
		own_key.words[0] = (uint64_t)clock_real_ms() ^ (uint64_t)clock_mono_us() << 20;
}

uint64_t hash_bytes(const void *bytes, size_t len)
{
	return hash_with_key(&own_key, bytes, len);
}

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

/* CRC table for four bits, reflected polynomial 0x82f63b78. */
static const uint32_t remainders[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc,
    0x5125dad3, 0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4,
    0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

uint32_t crc32c_portable(uint32_t crc, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	crc = ~crc;
	for (; len > 0; len--, p++) {
		crc = (crc >> 4) ^ remainders[(crc ^ *p) & 15];
		crc = (crc >> 4) ^ remainders[(crc ^ (uint32_t)(*p >> 4)) & 15];
	}
	return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(
    uint32_t crc, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint64_t wide = ~crc;
	for (; len >= 8; p += 8, len -= 8) {
		uint64_t word;
		memcpy(&word, p, sizeof word);
		wide = _mm_crc32_u64(wide, word);
	}
	crc = (uint32_t)wide;
	for (; len > 0; len--, p++)
		crc = _mm_crc32_u8(crc, *p);
	return ~crc;
}
#endif

uint32_t crc32c(uint32_t crc, const void *bytes, size_t len)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(crc, bytes, len);
#endif
	return crc32c_portable(crc, bytes, len);
}

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

/* One round of SHA-256: sets the new values of d and h. */
static inline __attribute__((always_inline)) void mix(uint32_t a, uint32_t b, uint32_t c,
    uint32_t *d, uint32_t e, uint32_t f, uint32_t g, uint32_t *h, uint32_t word)
{
	uint32_t one = *h + word + (g ^ (e & (f ^ g))) + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25));
	*d += one;
	*h = one + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (b ^ ((a ^ b) & (b ^ c)));
}

static inline __attribute__((always_inline)) void mix_block(uint32_t state[8], const uint8_t *block)
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
	/* Each round passes the eight words in rotated order, instead of moving them. */
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

#if defined(__x86_64__)
/* mix_block() compiled for AVX2 and BMI2, with fewer instructions. */
__attribute__((target("avx2,bmi2"))) static void mix_block_bmi2(
    uint32_t state[8], const uint8_t *block)
{
	mix_block(state, block);
}
#endif

static void add_block(uint32_t state[8], const uint8_t *block)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
		mix_block_bmi2(state, block);
		return;
	}
#endif
	mix_block(state, block);
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
	uint64_t bits = htobe64(sha->len * 8);
	sha256_add(sha, padding, 1 + (119 - sha->len % 64) % 64);
	sha256_add(sha, &bits, sizeof bits);
	for (size_t i = 0; i < 8; i++)
		sha->state[i] = htobe32(sha->state[i]);
	memcpy(out, sha->state, SHA256_SIZE);
}
