/* SPDX-License-Identifier: ISC */
#include "lib/unescape.h"

#include <muxbus.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_VECTORS 1
#endif

static int read_escape(const uint8_t *src)
{
	if ((src[1] & ~3u) != '0' || (src[2] & ~7u) != '0' || (src[3] & ~7u) != '0')
		return -1;
	return (src[1] & 3) << 6 | (src[2] & 7) << 3 | (src[3] & 7);
}

size_t unescape_naive(uint8_t *dst, const uint8_t *src, size_t len)
{
	const uint8_t *end = src + len;
	uint8_t *out = dst;
	while (src < end) {
		int byte = *src == '\\' && end - src > 3 ? read_escape(src) : -1;
		if (byte < 0) {
			*out++ = *src++;
		} else {
			*out++ = (uint8_t)byte;
			src += 4;
		}
	}
	return (size_t)(out - dst);
}

size_t unescape_tail(const uint8_t *src, size_t len)
{
	if (len >= 1 && src[len - 1] == '\\')
		return 1;
	if (len >= 2 && src[len - 2] == '\\' && (src[len - 1] & ~3u) == '0')
		return 2;
	if (len >= 3 && src[len - 3] == '\\' && (src[len - 2] & ~3u) == '0' &&
	    (src[len - 1] & ~7u) == '0')
		return 3;
	return 0;
}

static size_t unescape_portable(uint8_t *dst, const uint8_t *src, size_t len)
{
	const uint8_t *end = src + len;
	uint8_t *out = dst;
	while (src < end) {
		const uint8_t *slash = memchr(src, '\\', (size_t)(end - src));
		size_t plain = (size_t)((slash == NULL ? end : slash) - src);
		int byte;
		memcpy(out, src, plain);
		out += plain;
		src += plain;
		if (slash == NULL)
			break;
		byte = end - src > 3 ? read_escape(src) : -1;
		*out++ = byte < 0 ? *src : (uint8_t)byte;
		src += byte < 0 ? 1 : 4;
	}
	return (size_t)(out - dst);
}

#ifdef HAVE_VECTORS

/* Each block of 64 bytes becomes a mask of 64 bits. */
#define BLOCK_BYTES 64

/* The bits of a little-endian escape that are the same in all escapes. */
#define ESCAPE_FIXED_MASK 0xf8f8fcffu
#define ESCAPE_FIXED 0x3030305cu
/* The bits of the three digits, and a factor that joins them from bit 24 on. */
#define ESCAPE_DIGITS_MASK 0x07070300u
#define ESCAPE_DIGITS_FACTOR (1u << 22 | 1u << 11 | 1u)

/*
 * The vector variants walk over the mask of the backslashes in each block. They copy whole blocks;
 * the next copy overwrites the excess. The portable variant handles the last bytes.
 */
struct vector_ops {
	uint64_t (*backslashes)(const uint8_t *src);
	void (*copy_block)(uint8_t *dst, const uint8_t *src);
};

static inline __attribute__((always_inline)) size_t walk(
    uint8_t *dst, const uint8_t *src, size_t len, const struct vector_ops *ops)
{
	uint8_t *out = dst;
	size_t place = 0;
	while (len - place >= 2 * BLOCK_BYTES) {
		const uint8_t *block = src + place;
		uint64_t mask = ops->backslashes(block);
		size_t done = 0;
		if (mask == 0) {
			ops->copy_block(out, block);
			out += BLOCK_BYTES;
			place += BLOCK_BYTES;
			continue;
		}
		do {
			size_t slash = (size_t)__builtin_ctzll(mask);
			uint32_t escape;
			mask &= mask - 1;
			memcpy(&escape, block + slash, sizeof escape);
			if (__builtin_expect((escape & ESCAPE_FIXED_MASK) != ESCAPE_FIXED, 0))
				continue;
			ops->copy_block(out, block + done);
			out += slash - done;
			*out++ = (uint8_t)((uint64_t)(escape & ESCAPE_DIGITS_MASK) *
				ESCAPE_DIGITS_FACTOR >>
			    24);
			done = slash + 4;
		} while (mask != 0);
		if (done < BLOCK_BYTES) {
			ops->copy_block(out, block + done);
			out += BLOCK_BYTES - done;
			done = BLOCK_BYTES;
		}
		place += done;
	}
	return (size_t)(out - dst) + unescape_portable(out, src + place, len - place);
}

