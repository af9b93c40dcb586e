/* SPDX-License-Identifier: ISC */
/* The check of a line before yajl sees it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define JSON_DEPTH_MAX 64
#define JSON_VALUES_MAX 262144 /* in one line: bounds the size of its tree */

struct json_error {
	size_t offset; /* in the line */
	char text[160]; /* the error; no newline */
};

/*
 * Checks where yajl is not strict: UTF-8 without a BOM, surrogates in pairs, no "\u0000",
 * no control characters but JSON's white space, strings that end, depth up to
 * JSON_DEPTH_MAX, up to JSON_VALUES_MAX values. yajl checks the grammar. Returns false and
 * fills *ret_error if the check fails.
 */
bool json_check(const char *line, size_t len, struct json_error *ret_error);

/* Fills an error: its text, the offset, and the next few bytes in visible form. */
void json_error_set(
    struct json_error *error, const char *line, size_t len, size_t offset, const char *what);
