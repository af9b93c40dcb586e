/* SPDX-License-Identifier: ISC */
/*
 * Escapes text in stretches, directly behind the output, or on the stack first if the output may
 * have too little room. With SSE2, a block is copied whole. If an ASCII byte of the block needs an
 * escape, the escape overwrites the copy of the byte, and the rest of the block is copied again
 * behind the escape.
 */
#include "wire/json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK_BYTES 16
#define STRETCH_BYTES 512
#define GROWTH_MAX 6 /* bytes of the longest escape, such as "\u001b" */
/* The last block may extend beyond the stretch, and its copy beyond the output. */
#define ROOM_OF(stretch) (((stretch) + BLOCK_BYTES) * GROWTH_MAX + BLOCK_BYTES)

struct escape {
	const uint8_t *from, *end;
	uint8_t *to;
	bool is_lossy;
};

/* The escapes of ASCII characters; len 0: none. NUL becomes U+FFFD: our readers refuse \u0000. */
struct ascii_escape {
	char text[GROWTH_MAX], unused;
	uint8_t len;
};
#define UNIT(high, low)                                \
	{                                              \
		{'\\', 'u', '0', '0', high, low}, 0, 6 \
	}
#define SHORT(letter)                \
	{                            \
		{'\\', letter}, 0, 2 \
	}
static const struct ascii_escape ascii_escapes[128] = {{"\xef\xbf\xbd", 0, 3}, UNIT('0', '1'),
    UNIT('0', '2'), UNIT('0', '3'), UNIT('0', '4'), UNIT('0', '5'), UNIT('0', '6'), UNIT('0', '7'),
    SHORT('b'), SHORT('t'), SHORT('n'), UNIT('0', 'b'), SHORT('f'), SHORT('r'), UNIT('0', 'e'),
    UNIT('0', 'f'), UNIT('1', '0'), UNIT('1', '1'), UNIT('1', '2'), UNIT('1', '3'), UNIT('1', '4'),
    UNIT('1', '5'), UNIT('1', '6'), UNIT('1', '7'), UNIT('1', '8'), UNIT('1', '9'), UNIT('1', 'a'),
    UNIT('1', 'b'), UNIT('1', 'c'), UNIT('1', 'd'), UNIT('1', 'e'),
    UNIT('1', 'f'), ['"'] = SHORT('"'), ['\\'] = SHORT('\\'), [0x7f] = UNIT('7', 'f')};

static inline uint8_t *put_ascii(uint8_t *to, uint8_t c)
{
	const struct ascii_escape *escape = &ascii_escapes[c];
	memcpy(to, escape, sizeof *escape); /* the next write overwrites the bytes beyond len */
	return to + escape->len;
}

static inline void put_unit(struct escape *e, unsigned unit)
{
	static const char digits[] = "0123456789abcdef";
	memcpy(e->to, "\\u", 2);
	e->to[2] = digits[unit >> 12 & 15];
	e->to[3] = digits[unit >> 8 & 15];
	e->to[4] = digits[unit >> 4 & 15];
	e->to[5] = digits[unit & 15];
	e->to += 6;
}

#ifdef __SSE2__
/* Returns a mask of the bytes that need an escape or are not ASCII. */
static inline unsigned special_bytes(__m128i block)
{
	/* The comparison is signed, so bytes from 0x80 on are negative: less than a space. */
	__m128i special = _mm_or_si128(
	    _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)), _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f)));
	special = _mm_or_si128(special, _mm_cmpeq_epi8(block, _mm_set1_epi8('"')));
	special = _mm_or_si128(special, _mm_cmpeq_epi8(block, _mm_set1_epi8('\\')));
	return (unsigned)_mm_movemask_epi8(special);
}

static inline void copy_block(uint8_t *to, const uint8_t *from)
{
	_mm_storeu_si128(
	    (__m128i *)(void *)to, _mm_loadu_si128((const __m128i *)(const void *)from));
}

/* Escapes blocks of ASCII. A copy reads up to one block beyond its own block. */
static inline void escape_blocks(struct escape *e, const uint8_t *stop)
{
	const uint8_t *from = e->from;
	uint8_t *to = e->to;
	while (from < stop && e->end - from >= 2 * BLOCK_BYTES) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)from);
		unsigned mask = special_bytes(block);
		const uint8_t *rest = from;
		_mm_storeu_si128((__m128i *)(void *)to, block);
		for (; mask != 0; mask &= mask - 1) {
			const uint8_t *at = from + __builtin_ctz(mask);
			to += at - rest;
			rest = at;
			if (*at >= 0x80)
				break;
			to = put_ascii(to, *at);
			e->is_lossy |= *at == 0;
			copy_block(to, ++rest);
		}
		if (mask != 0) {
			e->from = rest;
			e->to = to;
			return;
		}
		from += BLOCK_BYTES;
		to += from - rest;
	}
	e->from = from;
	e->to = to;
}
#endif