static inline uint64_t backslashes_sse2(const uint8_t *src)
{
	const __m128i slash = _mm_set1_epi8('\\');
	uint64_t mask = 0;
	for (unsigned i = 0; i < 4; i++) {
		__m128i part = _mm_loadu_si128((const __m128i *)(const void *)(src + 16 * i));
		unsigned bits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(part, slash));
		mask |= (uint64_t)bits << 16 * i;
	}
	return mask;
}

static inline void copy_block_sse2(uint8_t *dst, const uint8_t *src)
{
	for (unsigned i = 0; i < 4; i++) {
		_mm_storeu_si128((__m128i *)(void *)(dst + 16 * i),
		    _mm_loadu_si128((const __m128i *)(const void *)(src + 16 * i)));
	}
}

static size_t unescape_sse2(uint8_t *dst, const uint8_t *src, size_t len)
{
	static const struct vector_ops ops = {backslashes_sse2, copy_block_sse2};
	return walk(dst, src, len, &ops);
}

#define AVX2 __attribute__((target("avx2,bmi")))

static inline AVX2 uint64_t backslashes_avx2(const uint8_t *src)
{
	const __m256i slash = _mm256_set1_epi8('\\');
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)src);
	__m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(src + 32));
	unsigned low_bits = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, slash));
	unsigned high_bits = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, slash));
	return (uint64_t)high_bits << 32 | low_bits;
}

static inline AVX2 void copy_block_avx2(uint8_t *dst, const uint8_t *src)
{
	_mm256_storeu_si256(
	    (__m256i *)(void *)dst, _mm256_loadu_si256((const __m256i *)(const void *)src));
	_mm256_storeu_si256((__m256i *)(void *)(dst + 32),
	    _mm256_loadu_si256((const __m256i *)(const void *)(src + 32)));
}

static AVX2 size_t unescape_avx2(uint8_t *dst, const uint8_t *src, size_t len)
{
	static const struct vector_ops ops = {backslashes_avx2, copy_block_avx2};
	return walk(dst, src, len, &ops);
}

#endif

static struct unescape_variant variants[5];

/* Runs when the program or library is loaded, so that no two threads write variants at once. */
__attribute__((constructor(101))) static void find_variants(void)
{
	struct unescape_variant *next = variants;
#ifdef HAVE_VECTORS
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
		*next++ = (struct unescape_variant){"avx2", unescape_avx2};
	*next++ = (struct unescape_variant){"sse2", unescape_sse2};
#endif
	*next++ = (struct unescape_variant){"portable", unescape_portable};
	*next++ = (struct unescape_variant){"naive", unescape_naive};
}

const struct unescape_variant *unescape_variants(void)
{
	return variants;
}

size_t unescape(uint8_t *dst, const uint8_t *src, size_t len)
{
	return variants[0].run(dst, src, len);
}

/* muxbus_unescape() decodes into pieces of this size, which stay in the cache. */
#define PIECE_BYTES 4096

/* out may equal in: decoding makes no text longer, so a write does not overtake the reads. */
size_t muxbus_unescape(uint8_t *out, const uint8_t *in, size_t len)
{
	uint8_t piece[PIECE_BYTES + UNESCAPE_SLACK];
	size_t read = 0;
	size_t written = 0;
	while (read < len) {
		size_t take = len - read;
		size_t got;
		if (take > PIECE_BYTES)
			take = PIECE_BYTES - unescape_tail(in + read, PIECE_BYTES);
		got = unescape(piece, in + read, take);
		memcpy(out + written, piece, got);
		read += take;
		written += got;
	}
	return written;
}
