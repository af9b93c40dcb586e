/* SPDX-License-Identifier: ISC */
/*
 * The echo of what Muxbus types into a pane: terminals and line editors write it to the output,
 * where it is no output of the program. Texts are compared without blanks, character by
 * character. An editor may begin again behind a carriage return, a backspace or a movement of
 * the cursor. Pure: keys and output in, places out.
 *
 * Behind a prompt that the shell marks (OSC 133 B) all is input, of Muxbus or a person, up to the
 * mark C; up to the end of the line from a shell that has none.
 *
 * An echo counts once. Text that a program does not read at once is echoed twice, by the terminal and
 * by the line editor that reads it later; a text that was typed before the output was followed
 * may have been echoed. In both cases the echo counts only behind what looks like a prompt.
 */
#pragma once

#include "base/base.h"

#define ECHO_TEXTS_MAX 4 /* the last ones count */
#define ECHO_TEXT_MAX 4096 /* bytes of one; a longer one is not recognised */
#define ECHO_FRESH_MS 2000 /* after it was typed a text is expected anywhere */
#define ECHO_HELD_MAX (16 * 1024) /* bytes of output that may be one */

enum echo_reader {
	ECHO_BY_EDITOR, /* of lines, when it reads the text */
	ECHO_BY_TERMINAL, /* the program reads it at once */
	ECHO_BY_BOTH, /* the program reads it later */
	ECHO_LATER, /* the terminal has no echo: an editor may read what the program leaves */
};

struct echo_text {
	struct buf bytes; /* UTF-8 without blanks */
	bool is_ended; /* Enter was typed */
	bool is_lost; /* keys were typed that are shown in no known form */
	bool has_lines; /* more than one */
	bool needs_prompt;
	bool may_begin; /* needs_prompt: or where the output is followed from */
	bool is_done; /* it was seen, and the cursor has not gone back into it */
	bool is_moving; /* the cursor has moved, since the last character */
	bool has_moved; /* within the text: an editor is at work on it */
	bool was_whole; /* all of it was seen: an editor draws parts of it again */
	bool is_over;
	enum echo_reader reader;
	int64_t typed_ms; /* CLOCK_MONOTONIC */
	size_t at; /* bytes of it that were seen */
	size_t run; /* of these since the cursor moved */
	size_t start; /* of the output: where they begin */
};

struct echo {
	struct echo_text texts[ECHO_TEXTS_MAX]; /* the oldest first */
	size_t count;
	size_t input; /* of the output: behind the prompt that a shell marked; SIZE_MAX: none */
	unsigned input_lines; /* that have ended since */
	bool has_start_mark; /* the shell marks where a command begins (OSC 133 C) */
};

void echo_init(struct echo *echo);
void echo_finish(struct echo *echo);

void echo_type(
    struct echo *echo, const uint8_t *bytes, size_t len, enum echo_reader reader, int64_t now_ms);
/* The output is followed from here on. */
void echo_follow(struct echo *echo, int64_t now_ms);

/* Whether an echo may come; else the output need not be shown to it, but for marks. */
bool echo_is_awaited(struct echo *echo, int64_t now_ms);
/* A byte of text that comes to the end of the plain text. line: where its line begins there. */
void echo_take(struct echo *echo, const struct buf *text, size_t line, uint8_t byte);
/* The cursor moves: a carriage return, a backspace, a sequence. is_up: perhaps to the row above. */
void echo_move(struct echo *echo, bool is_up);
/* A line ends. Returns where the echo in it begins, which is to be cut; SIZE_MAX: there is none. */
size_t echo_end_line(struct echo *echo);
/* A mark of the shell (OSC 133), at the end of the plain text. Returns the same. */
size_t echo_mark(struct echo *echo, char mark, size_t len);
/* Where text begins that may be an echo; SIZE_MAX: none is. */
size_t echo_start(const struct echo *echo);
/* Bytes of the plain text were consumed, or it was cut to a length. */
void echo_consume(struct echo *echo, size_t len);
void echo_cut(struct echo *echo, size_t len);
