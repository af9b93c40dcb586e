/* SPDX-License-Identifier: ISC */
/*
 * Bytes in, lines out. A line ends with "\n" or "\r\n". A line longer than the limit is
 * reported once and skipped to its end. Memory is freed when nothing is pending.
 */
#pragma once

#include "base/base.h"

/*
 * The id of a request that cannot be read: its line is not valid JSON, or longer than the limit.
 * Only bytes within strings may be wrong before the id; an id that stands twice, or could, is none.
 */

enum { LOST_ID_MAX = 1024 + 2 }; /* bytes of an id as JSON */

/* A walk over a line, in pieces of any size. All zeroes to begin with. */
struct lost_id {
	uint8_t place; /* where the next byte stands */
	bool is_escaped; /* a backslash is before it */
	bool is_id; /* the member is called id */
	size_t depth; /* of brackets */
	uint64_t brackets; /* of the innermost: a bit is set for [ */
	size_t known; /* bits of them: of more brackets than 64 the outer ones are forgotten */
	size_t text_len; /* of the string or value that is passed */
	size_t count; /* of members called id */
	size_t len;
	char text[LOST_ID_MAX + 1]; /* the id as JSON, if len > 0 */
	char last[4]; /* the last bytes, once the line is broken */
};

void lost_id_add(struct lost_id *lost, const char *bytes, size_t len);

/* The id as JSON text, a number or a string that may not be valid yet; NULL: none. Lent. */
const char *lost_id_get(const struct lost_id *lost);

struct line_input {
	struct buf buf;
	size_t start; /* of the line that comes next */
	size_t scanned; /* no newline from start up to here */
	size_t max_bytes; /* of a line, without its end */
	bool is_skipping; /* up to the next newline */
	bool wants_id; /* a line that is too long is reported at its end, with its id */
	struct lost_id *lost; /* of the line that is skipped, or was; NULL: none */
};

enum line_result {
	LINE_NONE, /* no whole line: more bytes are needed */
	LINE_FOUND,
	LINE_TOO_LONG, /* a line is skipped; the lost id of the input is that of it, if it wants one */
};

void line_input_init(struct line_input *input, size_t max_bytes);
void line_input_finish(struct line_input *input);

/* Ends the process if out of memory. */
void line_input_add(struct line_input *input, const void *bytes, size_t len);

/* The next line, NUL-terminated, without its end; lent until the next call of any of these. */
enum line_result line_input_next(struct line_input *input, const char **ret_line, size_t *ret_len);

/* After the last byte: the rest without a newline counts as a line too. */
enum line_result line_input_end(struct line_input *input, const char **ret_line, size_t *ret_len);

/* Whether a line has nothing but blanks: it means nothing. */
bool line_is_blank(const char *line, size_t len);

/* Whether there are bytes without a whole line yet. */
bool line_input_is_pending(const struct line_input *input);

/* Whether some bytes were not scanned yet: they may hold a whole line. */
bool line_input_has_unseen(const struct line_input *input);
