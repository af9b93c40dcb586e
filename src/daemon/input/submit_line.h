/* SPDX-License-Identifier: ISC */
/*
 * A text on its way through a prompt: what was typed, and what was seen of the text since. It
 * is looked for where the cursor is, behind the prompt that it was typed at; after Enter it must
 * leave that place. Pure: screens and terminals in, answers out.
 */
#pragma once

#include "daemon/input/submit_policy.h"
#include "daemon/pane/prompt.h"

struct pane_tty;

struct submit_line {
	struct submit_text text; /* kept until its end is seen, also over a restart */
	bool has_lead;
	char lead[sizeof((struct prompt *)0)->lead]; /* of the prompt that it was typed at */
	unsigned lead_column; /* where the cursor was then */
	bool was_cooked;
	int64_t typed_ms; /* CLOCK_MONOTONIC, as all here; 0: nothing was typed */
	int64_t entered_ms; /* the first Enter; 0: none */
	int64_t pressed_ms; /* the last one */
	int64_t changed_ms; /* of the screen */
	unsigned enters;
	unsigned agreed; /* looks in a row that found it gone */
	unsigned rested; /* looks in a row that found its program at rest after Enter */
	bool is_echo_seen;
	bool is_exact; /* it stood alone on the prompt line */
	bool was_gone; /* a choice: its menu was seen to be gone, or another one */
	bool has_stayed; /* its number alone was seen not to take it */
	bool is_altered; /* something else stands there too */
	uint64_t typed_offset, seen_offset; /* of the screen before typing, and of the last look */
	uint64_t before_enter; /* where the effects of Enter begin in the output */
	unsigned entered_row, entered_column; /* the cursor before Enter */
};

void submit_line_init(struct submit_line *line);
void submit_line_finish(struct submit_line *line);
/* Removes the text, which may be a secret; what was seen is kept. */
void submit_line_wipe(struct submit_line *line);
/* Forgets all: the next text is another one. */
void submit_line_reset(struct submit_line *line);

/* The text is typed at this prompt. */
void submit_line_begin(
    struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty);
/* The text was typed by an earlier daemon, or by a try that tmux did not answer. */
void submit_line_resume(struct submit_line *line, const struct pane_tty *tty);

/* Whether the text stands alone on the prompt line. */
bool submit_line_stands(const struct submit_line *line, const struct pane_screen *screen);

/*
 * Whether the text is seen. is_lenient: its program is known to take it, so another form of
 * it counts when the screen has settled: a paste folded to one word, or a secret.
 */
bool submit_line_is_shown(struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, bool is_lenient);
/* Why the text will not be seen any more; NULL: it may be yet. */
const char *submit_line_echo_late(const struct submit_line *line, const struct pane_tty *tty);

/*
 * How long to rest before Enter. Programs that take even the keys of signals for themselves go
 * by the time between keys. Line editors leave those on; that they show the text is enough.
 */
int64_t submit_line_rest_ms(const struct submit_line *line, const struct pane_tty *tty);

/* Enter is pressed on this screen; then: it was. */
void submit_line_press(struct submit_line *line, const struct pane_screen *screen);
void submit_line_pressed(struct submit_line *line);

/* Whether two looks in a row agree that the text was taken. */
bool submit_line_is_taken(struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, enum submit_sight sight);
/* Whether Enter is due again: it was read, and the text still stands there. */
bool submit_line_needs_enter(
    const struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty);
/*
 * Whether the program is done with Enter and has left the text: two looks in a row found it
 * at rest, with no output between them.
 */
bool submit_line_is_left(
    struct submit_line *line, const struct pane_screen *screen, bool is_computing);
/* Why the text will not be taken any more; NULL: it may be yet. */
const char *submit_line_taken_late(const struct submit_line *line, const struct pane_tty *tty);
/* Whether Enter was held up for longer than all that can take. */
bool submit_line_is_late(const struct submit_line *line);

/*
 * How many characters to delete at the beginning of the line to take the text back. 0: the text
 * does not stand there, or editors may count its characters in another way.
 */
size_t submit_line_characters(const struct submit_line *line);
/*
 * The text is taken back now. Then: whether two looks in a row agree that it is gone, and whether that
 * took too long.
 */
void submit_line_retract(struct submit_line *line);
bool submit_line_is_retracted(
    struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty);
bool submit_line_retract_is_late(const struct submit_line *line);

/* Whether a menu should have taken its choice long ago. */
bool submit_line_choice_is_late(const struct submit_line *line);

/* When to look again, if no output comes. */
int64_t submit_line_look_ms(const struct submit_line *line);
