/* SPDX-License-Identifier: ISC */
/*
 * Recognises the echo of text that Muxbus types into a pane: terminals and line editors write it to
 * the output, but it is not output of the program. Texts are compared without blanks. An editor may
 * draw the text again after a carriage return, a backspace or a movement of the cursor.
 *
 * After a prompt that the shell marks (OSC 133 B) all output is input, of Muxbus or a person: up to
 * the mark C, or to the end of the line if the shell sends no mark C.
 *
 * An echo counts once. Text that a program reads late is echoed twice, by the terminal and then by
 * the line editor; text that was typed before the output was followed may have been echoed already.
 * In both cases an echo counts only after a prompt.
 */
#pragma once

#include "base/base.h"

#define ECHO_TEXTS_MAX 4
#define ECHO_TEXT_MAX 4096 /* bytes; the echo of a longer text is not recognised */
#define ECHO_FRESH_MS 2000 /* after this time an echo begins only after a prompt */
#define ECHO_HELD_MAX (16 * 1024) /* bytes of output that may be held back as an echo */

enum echo_reader {
	ECHO_BY_EDITOR, /* a line editor echoes the text when it reads it */
	ECHO_BY_TERMINAL, /* the terminal echoes the text, and the program reads it at once */
	ECHO_BY_BOTH, /* the terminal echoes now, a line editor when it reads the text */
	ECHO_LATER, /* no echo now; a line editor may echo the text later */
};

struct echo_text {
	struct buf bytes; /* UTF-8 without blanks */
	bool is_ended; /* Enter was typed */
	bool is_lost; /* keys were typed whose echo has no known form */
	bool has_lines; /* the text has more than one line */
	bool needs_prompt;
	/* With needs_prompt: the echo may also begin where the followed output begins. */
	bool may_begin;
	bool is_done; /* the echo has ended, unless the cursor moves up */
	bool is_moving; /* the cursor has moved since the last character */
	bool has_moved; /* the cursor moved within the echo: an editor draws it */
	bool was_whole; /* the whole echo was seen; an editor may still draw parts again */
	bool is_over;
	enum echo_reader reader;
	int64_t typed_ms; /* CLOCK_MONOTONIC */
	size_t at; /* bytes of the text whose echo was seen */
	size_t run; /* how many of these were echoed since the cursor moved */
	size_t start; /* where the echo begins in the output */
};

struct echo {
	struct echo_text texts[ECHO_TEXTS_MAX]; /* the oldest first */
	size_t count;
	size_t input; /* where input begins in the output, after a marked prompt; SIZE_MAX: none */
	unsigned input_lines;
	bool has_start_mark; /* the shell marks where a command begins (OSC 133 C) */
};

void echo_init(struct echo *echo);
void echo_finish(struct echo *echo);

void echo_type(
    struct echo *echo, const uint8_t *bytes, size_t len, enum echo_reader reader, int64_t now_ms);
void echo_follow(struct echo *echo, int64_t now_ms);

/* If false, only marks need to be passed on. */
bool echo_is_awaited(struct echo *echo, int64_t now_ms);
/* Takes a byte before it is appended to the text, in which its line begins at line. */
void echo_take(struct echo *echo, const struct buf *text, size_t line, uint8_t byte);
/* By a carriage return, a backspace or a sequence. is_up: perhaps to the row above. */
void echo_move(struct echo *echo, bool is_up);
/* A line ends. Returns where its echo begins, for cutting it there; SIZE_MAX: no echo. */
size_t echo_end_line(struct echo *echo);
/* Takes a mark of the shell (OSC 133) at the end of the text. Returns like echo_end_line(). */
size_t echo_mark(struct echo *echo, char mark, size_t len);
/* Returns where text begins that may be an echo, or SIZE_MAX. */
size_t echo_start(const struct echo *echo);
/* echo_consume: the text lost its first len bytes. echo_cut: it now ends after len bytes. */
void echo_consume(struct echo *echo, size_t len);
void echo_cut(struct echo *echo, size_t len);
