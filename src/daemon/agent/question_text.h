/* SPDX-License-Identifier: ISC */
/* The text and the choices of a question on a screen. Pure functions of a screen. */
#pragma once

#include "daemon/pane/prompt.h"

/*
 * Appends the lines of the question. For a menu: the line that asks and the rows down to the
 * choices. Otherwise: the cursor's line, or a line above if the cursor's row has no question. Cuts
 * text that does not fit.
 */
void agent_question_text(const struct prompt_view *view, struct buf *out);

/* Appends rows above a menu's choices, up to a limit, without key hints, which may change. */
void agent_question_whole(const struct prompt_view *view, struct buf *out);

#define QUESTION_PATTERNS 28 /* maximum number of patterns */
#define QUESTION_PATTERN_MAX 60 /* bytes of a pattern */

/*
 * Appends rows of the question as patterns for tmux, each with a newline. For a menu: rows above
 * the choices, and the choices. Otherwise: the cursor's row. While the question is shown, each
 * pattern matches a row.
 */
void agent_question_patterns(const struct prompt_view *view, struct buf *out);

#define QUESTION_CHOICES_MAX 16 /* maximum of one menu; further choices are left out */

struct question_choice {
	unsigned number; /* as in "2. No" */
	bool is_marked; /* Enter takes this choice */
	char text[256]; /* with the rows to which it was wrapped; cut to size */
};

/*
 * Finds the choices of the menu on the screen, at most QUESTION_CHOICES_MAX. Returns 0 if the
 * answer is a text, for example because a prompt follows the choices.
 */
size_t agent_question_choices(const struct prompt_view *view, struct question_choice *ret_choices);

/* A question of an agent. It owns its members. */
struct agent_question {
	char *text; /* the question, or else the rows at the cursor; NULL: nothing is asked */
	char *whole; /* the rows above the choices */
	struct question_choice *choices; /* NULL: the answer is a text */
	size_t choice_count;
};
void agent_question_clear(struct agent_question *question);
