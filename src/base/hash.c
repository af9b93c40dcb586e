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
