/* SPDX-License-Identifier: ISC */
/*
 * Reads a pane's screen around the cursor: an empty prompt, a draft of a person, a question, or the
 * line that Muxbus typed. Dim text is a placeholder or a suggestion, not a draft. The functions use
 * only their arguments.
 */
#pragma once

#include "base/base.h"

#define PROMPT_ROWS 12 /* rows above the cursor in which a draft is usually looked for */
#define PROMPT_ROWS_MAX 40 /* the same for a long draft and for a typed line */

struct prompt_view {
	const char *text; /* output of capture-pane -p -e: rows with newlines */
	size_t len;
	unsigned columns;
	unsigned cursor_row; /* rows and columns begin at 0 */
	unsigned cursor_column;
};

struct prompt {
	bool is_seen; /* a prompt without a draft is left of the cursor */
	bool begins_row; /* the prompt is at the start of its row */
	bool has_draft;
	bool has_right_draft; /* the draft is right of the cursor */
	bool is_open; /* a draft above the cursor's empty row may begin out of sight */
	bool is_shell; /* the prompt ends like a shell's: $ # % */
	bool is_question; /* a menu is shown: a key would choose from it */
	char line[256]; /* text left of the cursor, ASCII, as evidence */
	char lead[64]; /* ASCII text left of the cursor, without blanks and '|': ">", ">>>" */
};

/* Sets the cursor to the one that the program draws in reverse. Returns false if there is none. */
bool prompt_find_cursor(struct prompt_view *view);

/*
 * Returns true if prompts of agents and line editors end with this character. Signs of questions
 * and password prompts (? :) do not count, because Muxbus types nothing there.
 */
bool prompt_is_end(uint32_t character);

void prompt_read(const struct prompt_view *view, struct prompt *ret_prompt);

/* Appends the rows around the cursor, with '.' for characters that are not ASCII. */
void prompt_write_around(const struct prompt_view *view, struct buf *out);

enum prompt_echo {
	ECHO_NONE, /* the line is not there */
	ECHO_EXACT, /* only the lead (the prompt's text) and the line are before the cursor */
	ECHO_ALTERED, /* the line or a part of it is there, with other text */
	ECHO_BEHIND, /* the line is there, with other text between lead and line */
	ECHO_TAIL, /* only the end of the line is there: its start is out of sight */
};

/* Looks for a line that was typed at the cursor, after a lead; NULL: after any prompt. */
enum prompt_echo prompt_find_line(
    const struct prompt_view *view, const char *line, size_t len, const char *lead);
