/* SPDX-License-Identifier: ISC */
/*
 * Recognises the echo of a text that Muxbus types into a pane. The terminal or a line editor writes
 * the echo to the output. Texts are compared without blanks. A line editor may draw the text again
 * after a carriage return, a backspace or a movement of the cursor.
 *
 * After a prompt with the mark OSC 133 B, the output counts as echo of a text that Muxbus or a
 * person types: up to the next mark, if soon, or to the line's end if there was no mark C yet.
 *
 * A text that a program reads late may be echoed twice: by the terminal at once, and later by a
 * line editor after its prompt. A text that was typed before the output was followed may have been
 * echoed already, so its echo is recognised after a prompt or, if soon, at the start of the output.
 */
#pragma once

#include "base/base.h"

#define ECHO_TEXTS_MAX 4
/* maximum bytes without blanks; the echo of longer texts is not recognised */
#define ECHO_TEXT_MAX 4096
#define ECHO_FRESH_MS 2000 /* ms after which an echo that has not begun needs a prompt before it */
/* maximum bytes of output that are held back because they may be an echo */
#define ECHO_HELD_MAX (16 * 1024)

enum echo_reader {
	ECHO_BY_EDITOR, /* a line editor echoes the text when it reads the text */
	ECHO_BY_TERMINAL, /* the terminal echoes the text, and the program reads it at once */
	/* the terminal echoes the text now, and a line editor later */
	ECHO_BY_BOTH,
	ECHO_LATER, /* the text is not echoed now; a line editor may echo it later */
};

struct echo_text {
	struct buf bytes; /* UTF-8 without blanks */
	bool is_ended; /* Enter was typed */
	bool is_lost; /* the text is too long, or keys were typed whose echo is not known */
	bool has_lines; /* the text has more than one line */
	bool needs_prompt;
	/* even with needs_prompt, the echo may come first in the followed output */
	bool may_begin;
	bool is_done; /* the echo has ended, unless the cursor moves up again */
	bool is_moving; /* the cursor has moved since the last character */
	bool has_moved; /* the cursor has moved within the echo, so an editor draws it */
	bool was_whole; /* the whole echo was seen; an editor may still draw parts of it again */
	bool is_over;
	enum echo_reader reader;
	int64_t typed_ms; /* CLOCK_MONOTONIC */
	size_t at; /* offset in bytes after the byte that was echoed last; 0: no echo has begun */
	size_t run; /* number of bytes echoed in succession since the cursor moved */
	size_t start; /* where the echo begins in echo_take()'s text; SIZE_MAX: at the next byte */
};

struct echo {
	struct echo_text texts[ECHO_TEXTS_MAX]; /* the oldest first */
	size_t count;
	/* offset in the text of echo_take() where input begins after a mark B; SIZE_MAX: nowhere */
	size_t input;
	unsigned input_lines;
	bool has_start_mark; /* the shell marks where a command begins (OSC 133 C) */
};

void echo_init(struct echo *echo);
void echo_finish(struct echo *echo);

void echo_type(
    struct echo *echo, const uint8_t *bytes, size_t len, enum echo_reader reader, int64_t now_ms);
/* Call this when the output begins to be followed. */
void echo_follow(struct echo *echo, int64_t now_ms);

/* Returns true if an echo may come. If not, and echo_start() finds none, pass on only marks. */
bool echo_is_awaited(struct echo *echo, int64_t now_ms);
/*
 * Takes a byte of the output, before it is appended to text. line: offset in text where the byte's
 * line begins.
 */
void echo_take(struct echo *echo, const struct buf *text, size_t line, uint8_t byte);
/*
 * Call this if a carriage return, a backspace or a sequence has moved the cursor. is_up: perhaps to
 * the row above.
 */
void echo_move(struct echo *echo, bool is_up);
/*
 * Call this at the end of a line. Returns the offset in the text where an echo begins that ends
 * with this line, so that the text can be cut there; SIZE_MAX: there is none.
 */
size_t echo_end_line(struct echo *echo);
/*
 * Takes a mark of the shell (OSC 133) at the end of the text, which has len bytes. Returns like
 * echo_end_line().
 */
size_t echo_mark(struct echo *echo, char mark, size_t len);
/* Returns the offset from which on the text may be an echo; SIZE_MAX: there is none. */
size_t echo_start(const struct echo *echo);
/* consume: the first len bytes of the text were removed; cut: the text now has len bytes. */
void echo_consume(struct echo *echo, size_t len);
void echo_cut(struct echo *echo, size_t len);
