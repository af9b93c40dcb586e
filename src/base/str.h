/* SPDX-License-Identifier: ISC */
/* String helpers: numbers, ids, nearest names, base64, making bytes visible. */
#pragma once

#include "base/buf.h"

/* Accepts only decimal digits, within the range of the type. False otherwise. */
bool str_parse_u64(const char *text, size_t len, uint64_t *ret_value);
bool str_parse_u32(const char *text, size_t len, uint32_t *ret_value);
bool str_parse_i64(const char *text, size_t len, int64_t *ret_value);

/* "%12" with sigil '%': the id. */
bool str_parse_id(const char *text, size_t len, char sigil, uint32_t *ret_id);

#define STR_U64_SIZE 21 /* of the longest, with its NUL */

/* Writes at_least (20 at most) or more decimal digits, and a NUL. Returns the digits' count. */
size_t str_put_u64(char *out, uint64_t value, size_t at_least);

/* The value of a hexadecimal digit, or -1. */
int str_hex_digit(char c);
/* Writes each byte as two hexadecimal digits, and a NUL: 2 * count + 1 bytes. */
void str_put_hex(char *out, const void *bytes, size_t count);

/*
 * The name in a NULL-ended list that is nearest to text by edit distance; NULL if none
 * is near enough to suggest.
 */
const char *str_nearest(const char *text, const char *const *names);

/*
 * Appends bytes as visible text: control characters (C0, DEL, C1), line separators, bidi
 * controls and invalid UTF-8 become \n, \t, \x1b, \u202e and the like. If the buffer
 * becomes full, it holds the part that fitted.
 */
int str_append_visible(struct buf *out, const void *bytes, size_t len);

/*
 * Appends text whose lines and escape sequences are to stay: all of ASCII as it is, the other
 * unseen characters as str_append_visible() has them. Returns 0 or an enum buf_error.
 */
int str_append_lines(struct buf *out, const void *bytes, size_t len);

#define STR_SHOWN_MAX 100 /* bytes of a foreign text that a message repeats */
#define STR_SHOWN_SIZE (STR_SHOWN_MAX + 4)

/* A text as a message repeats it: a longer one is cut at a character and ends with "…". */
const char *str_shown(const char *text, size_t len, char out[STR_SHOWN_SIZE]);

/* Whether a text is one of the names, which NULL ends; and whether it ends in another. */
bool str_is_in(const char *text, const char *const *names);
bool str_ends_in(const char *text, const char *end);

/* Writes a reason, cut to size, and returns -1 for the caller to return. */
int str_refuse(char *ret_reason, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends RFC 4648 base64 with padding. */
int base64_encode(struct buf *out, const void *bytes, size_t len);

#define BASE64_INVALID (-3)

/* Appends the decoded bytes, all or none; BASE64_INVALID for invalid base64. */
int base64_decode(struct buf *out, const char *text, size_t len);

/* The length of the text without the blank lines at its end. */
size_t text_trimmed_len(const uint8_t *text, size_t len);

/* Where the last `lines` lines begin. */
size_t text_last_lines(const uint8_t *text, size_t len, int64_t lines);

/* A last line without a newline counts too. */
int64_t text_count_lines(const uint8_t *text, size_t len);
