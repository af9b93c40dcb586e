/* SPDX-License-Identifier: ISC */
#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The character at the start: the first byte requires need bytes; have of them are valid. */
struct utf8_scan {
	size_t need; /* 0: not a first byte */
	size_t have;
};

/* The range of the second byte is narrower after some first bytes: no overlong, no surrogates. */
static struct utf8_scan scan(const uint8_t *p, size_t len)
{
	uint8_t low = 0x80, high = 0xbf;
	struct utf8_scan s = {.have = 1};
	if (p[0] < 0x80)
		s.need = 1;
	else if (p[0] >= 0xc2 && p[0] <= 0xdf)
		s.need = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		s.need = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		s.need = 4;
	switch (p[0]) {
	case 0xe0:
		low = 0xa0;
		break;
	case 0xed:
		high = 0x9f;
		break;
	case 0xf0:
		low = 0x90;
		break;
	case 0xf4:
		high = 0x8f;
		break;
	}
	while (s.have < s.need && s.have < len && p[s.have] >= low && p[s.have] <= high) {
		s.have++;
		low = 0x80;
		high = 0xbf;
	}
	return s;
}

/* The length of the ASCII prefix, in whole words: possibly too short. */
static size_t ascii_run(const uint8_t *p, size_t len)
{
	size_t i = 0;
#ifdef __SSE2__
	for (; i + 16 <= len; i += 16) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
		int mask = _mm_movemask_epi8(block);
		if (mask)
			return i + (size_t)__builtin_ctz((unsigned)mask);
	}
#endif
	for (; i + 8 <= len; i += 8) {
		uint64_t word;
		memcpy(&word, p + i, sizeof word);
		if (word & 0x8080808080808080u)
			return i;
	}
	return i;
}

size_t utf8_valid_prefix(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	size_t i = 0;
	while (i < len) {
		size_t char_len;
		if (p[i] < 0x80) {
			size_t run = ascii_run(p + i, len - i);
			i += run ? run : 1;
			continue;
		}
		char_len = utf8_char_len(p + i, len - i);
		if (char_len == 0)
			return i;
		i += char_len;
	}
	return i;
}

bool utf8_is_valid(const void *bytes, size_t len)
{
	return utf8_valid_prefix(bytes, len) == len;
}

int utf8_decode(const void *bytes, size_t len, uint32_t *ret_char)
{
	static const uint8_t lead_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	const uint8_t *p = bytes;
	uint32_t c;
	struct utf8_scan s;
	if (len == 0)
		return 0;
	s = scan(p, len);
	if (s.have < s.need && s.have == len)
		return -1;
	if (s.have != s.need)
		return 0;
	c = p[0] & lead_mask[s.need];
	for (size_t i = 1; i < s.need; i++)
		c = c << 6 | (p[i] & 0x3f);
	*ret_char = c;
	return (int)s.need;
}

bool utf8_part(const void *bytes, size_t len, size_t *ret_len)
{
	struct utf8_scan s = scan(bytes, len);
	*ret_len = s.have;
	return s.have == s.need;
}

int utf8_clean(struct buf *out, const void *bytes, size_t len, bool *lossy)
{
	const uint8_t *p = bytes;
	while (len) {
		size_t good = utf8_valid_prefix(p, len);
		int r = buf_append(out, p, good);
		size_t bad;
		if (r < 0)
			return r;
		p += good;
		len -= good;
		if (len == 0)
			break;
		(void)utf8_part(p, len, &bad);
		r = buf_append(out, "\xef\xbf\xbd", 3);
		if (r < 0)
			return r;
		*lossy = true;
		p += bad;
		len -= bad;
	}
	return 0;
}

size_t utf8_incomplete_tail(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		const uint8_t *lead = p + len - back;
		struct utf8_scan s;
		if ((*lead & 0xc0) == 0x80)
			continue;
		s = scan(lead, back);
		return s.have == back && s.have < s.need ? back : 0;
	}
	return 0;
}

size_t utf8_encode(uint32_t character, char out[4])
{
	static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0}; /* by the length */
	size_t len = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
	for (size_t at = len; at-- > 1; character >>= 6)
		out[at] = (char)(0x80 | (character & 0x3f));
	out[0] = (char)(heads[len] | character);
	return len;
}
