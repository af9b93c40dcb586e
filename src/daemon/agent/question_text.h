/* SPDX-License-Identifier: ISC */
/*
 * The text of a question on a screen: its own lines, without the frame around them, the choices
 * under them, key hints, and what was said before; and these choices. Pure: a screen in, a text
 * out.
 */
#pragma once

#include "daemon/pane/prompt.h"

/*
 * Appends the question, a newline between two lines. Of a menu: the row that asks, and what
 * stands between that row and the choices, as the command that is to be allowed; blank rows are
 * left out. Else the cursor's row, or the row above it that asks if nothing is asked there.
 * Nothing is appended if there is no text; text that does not fit is left out.
 */
void agent_question_text(const struct prompt_view *view, struct buf *out);

/*
 * Appends the rows above the choices of a menu, as the command that it is about, without hints of
 * keys, which may count seconds. Nothing, if it is no menu.
 */
void agent_question_whole(const struct prompt_view *view, struct buf *out);

#define QUESTION_PATTERNS 28 /* rows */
#define QUESTION_PATTERN_MAX 60 /* bytes of one */

/*
 * Appends the rows of the question as patterns for tmux, each ended by a newline, which all stand
 * on a screen as long as the question does: of letters, digits and '*' only. Those of a
 * menu are its rows down to the last choice; else it is the cursor's row.
 */
void agent_question_patterns(const struct prompt_view *view, struct buf *out);

#define QUESTION_CHOICES_MAX 16 /* of one menu; later ones are left out */

struct question_choice {
	unsigned number; /* "2. No" */
	bool is_marked; /* Enter takes it */
	char text[256]; /* its first row, and the rows that it was wrapped to; cut at its end */
};

/*
 * The numbered choices of the menu that the question stands above, at most QUESTION_CHOICES_MAX.
 * Returns how many; 0: it is answered by a text, also where a prompt stands under choices.
 */
size_t agent_question_choices(const struct prompt_view *view, struct question_choice *ret_choices);

/* A question that was seen, with all that tells it from another one; it owns that. */
struct agent_question {
	char *text; /* where none is made out, of its place; NULL: nothing is asked */
	char *whole; /* the rows above its choices */
	struct question_choice *choices; /* NULL: a text answers it */
	size_t choice_count;
};
void agent_question_clear(struct agent_question *question);
