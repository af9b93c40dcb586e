/* SPDX-License-Identifier: ISC */
/* SipHash-1-3: one round for each word of the text, three at the end. */
#include "base/hash.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>
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
	struct sip sip = {
	    .a = key->words[0] ^ UINT64_C(0x736f6d6570736575),
	    .b = key->words[1] ^ UINT64_C(0x646f72616e646f6d),
	    .c = key->words[0] ^ UINT64_C(0x6c7967656e657261),
	    .d = key->words[1] ^ UINT64_C(0x7465646279746573),
	};
	uint64_t word;
	for (size_t left = len; left >= sizeof word; left -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		sip_word(&sip, le64toh(word));
	}
	/* The last word: what is left of the text, and its length. */
	word = 0;
	if (len % sizeof word > 0)
		memcpy(&word, at, len % sizeof word);
	sip_word(&sip, le64toh(word) | (uint64_t)len << 56);
	sip.c ^= 0xff;
	for (unsigned round = 0; round < 3; round++)
		sip_round(&sip);
	return sip.a ^ sip.b ^ sip.c ^ sip.d;
}

uint64_t hash_bytes(const void *bytes, size_t len)
{
	static struct hash_key key;
	static bool is_drawn;
	if (!is_drawn) {
		/* Without random numbers the time has to do. */
		if (getrandom(&key, sizeof key, GRND_NONBLOCK) != sizeof key)
			key.words[0] = (uint64_t)clock_real_ms() ^ (uint64_t)clock_mono_us() << 20;
		is_drawn = true;
	}
	return hash_with_key(&key, bytes, len);
}

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

/* The remainders of the sixteen values of four bits, reflected polynomial 0x82f63b78. */
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
