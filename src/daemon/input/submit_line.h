/* SPDX-License-Identifier: ISC */
/*
 * A text on its way through a prompt: what was typed, and what was seen of it since. The text is
 * searched at the cursor, behind the prompt where it was typed. After Enter it must leave that
 * place. Pure functions of screens and terminals.
 */
#pragma once

#include "daemon/input/submit_policy.h"
#include "daemon/pane/prompt.h"

#define SUBMIT_ENTER_AFTER_MS 150 /* an earlier Enter would look like part of a paste */

struct pane_tty;

struct submit_line {
	struct submit_text text; /* kept until its end is seen, over restarts too */
	bool has_lead;
	char lead[sizeof((struct prompt *)0)->lead]; /* text of the prompt, before the typed text */
	unsigned lead_column; /* column of the cursor before typing */
	bool was_cooked;
	int64_t typed_ms; /* CLOCK_MONOTONIC, as all times here; 0: nothing was typed */
	int64_t entered_ms; /* first Enter; 0: none */
	int64_t pressed_ms; /* last Enter */
	int64_t changed_ms; /* last change of the screen */
	unsigned enters;
	unsigned agreed; /* consecutive looks that found the text taken */
	unsigned rested; /* consecutive looks that found the program at rest after Enter */
	bool is_echo_seen;
	bool is_exact; /* the text is alone on the prompt line */
	bool was_gone; /* a choice whose menu was missing, or another one was there */
	bool has_stayed; /* a choice that its number alone did not take */
	bool is_altered; /* other text is on the line too */
	uint64_t activity; /* a person's last key when is_sole was true last, in s; 0: unknown */
	int64_t noted_ms; /* last submit_line_note(); 0: it was with a person */
	bool is_sole; /* no person can have typed since, so the end of the text suffices */
	bool was_entered; /* Enter was pressed, or was about to be when the daemon was killed */
	uint64_t typed_offset, seen_offset; /* of the screen before typing, and of the last look */
	uint64_t before_enter; /* output offset where the effects of Enter begin */
	unsigned entered_row, entered_column; /* cursor before Enter */
};

void submit_line_init(struct submit_line *line);
void submit_line_finish(struct submit_line *line);
/* Erases the text, which may be a secret. Keeps what was seen. */
void submit_line_wipe(struct submit_line *line);
void submit_line_reset(struct submit_line *line);

/* Call this before the text is typed at the prompt of this screen. */
void submit_line_begin(
    struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty);
/* For a text that an earlier daemon typed, or a try without a reply. */
void submit_line_resume(struct submit_line *line, const struct pane_tty *tty);

/*
 * Call this with submit_guard_activity() and submit_has_person() of each listing, before
 * submit_line_stands(). A person who uses other panes cannot come and go between two notes that
 * follow each other closely.
 */
void submit_line_note(struct submit_line *line, uint64_t activity, bool has_person);
bool submit_line_note_is_due(const struct submit_line *line);

/* Returns true if the text is alone on the prompt line. */
bool submit_line_stands(const struct submit_line *line, const struct pane_screen *screen);

/*
 * Returns true if the text is seen. is_lenient: if the program is known to take the text, a changed
 * form counts too when the screen has settled: a paste folded to one word, or a secret.
 */
bool submit_line_is_shown(struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, bool is_lenient);
/* Returns why the text will not be seen any more, or NULL if it still may. */
const char *submit_line_echo_late(const struct submit_line *line, const struct pane_tty *tty);

/*
 * Returns how long to wait before Enter. Programs that handle Ctrl-C as a key take an Enter that
 * follows the text at once as part of a paste. Others, such as line editors, need no pause.
 */
int64_t submit_line_rest_ms(const struct submit_line *line, const struct pane_tty *tty);

/* Call these before Enter is pressed on this screen, and after. */
void submit_line_press(struct submit_line *line, const struct pane_screen *screen);
void submit_line_pressed(struct submit_line *line);

/* Returns true if two looks in a row agree that the text was taken. */
bool submit_line_is_taken(struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, enum submit_sight sight);
/* Returns true if Enter must be pressed again: it was read, and the text is still there. */
bool submit_line_needs_enter(
    const struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty);
/* Two looks without output show that the program handled Enter and left the text. */
bool submit_line_is_left(
    struct submit_line *line, const struct pane_screen *screen, bool is_computing);
/* Returns why the text will not be taken any more, or NULL if it still may. */
const char *submit_line_taken_late(const struct submit_line *line, const struct pane_tty *tty);
/* Returns true if Enter has been delayed for longer than a slow program can explain. */
bool submit_line_is_late(const struct submit_line *line);

/*
 * Returns how many characters to delete at the beginning of the line to remove the text. 0: the
 * text is not there, or editors may count its characters in another way.
 */
size_t submit_line_characters(const struct submit_line *line);
/*
 * submit_line_retract(): the text is deleted. Then submit_line_is_retracted() returns true if two
 * looks in a row miss the text, and submit_line_retract_is_late() if that takes too long.
 */
void submit_line_retract(struct submit_line *line);
bool submit_line_is_retracted(
    struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty);
bool submit_line_retract_is_late(const struct submit_line *line);

/* Returns true if a menu should have taken its choice long ago. */
bool submit_line_choice_is_late(const struct submit_line *line);

/* Returns the time until the next look if there is no output. */
int64_t submit_line_look_ms(const struct submit_line *line);
