/* SPDX-License-Identifier: ISC */
/* The escapes of %output lines: a backslash and three octal digits. */
#ifndef LIB_UNESCAPE_H
#define LIB_UNESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* Room that unescape() wants behind the last byte of its output. */
#define UNESCAPE_SLACK 64

/*
 * Decodes len bytes of src into dst, which has room for len + UNESCAPE_SLACK and does
 * not overlap. What is not a backslash and the digits of a byte stays as it is.
 * Returns the decoded length; bytes behind it up to the slack may be overwritten.
 */
size_t unescape(uint8_t *dst, const uint8_t *src, size_t len);

/* The same byte by byte: what unescape() must give; for tests and benches. */
size_t unescape_naive(uint8_t *dst, const uint8_t *src, size_t len);

/* The variants that this processor can run, ended by NULL; the first is what unescape() is. */
struct unescape_variant {
	const char *name;
	size_t (*run)(uint8_t *dst, const uint8_t *src, size_t len);
};
const struct unescape_variant *unescape_variants(void);

/* How many bytes at the end are the beginning of an escape that more could complete: 0 to 3. */
size_t unescape_tail(const uint8_t *src, size_t len);

#endif
