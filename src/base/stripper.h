/* SPDX-License-Identifier: ISC */
/*
 * Strips terminal output to plain text lines: removes escape sequences and control characters,
 * with LF at the end of each line. A carriage return without LF begins the line again, so of a
 * progress bar only the last state stays; a backspace removes the last character of the line.
 * TAB stays. Cursor movements are ignored: use a capture for a full-screen program.
 */
#pragma once

#include "base/buf.h"

struct token;

/* Strips a stream token by token, which may be split anywhere. */
struct stripper {
	struct buf *out; /* its bytes may be taken from its front with stripper_consume() */
	size_t line; /* where in out the line under way begins */
	size_t kept; /* out was never shorter since this was set: bytes before it are unchanged */
	bool has_returned; /* the last byte in this line was a carriage return */
};

void stripper_init(struct stripper *stripper, struct buf *out);
/* Takes a token of a tokenizer that wants text. Text that does not fit in out is left out. */
void stripper_take(struct stripper *stripper, const struct token *token);
/* Removes the end of the line under way, from a place in out on; earlier lines with it. */
void stripper_cut(struct stripper *stripper, size_t len);
/* Removes bytes from the front of out. */
void stripper_consume(struct stripper *stripper, size_t len);

/*
 * Appends the lines of len bytes to out. Returns the number of bytes used: an incomplete
 * sequence, character or carriage return at the end is left for the next call, unless it is
 * longer than STRIPPER_OPEN_MAX.
 */
#define STRIPPER_OPEN_MAX 8192
size_t stripper_lines(struct buf *out, const void *bytes, size_t len);
