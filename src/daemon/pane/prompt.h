/* SPDX-License-Identifier: ISC */
/*
 * Reads a pane's screen around the cursor: is there an empty prompt, a draft that a person has
 * begun, a question, or the line that we typed? Colours matter: what is dim is a placeholder
 * or a suggestion, and no draft. Pure: a screen in, a verdict out.
 */
#pragma once

#include "base/base.h"

#define PROMPT_ROWS 12 /* rows that a draft may take */
#define PROMPT_ROWS_MAX 40 /* the same, where nothing but a draft explains the cursor's row */

struct prompt_view {
	const char *text; /* as capture-pane -p -e gives it: rows ended by newlines */
	size_t len;
	unsigned columns;
	unsigned cursor_row; /* from 0, as the column */
	unsigned cursor_column;
};

struct prompt {
	bool is_seen; /* characters that end a prompt stand before the cursor, and no draft does */
	bool has_draft;
	bool has_right_draft; /* it stands right of the cursor, whatever is left of it */
	bool is_shell; /* it ends as the prompts of shells do: $ # % */
	bool is_question; /* a choice is offered: a key would answer it */
	char line[256]; /* what stands left of the cursor, without colours: evidence */
	char lead[64]; /* the same without blanks and frames: ">", ">>>" */
};

/*
 * Programs that hide the cursor may draw one: a cell in reverse. Moves the view's cursor
 * there; false if none is seen.
 */
bool prompt_find_cursor(struct prompt_view *view);

/*
 * Whether prompts of agents and line editors end in a character. Those of questions and of pass
 * words (? :) are not among them: nothing is typed there.
 */
bool prompt_is_end(uint32_t character);

void prompt_read(const struct prompt_view *view, struct prompt *ret_prompt);

/*
 * Appends the rows around the cursor (8 above it, 4 under it) as plain lines, in which what
 * is not ASCII is a full stop.
 */
void prompt_write_around(const struct prompt_view *view, struct buf *out);

enum prompt_echo {
	ECHO_NONE, /* it is not there */
	ECHO_EXACT, /* it is there, behind the lead and before the cursor, and nothing else */
	ECHO_ALTERED, /* it is there, but so is something else */
	ECHO_BEHIND, /* the same: words between the lead and it */
};

/*
 * Whether the input that the cursor is in is a line that was typed behind a lead. NULL: any
 * that ends as prompts do.
 */
enum prompt_echo prompt_find_line(
    const struct prompt_view *view, const char *line, size_t len, const char *lead);
