/* SPDX-License-Identifier: ISC */
/* Splits bytes into lines ("\n" or "\r\n"). Skips a line that is too long, but can find its id. */
#pragma once

#include "base/base.h"

enum { LOST_ID_MAX = 1024 + 2 }; /* bytes of an id as JSON text */

/* Finds the id of a request line that is too long or invalid, in pieces. Begins as all zeros. */
struct lost_id {
	uint8_t place; /* enum place of the next byte */
	bool is_escaped; /* the last byte is an escaping backslash */
	bool is_id; /* the current member is called "id" */
	size_t depth; /* number of open brackets in the current value */
	uint64_t brackets; /* bits of the innermost 64, innermost lowest: 1 for [, 0 for { */
	size_t known; /* valid bits in brackets, at most 64 */
	size_t text_len; /* bytes so far of the current name or value */
	size_t count; /* number of names that are or may be "id" */
	size_t len;
	char text[LOST_ID_MAX + 1]; /* the id as JSON text if len > 0 */
	char last[4]; /* the last bytes after an error */
};

void lost_id_add(struct lost_id *lost, const char *bytes, size_t len);

/*
 * Returns the text of the id, lent: a number, string or word, which may be invalid JSON. NULL if
 * there is no whole id, if the id is too long, an array or an object, or if several names may be
 * "id".
 */
const char *lost_id_get(const struct lost_id *lost);

struct line_input {
	struct buf buf;
	size_t start; /* offset of the next line */
	size_t scanned; /* no newline is between start and this offset */
	size_t max_bytes; /* of a line without its newline */
	bool is_skipping; /* skips bytes until the next newline */
	bool wants_id; /* a line that is too long is reported at its end, with its id */
	struct lost_id *lost; /* the search in the line that was skipped last; NULL: none */
};

enum line_result {
	LINE_NONE, /* no complete line: more bytes are needed */
	LINE_FOUND,
	LINE_TOO_LONG, /* a line is skipped; if wants_id, lost may hold its id */
};

void line_input_init(struct line_input *input, size_t max_bytes);
void line_input_finish(struct line_input *input);

/* Adds input. Ends the process if out of memory. */
void line_input_add(struct line_input *input, const void *bytes, size_t len);

/* Returns the next line, NUL-terminated, without its newline, lent until input is used again. */
enum line_result line_input_next(struct line_input *input, const char **ret_line, size_t *ret_len);

/* Call after the last byte: also returns a last line without a newline. */
enum line_result line_input_end(struct line_input *input, const char **ret_line, size_t *ret_len);

/* Returns true if a line contains nothing but spaces and tabs, and may be ignored. */
bool line_is_blank(const char *line, size_t len);

/* Returns true if there are bytes of lines not returned yet, or of a skipped one (wants_id). */
bool line_input_is_pending(const struct line_input *input);

/* Returns true if unseen bytes may contain a complete line. */
bool line_input_has_unseen(const struct line_input *input);
