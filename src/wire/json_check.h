/* SPDX-License-Identifier: ISC */
/* The check that a line passes before yajl sees it. */
#ifndef WIRE_JSON_CHECK_H
#define WIRE_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_DEPTH_MAX 64
#define JSON_VALUES_MAX 262144 /* in one line: bounds the size of its tree */

struct json_error {
	size_t offset; /* in the line */
	char text[160]; /* says what is wrong; no newline */
};

/*
 * Whether a line is strict where yajl is not: UTF-8 without a BOM, surrogates in pairs, no
 * "\u0000", no control characters but JSON's white space, strings that end, depth up to
 * JSON_DEPTH_MAX, up to JSON_VALUES_MAX values. The grammar is left to yajl. Fills
 * *ret_error if not.
 */
bool json_check(const char *line, size_t len, struct json_error *ret_error);

/* Fills an error: what, where, and the next few bytes of the line made visible. */
void json_error_set(
    struct json_error *error, const char *line, size_t len, size_t offset, const char *what);

#endif
