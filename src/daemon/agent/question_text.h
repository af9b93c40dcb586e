/* SPDX-License-Identifier: ISC */
/*
 * Finds the text of a question on a screen: its own lines without the frame, the choices, key hints
 * and earlier text; and finds these choices. Pure functions of a screen.
 */
#pragma once

#include "daemon/pane/prompt.h"

/*
 * Appends the lines of the question, with newlines between them. For a menu: the row that asks, and
 * the rows from there to the choices, such as the command to be allowed, without blank rows.
 * Otherwise the cursor's row, or if it asks nothing, the row above that asks. Appends nothing if
 * there is no text. Cuts text that does not fit.
 */
void agent_question_text(const struct prompt_view *view, struct buf *out);

/*
 * Appends the rows above the choices of a menu, such as the command that it is about, without hints
 * of keys, which may have a timer. Appends nothing if there is no menu.
 */
void agent_question_whole(const struct prompt_view *view, struct buf *out);

#define QUESTION_PATTERNS 28 /* rows with a pattern */
#define QUESTION_PATTERN_MAX 60 /* bytes of a pattern */

/*
 * Appends the rows of the question as patterns for tmux, each of letters, digits and '*' and a
 * newline. While the question is on the screen, rows match all of them. For a menu: its rows down
 * to the last choice; otherwise the cursor's row.
 */
void agent_question_patterns(const struct prompt_view *view, struct buf *out);

#define QUESTION_CHOICES_MAX 16 /* of one menu; others are left out */

struct question_choice {
	unsigned number; /* as in "2. No" */
	bool is_marked; /* Enter takes this choice */
	char text[256]; /* first row of the choice, and rows to which it was wrapped; cut to size */
};

/*
 * Finds the numbered choices of the menu in question, at most QUESTION_CHOICES_MAX. Returns their
 * number; 0: the answer is a text, for example because a prompt follows the choices.
 */
size_t agent_question_choices(const struct prompt_view *view, struct question_choice *ret_choices);

/* A question, with all that tells it from others. Owns its members. */
struct agent_question {
	char *text; /* the question, or else the text of its place; NULL: nothing is asked */
	char *whole; /* the rows above its choices */
	struct question_choice *choices; /* NULL: the answer is a text */
	size_t choice_count;
};
void agent_question_clear(struct agent_question *question);
