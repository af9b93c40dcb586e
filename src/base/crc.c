/* SPDX-License-Identifier: ISC */
/* CRC-32C: by processor instructions if available, else half a byte at a time. */
#include "base/crc.h"

#include <string.h>
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
