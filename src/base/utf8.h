/* SPDX-License-Identifier: ISC */
/* UTF-8 as in RFC 3629 (no overlong forms, no surrogates), and the width of text in cells. */
#pragma once

#include "base/buf.h"

size_t utf8_valid_prefix(const void *bytes, size_t len);
bool utf8_is_valid(const void *bytes, size_t len);

/* Returns the length of the valid non-ASCII character at the start, or 0. */
static inline size_t utf8_char_len(const uint8_t *p, size_t len)
{
	if (len >= 2 && p[0] >= 0xc2 && p[0] < 0xe0)
		return (p[1] & 0xc0) == 0x80 ? 2 : 0;
	if (len >= 3 && (p[0] & 0xf0) == 0xe0) {
		unsigned bits = (p[0] & 15u) << 6 | (p[1] & 63u); /* without the last 6 bits */
		bool is_whole = (p[1] & 0xc0) == 0x80 && (p[2] & 0xc0) == 0x80;
		return is_whole && bits >= 0x20 && (bits < 0x360 || bits > 0x37f) ? 3 : 0;
	}
	if (len >= 4 && (p[0] & 0xf8) == 0xf0) {
		unsigned bits = (p[0] & 7u) << 6 | (p[1] & 63u); /* without the last 12 bits */
		bool is_whole =
		    (p[1] & 0xc0) == 0x80 && (p[2] & 0xc0) == 0x80 && (p[3] & 0xc0) == 0x80;
		return is_whole && bits >= 0x10 && bits < 0x110 ? 4 : 0;
	}
	return 0;
}

/* Returns the length of the first character; 0 if invalid or len is 0; -1 if incomplete. */
int utf8_decode(const void *bytes, size_t len, uint32_t *ret_char);

/* Writes a code point that is not a surrogate. Returns its length in bytes. */
size_t utf8_encode(uint32_t character, char out[4]);

/*
 * Measures the character at the start of len > 0 bytes. Returns true with the length of the
 * character. If it is invalid or incomplete, returns false with the number of bytes that one U+FFFD
 * replaces.
 */
bool utf8_part(const void *bytes, size_t len, size_t *ret_len);

/*
 * Appends bytes with U+FFFD for each invalid part. Sets *lossy to true if there is one, else leaves
 * it unchanged. Returns 0 or an enum buf_error.
 */
int utf8_clean(struct buf *out, const void *bytes, size_t len, bool *lossy);

/* Returns the number of bytes at the end (0 to 3) that begin an incomplete character. */
size_t utf8_incomplete_tail(const void *bytes, size_t len);

/* Returns the width in terminal cells. Control characters and invalid bytes count as one cell. */
size_t utf8_cells(const void *bytes, size_t len);
