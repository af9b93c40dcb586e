/* SPDX-License-Identifier: ISC */
/*
 * Recognises the echo of a text that Muxbus types into a pane: the terminal or a line editor writes
 * it to the output, but it is not output of the program. Texts are compared without blanks. A line
 * editor may draw the text again after a carriage return, a backspace or a movement of the cursor.
 *
 * After a prompt that the shell marks (OSC 133 B) all output is echo, of Muxbus or a person: up to
 * the mark C, or to the end of the line if the shell sends no mark C.
 *
 * An echo counts once. A text that a program reads late is echoed twice, by the terminal and then
 * by the line editor. A text that was typed before the output was followed may have been echoed
 * already. In both cases an echo counts only after a prompt.
 */
#pragma once

#include "base/base.h"

#define ECHO_TEXTS_MAX 4
#define ECHO_TEXT_MAX 4096 /* maximum bytes; the echo of a longer text is not recognised */
#define ECHO_FRESH_MS 2000 /* after this time (ms), an echo begins only after a prompt */
/* maximum bytes of output that are held back as they may be an echo */
#define ECHO_HELD_MAX (16 * 1024)

enum echo_reader {
	ECHO_BY_EDITOR, /* a line editor echoes the text when it reads it */
	ECHO_BY_TERMINAL, /* the terminal echoes the text, and the program reads it at once */
	ECHO_BY_BOTH, /* the terminal echoes it now, and a line editor when it reads it */
	ECHO_LATER, /* it is not echoed now; a line editor may echo it later */
};

struct echo_text {
	struct buf bytes; /* UTF-8 without blanks */
	bool is_ended; /* Enter was typed */
	bool is_lost; /* keys were typed whose echo is not known */
	bool has_lines; /* the text has more than one line */
	bool needs_prompt;
	/* With needs_prompt: the echo may also be at the begin of the output that is followed. */
	bool may_begin;
	bool is_done; /* the echo has ended, unless the cursor moves up again */
	bool is_moving; /* the cursor has moved since the last character */
	bool has_moved; /* the cursor has moved within the echo, so an editor draws it */
	bool was_whole; /* the whole echo was seen; an editor may still draw parts of it again */
	bool is_over;
	enum echo_reader reader;
	int64_t typed_ms; /* CLOCK_MONOTONIC */
	size_t at; /* number of bytes of the text whose echo was seen */
	size_t run; /* how many of these were echoed since the cursor moved */
	size_t start; /* offset in the output where the echo begins */
};

struct echo {
	struct echo_text texts[ECHO_TEXTS_MAX]; /* the oldest first */
	size_t count;
	/* offset in the output where input begins, after a marked prompt; SIZE_MAX: nowhere */
	size_t input;
	unsigned input_lines;
	bool has_start_mark; /* the shell marks where a command begins (OSC 133 C) */
};

void echo_init(struct echo *echo);
void echo_finish(struct echo *echo);

/* Call this when a text is typed. */
void echo_type(
    struct echo *echo, const uint8_t *bytes, size_t len, enum echo_reader reader, int64_t now_ms);
/* Call this when the output is followed from now on. */
void echo_follow(struct echo *echo, int64_t now_ms);

/* Returns true if an echo may come. If false, only marks need to be passed on. */
bool echo_is_awaited(struct echo *echo, int64_t now_ms);
/*
 * Takes a byte of the output, before it is appended to text. line: offset in text where the byte's
 * line begins.
 */
void echo_take(struct echo *echo, const struct buf *text, size_t line, uint8_t byte);
/*
 * Call this if the cursor was moved, by a carriage return, a backspace or a sequence. is_up:
 * perhaps to the row above.
 */
void echo_move(struct echo *echo, bool is_up);
/*
 * Call this at the end of a line. Returns where its echo begins, so that the text can be cut there;
 * SIZE_MAX: there is none.
 */
size_t echo_end_line(struct echo *echo);
/*
 * Takes a mark of the shell (OSC 133) at the end of the text, which has len bytes. Returns like
 * echo_end_line().
 */
size_t echo_mark(struct echo *echo, char mark, size_t len);
/* Returns where text begins that may be an echo; SIZE_MAX: there is none. */
size_t echo_start(const struct echo *echo);
/* Call these if the text has lost its first len bytes, and if it ends after len bytes now. */
void echo_consume(struct echo *echo, size_t len);
void echo_cut(struct echo *echo, size_t len);
