/* SPDX-License-Identifier: ISC */
/* The last few lines before a place in a text, each cut to a maximum. */
#ifndef DAEMON_FILE_CONTEXT_LINES_H
#define DAEMON_FILE_CONTEXT_LINES_H

#include <stddef.h>
#include <stdint.h>

#define CONTEXT_LINES 3
#define CONTEXT_LINE_MAX 512 /* bytes */

struct context_line {
	char *bytes; /* NULL: there is none */
	size_t len;
};

struct context_lines {
	struct context_line lines[CONTEXT_LINES]; /* oldest first */
	uint64_t count; /* that were ever remembered */
};

void context_lines_finish(struct context_lines *context);

/* Remembers the last lines of some that end at end. */
void context_lines_add(struct context_lines *context, const char *text, size_t end);

/* Makes *ret_copy one of the lines that were remembered after the first from. */
void context_lines_copy(
    const struct context_lines *context, uint64_t from, struct context_lines *ret_copy);

/* Length without the end of the line. */
size_t context_line_len(const char *bytes, size_t len);

#endif
