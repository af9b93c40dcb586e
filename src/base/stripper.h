/* SPDX-License-Identifier: ISC */
/*
 * Strips terminal output to plain lines: removes escape sequences, and control characters other
 * than TAB and LF. Text after a carriage return replaces the line, as in a progress bar. A
 * backspace removes a character. Cursor movements are ignored, so the lines of a full-screen
 * program make no sense: use a capture.
 */
#pragma once

#include "base/buf.h"

struct token;

struct stripper {
	struct buf *out; /* the plain text; stripper_consume() removes bytes from its front */
	size_t line; /* where in out the current line begins */
	size_t kept; /* out before this offset has not changed since the caller set kept */
	bool has_returned; /* a carriage return came, so the next text replaces the line */
};

void stripper_init(struct stripper *stripper, struct buf *out);
/* Takes the next token of a tokenizer with wants_text. Drops text that does not fit into out. */
void stripper_take(struct stripper *stripper, const struct token *token);
/* Cuts the text after len bytes. */
void stripper_cut(struct stripper *stripper, size_t len);
/* Removes len bytes from the front of the text. */
void stripper_consume(struct stripper *stripper, size_t len);

/*
 * Appends len bytes to out as plain lines; replaces no text of earlier calls. Returns the number of
 * bytes used. Pass the rest again with the next bytes: an incomplete sequence or character, or a
 * carriage return at the end. An incomplete sequence longer than STRIPPER_OPEN_MAX counts as used,
 * and is dropped.
 */
#define STRIPPER_OPEN_MAX 8192
size_t stripper_lines(struct buf *out, const void *bytes, size_t len);