/* Escapes ASCII until stop or the first other byte. May pass stop up to the end of a block. */
static inline void escape_ascii(struct escape *e, const uint8_t *stop)
{
#ifdef __SSE2__
	escape_blocks(e, stop);
#endif
	while (e->from < stop && *e->from < 0x80) {
		uint8_t c = *e->from++;
		e->is_lossy |= c == 0;
		if (ascii_escapes[c].len == 0)
			*e->to++ = c;
		else
			e->to = put_ascii(e->to, c);
	}
}

/* Returns true if a character is a C1 control, line or paragraph separator, or bidi control. */
static inline bool is_unwelcome(const uint8_t *p)
{
	if (p[0] == 0xc2)
		return p[1] < 0xa0;
	if (p[0] == 0xd8)
		return p[1] == 0x9c;
	if (p[0] != 0xe2)
		return false;
	return (p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae))) ||
	    (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

static void put_instead(struct escape *e)
{
	size_t len;
	if (utf8_part(e->from, (size_t)(e->end - e->from), &len)) {
		uint32_t c = 0;
		(void)utf8_decode(e->from, len, &c);
		put_unit(e, c);
	} else {
		e->is_lossy = true;
		memcpy(e->to, "\xef\xbf\xbd", 3);
		e->to += 3;
	}
	e->from += len;
}

static inline void copy_beyond_ascii(struct escape *e, const uint8_t *stop)
{
	const uint8_t *from = e->from;
	uint8_t *to = e->to;
	while (from < stop && *from >= 0x80) {
		size_t left = (size_t)(e->end - from), len = utf8_char_len(from, left);
		if (len == 0 || is_unwelcome(from))
			break;
		/* Copying four bytes is faster: the next write overwrites the excess. */
		memcpy(to, from, left < 4 ? len : 4);
		from += len;
		to += len;
	}
	e->from = from;
	e->to = to;
}

/* Escapes until stop or a little further, in whole blocks. Needs ROOM_OF() bytes of output. */
static void escape_stretch(struct escape *e, const uint8_t *stop)
{
	while (e->from < stop) {
		escape_ascii(e, stop);
		copy_beyond_ascii(e, stop);
		if (e->from < stop && *e->from >= 0x80)
			put_instead(e);
	}
}

static __attribute__((noinline)) int append_stretch(
    struct escape *e, const uint8_t *stop, struct buf *out)
{
	uint8_t room[ROOM_OF(STRETCH_BYTES)];
	e->to = room;
	escape_stretch(e, stop);
	return buf_append(out, room, (size_t)(e->to - room));
}

int json_escape(struct buf *out, const void *bytes, size_t len, bool *lossy)
{
	struct escape e = {.from = bytes, .end = (const uint8_t *)bytes + len};
	size_t start = out->len;
	int r = buf_reserve(out, len < out->max - start ? len : 0);
	while (r == 0 && e.from < e.end) {
		size_t left = (size_t)(e.end - e.from);
		size_t stretch = left < STRETCH_BYTES ? left : STRETCH_BYTES;
		r = buf_reserve(out, ROOM_OF(stretch));
		if (r == BUF_FULL) {
			r = append_stretch(&e, e.from + stretch, out);
		} else if (r == 0) {
			e.to = out->data + out->len;
			escape_stretch(&e, e.from + stretch);
			out->len = (size_t)(e.to - out->data);
		}
	}
	if (r < 0)
		out->len = start;
	if (out->data)
		out->data[out->len] = '\0';
	if (r == 0 && e.is_lossy)
		*lossy = true;
	return r;
}

/* Returns the escaped size of a character or invalid bytes; their own size is *ret_len. */
static size_t escaped_size(const uint8_t *p, size_t len, size_t *ret_len)
{
	*ret_len = 1;
	if (*p < 0x80)
		return ascii_escapes[*p].len > 0 ? ascii_escapes[*p].len : 1;
	if (!utf8_part(p, len, ret_len))
		return 3;
	return is_unwelcome(p) ? 6 : *ret_len;
}

size_t json_escape_fit(const void *bytes, size_t len, size_t room, size_t *ret_escaped)
{
	const uint8_t *p = bytes;
	size_t at = 0, part;
	*ret_escaped = 0;
	while (at < len) {
		size_t size = escaped_size(p + at, len - at, &part);
		if (size > room - *ret_escaped)
			break;
		*ret_escaped += size;
		at += part;
	}
	return at;
}
