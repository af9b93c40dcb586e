/* SPDX-License-Identifier: ISC */
/* The escapes of %output lines: a backslash and three octal digits. */
#pragma once

#include "base/base.h"

/* The room that unescape() needs after the last byte of its output. */
#define UNESCAPE_SLACK 64

/*
 * Decodes len bytes of src into dst, which has room for len + UNESCAPE_SLACK and does not
 * overlap. Invalid escapes stay as they are. Returns the decoded length; later bytes up to the
 * slack may be overwritten.
 */
size_t unescape(uint8_t *dst, const uint8_t *src, size_t len);

/* The same byte by byte: the reference for tests and benches. */
size_t unescape_naive(uint8_t *dst, const uint8_t *src, size_t len);

/* The variants for this processor, ended by NULL; unescape() is the first. */
struct unescape_variant {
	const char *name;
	size_t (*run)(uint8_t *dst, const uint8_t *src, size_t len);
};
const struct unescape_variant *unescape_variants(void);

/* How many bytes at the end are the beginning of an incomplete escape: 0 to 3. */
size_t unescape_tail(const uint8_t *src, size_t len);
