/* SPDX-License-Identifier: ISC */
/* Helpers for strings, such as numbers, ids, nearest names, visible text, base64 and lines. */
#pragma once

#include "base/buf.h"

/* Read decimal digits; i64: also behind a "-". Return false for another text, or out of range. */
bool str_parse_u64(const char *text, size_t len, uint64_t *ret_value);
bool str_parse_u32(const char *text, size_t len, uint32_t *ret_value);
bool str_parse_i64(const char *text, size_t len, int64_t *ret_value);

/* Reads an id such as "%12" with the sigil '%'. Returns false if the text is not an id. */
bool str_parse_id(const char *text, size_t len, char sigil, uint32_t *ret_id);

#define STR_U64_SIZE 21 /* bytes of the longest number with its NUL */

/* Writes a number with at least at_least digits (at most 20), and a NUL. Returns its length. */
size_t str_put_u64(char *out, uint64_t value, size_t at_least);

/* Returns the value of a hexadecimal digit, or -1. */
int str_hex_digit(char c);
/* Writes 2 * count hexadecimal digits and a NUL. */
void str_put_hex(char *out, const void *bytes, size_t count);

/* Returns the name that is most like text; NULL if none is similar enough. NULL ends names. */
const char *str_nearest(const char *text, const char *const *names);
/* Three arguments for "%s%s%s": '; did you mean "NEAREST"?', or other if nearest is NULL. */
#define STR_NEAREST(nearest, other)                                                            \
	(nearest) != NULL ? "; did you mean \"" : (other), (nearest) != NULL ? (nearest) : "", \
	    (nearest) != NULL ? "\"?" : ""

/*
 * Appends bytes as visible text: control characters, some invisible ones such as bidi controls, and
 * invalid UTF-8 become \n, \x1b, \u202e and the like. Returns 0 or an enum buf_error; out keeps
 * the part that was appended before the error.
 */
int str_append_visible(struct buf *out, const void *bytes, size_t len);

/* As str_append_visible(), but ASCII, with newlines and escape sequences, is unchanged. */
int str_append_lines(struct buf *out, const void *bytes, size_t len);

#define STR_SHOWN_MAX 100 /* maximum bytes of foreign text in a message */
#define STR_SHOWN_SIZE (STR_SHOWN_MAX + 4)

/* Returns a text for a message: cut to STR_SHOWN_MAX bytes, with "…" at the end if longer. */
const char *str_shown(const char *text, size_t len, char out[STR_SHOWN_SIZE]);

#define STR_REMARK_SIZE 320
/*
 * Writes, as one line, the reason that a program gave on standard error: its last group of lines
 * that are errors ("npm error …"), else its last line that is not blank, else "". Control
 * characters are made visible, and the end is cut if it does not fit.
 */
void str_remark(const char *said, size_t len, char out[STR_REMARK_SIZE]);

bool str_is_in(const char *text, const char *const *names); /* names ends with NULL */
bool str_ends_in(const char *text, const char *end);
const char *str_last_part(const char *path); /* the part behind the last slash, or all of path */

/* Returns the row of an array that begins with this name, or NULL. A row may have the name NULL. */
#define str_row(array, name)                    \
	((__typeof__(&(array)[0]))str_find_row( \
	    array, sizeof array / sizeof *array, sizeof *array, name))
const void *str_find_row(const void *rows, size_t count, size_t size, const char *name);

/* Writes a reason, cut to size. Returns -1. */
int str_refuse(char *ret_reason, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends RFC 4648 base64 with padding. Returns 0 or an enum buf_error. */
int base64_encode(struct buf *out, const void *bytes, size_t len);

#define BASE64_INVALID (-3)

/* Appends the decoded bytes, all or none. Returns 0, BASE64_INVALID or an enum buf_error. */
int base64_decode(struct buf *out, const char *text, size_t len);

/* Returns the length of the text without the blank lines at its end that have a newline. */
size_t text_trimmed_len(const uint8_t *text, size_t len);

/* Returns the offset at which the last `lines` lines begin; 0 if there are fewer. */
size_t text_last_lines(const uint8_t *text, size_t len, int64_t lines);

/* Returns the number of lines, including a last line without a newline. */
int64_t text_count_lines(const uint8_t *text, size_t len);
