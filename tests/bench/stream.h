/* SPDX-License-Identifier: ISC */
/*
 * The output of typical programs, made up but always the same, and the same output as tmux -C
 * passes it on.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The kinds of text: NULL-ended. */
extern const char *const stream_kinds[];

struct stream_line {
	size_t start; /* of the data, behind "%output %0 " */
	size_t len; /* without the newline */
};

struct stream {
	uint8_t *bytes; /* whole lines, such as tmux writes */
	size_t len;
	size_t decoded_len;
	struct stream_line *lines;
	size_t line_count;
};

/* At least size decoded bytes. Ends the program if it cannot. */
struct stream *stream_new(const char *kind, size_t size);
void stream_free(struct stream *stream);
