/* SPDX-License-Identifier: ISC */
/*
 * The escaper. Each short stretch is written where its longest result fits: after the
 * output, or on the stack if the output is nearly full. Blocks are copied whole; if a block
 * has a special byte, the output continues after the plain bytes before it.
 */
#include "wire/json.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/utf8.h"

#define BLOCK_BYTES 16
#define STRETCH_BYTES 512
#define GROWTH_MAX 6 /* one byte may become "\u001b" */
/* The last character may extend three bytes past the stretch; a block, past the output. */
#define ROOM_BYTES ((STRETCH_BYTES + 3) * GROWTH_MAX + BLOCK_BYTES)

/* A walk over the bytes. */
struct escape {
	const uint8_t *from;
	const uint8_t *end;
	uint8_t *to;
	bool is_lossy;
};

/* Copies plain bytes, up to stop or the first special byte. */
static inline void copy_plain(struct escape *e, const uint8_t *stop)
{
	const uint8_t *from = e->from;
	uint8_t *to = e->to;
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i backslash = _mm_set1_epi8('\\');
	const __m128i space = _mm_set1_epi8(0x20);
	const __m128i del = _mm_set1_epi8(0x7f);
	while (e->end - from >= BLOCK_BYTES && from < stop) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)from);
		__m128i special;
		unsigned mask;
		_mm_storeu_si128((__m128i *)(void *)to, block);
		/* The comparison is signed: it finds bytes below a space and bytes beyond ASCII. */
		special = _mm_or_si128(
		    _mm_or_si128(_mm_cmplt_epi8(block, space), _mm_cmpeq_epi8(block, del)),
		    _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)));
		mask = (unsigned)_mm_movemask_epi8(special);
		if (mask) {
			unsigned good = (unsigned)__builtin_ctz(mask);
			e->from = from + good;
			e->to = to + good;
			return;
		}
		from += BLOCK_BYTES;
		to += BLOCK_BYTES;
	}
#endif
	while (from < stop && *from >= 0x20 && *from < 0x7f && *from != '"' && *from != '\\')
		*to++ = *from++;
	e->from = from;
	e->to = to;
}

/* Writes "\uXXXX". */
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

/* The characters with a short escape. */
static const char letters[128] = {['\n'] = 'n',
    ['\t'] = 't',
    ['\r'] = 'r',
    ['\b'] = 'b',
    ['\f'] = 'f',
    ['"'] = '"',
    ['\\'] = '\\'};

/* Writes a control character, a quote, a backslash or DEL. */
static inline void put_ascii(struct escape *e)
{
	unsigned c = *e->from++;
	if (!letters[c]) {
		put_unit(e, c);
		return;
	}
	*e->to++ = '\\';
	*e->to++ = letters[c];
}

/* Whether a character of two or three bytes is a C1 control, a line separator or a bidi control. */
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

/* Writes the replacement of invalid bytes or of an unwelcome character. */
static void put_instead(struct escape *e)
{
	size_t len;
	if (utf8_part(e->from, (size_t)(e->end - e->from), &len)) {
		uint32_t c = 0;
		(void)utf8_decode(e->from, len, &c); /* it is valid */
		put_unit(e, c);
	} else {
		e->is_lossy = true;
		memcpy(e->to, "\xef\xbf\xbd", 3);
		e->to += 3;
	}
	e->from += len;
}

/* Copies a run of characters beyond ASCII. */
static inline void copy_beyond_ascii(struct escape *e, const uint8_t *stop)
{
	const uint8_t *from = e->from;
	uint8_t *to = e->to;
	while (from < stop && *from >= 0x80) {
		size_t left = (size_t)(e->end - from);
		size_t len = utf8_char_len(from, left);
		if (len == 0 || is_unwelcome(from))
			break;
		/* Copy four bytes if there are four: the next write overwrites the excess. */
		memcpy(to, from, left < 4 ? len : 4);
		from += len;
		to += len;
	}
	e->from = from;
	e->to = to;
}

/* Escapes up to stop. Needs room for GROWTH_MAX times as much, and the rest of ROOM_BYTES. */
static void escape_stretch(struct escape *e, const uint8_t *stop)
{
	while (e->from < stop) {
		copy_plain(e, stop);
		if (e->from >= stop)
			break;
		if (*e->from < 0x80) {
			put_ascii(e);
			continue;
		}
		copy_beyond_ascii(e, stop);
		if (e->from < stop && *e->from >= 0x80)
			put_instead(e);
	}
}

/* Escapes up to stop into an output that may be too small. */
static __attribute__((noinline)) int append_stretch(
    struct escape *e, const uint8_t *stop, struct buf *out)
{
	uint8_t room[ROOM_BYTES];
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
		r = buf_reserve(out, (stretch + 3) * GROWTH_MAX + BLOCK_BYTES);
		if (r == BUF_FULL) {
			r = append_stretch(&e, e.from + stretch, out);
		} else if (r == 0) {
			e.to = out->data + out->len;
			escape_stretch(&e, e.from + stretch);
			out->len = (size_t)(e.to - out->data);
		}
	}
	if (r < 0)
		out->len = start; /* all or nothing */
	if (out->data)
		out->data[out->len] = '\0';
	if (r == 0 && e.is_lossy)
		*lossy = true;
	return r;
}

/* The size of one character or of invalid bytes when escaped; ret_len is the size before. */
static size_t escaped_size(const uint8_t *p, size_t len, size_t *ret_len)
{
	*ret_len = 1;
	if (*p < 0x80) {
		if (letters[*p])
			return 2;
		return *p < 0x20 || *p == 0x7f ? 6 : 1;
	}
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
