/* SPDX-License-Identifier: ISC */
/* Decodes the escapes of %output lines: a backslash and three octal digits. */
#pragma once

#include "base/base.h"

/* Room that unescape() needs behind its output. */
#define UNESCAPE_SLACK 64

/*
 * Decodes len bytes of src into dst, which has room for len + UNESCAPE_SLACK bytes and does not
 * overlap src. Invalid escapes are copied. Returns the length of the output; the bytes behind it
 * may be overwritten.
 */
size_t unescape(uint8_t *dst, const uint8_t *src, size_t len);

/* As unescape(), but byte by byte and without slack: the reference for tests and benchmarks. */
size_t unescape_naive(uint8_t *dst, const uint8_t *src, size_t len);

/* The variants for this processor; the name NULL ends them. unescape() uses the first. */
struct unescape_variant {
	const char *name;
	size_t (*run)(uint8_t *dst, const uint8_t *src, size_t len);
};
const struct unescape_variant *unescape_variants(void);

/* Returns the length of an incomplete escape at the end: 0 to 3. */
size_t unescape_tail(const uint8_t *src, size_t len);
