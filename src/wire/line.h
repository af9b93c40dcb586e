/* SPDX-License-Identifier: ISC */
/*
 * Bytes in, lines out. A line ends with "\n" or "\r\n". A line longer than the limit is
 * reported once and skipped to its end. Memory is freed when nothing is pending.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "wire/lost_id.h"

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
