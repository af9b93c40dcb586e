/* SPDX-License-Identifier: ISC */
/*
 * The id of a request that cannot be read: its line is not valid JSON, or longer than the limit.
 * Only bytes within strings may be wrong before the id; an id that stands twice, or could, is none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOST_ID_MAX = 1024 + 2 }; /* bytes of an id as JSON */

/* A walk over a line, in pieces of any size. All zeroes to begin with. */
struct lost_id {
	uint8_t place; /* where the next byte stands */
	bool is_escaped; /* a backslash is before it */
	bool is_id; /* the member is called id */
	size_t depth; /* of brackets */
	uint64_t brackets; /* the innermost 64: a bit is set for [ */
	size_t text_len; /* of the string or value that is passed */
	size_t count; /* of members called id */
	size_t len;
	char text[LOST_ID_MAX + 1]; /* the id as JSON, if len > 0 */
	char last[4]; /* bytes, once the line is broken */
};

void lost_id_add(struct lost_id *lost, const char *bytes, size_t len);

/* The id as JSON text, a number or a string that may not be valid yet; NULL: none. Lent. */
const char *lost_id_get(const struct lost_id *lost);
