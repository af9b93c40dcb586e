/* SPDX-License-Identifier: ISC */
/*
 * A text on its way through a prompt: what was typed, and what was seen of it since. The text is
 * searched at the cursor, behind the prompt where it was typed. After Enter it must leave that
 * place; where no text can be seen there, any effect counts. The functions do no I/O: they get the
 * screens and terminals.
 */
#pragma once

#include "daemon/input/submit_policy.h"
#include "daemon/pane/prompt.h"

/* pause before Enter, which would otherwise look like part of a paste */
#define SUBMIT_ENTER_AFTER_MS 150

struct pane_tty;

struct submit_line {
	struct submit_text text; /* kept until the submit ends or drops the text */
	bool has_lead;
	/* text of the prompt, in front of the typed text */
	char lead[sizeof((struct prompt *)0)->lead];
	unsigned lead_column; /* column of the cursor before typing */
	bool was_cooked;
	int64_t typed_ms; /* CLOCK_MONOTONIC, as all members in ms; 0: nothing was typed */
	int64_t entered_ms; /* first Enter; 0: none */
	int64_t pressed_ms; /* last Enter */
	int64_t changed_ms; /* last change of the screen; a choice: last look that saw its menu */
	unsigned enters;
	unsigned agreed; /* consecutive looks that found the text taken, or the deleted text gone */
	unsigned rested; /* consecutive looks that found the program at rest after Enter */
	bool is_echo_seen;
	bool is_exact; /* the text is alone on the prompt line */
	bool was_gone; /* a choice: its menu was missing for a time, or another one was there */
	bool has_stayed; /* a choice: its number alone did not take it */
	bool is_altered; /* other text is on the line as well */
	/* submit_guard_activity() when is_sole was last true; 0: unknown */
	uint64_t activity;
	int64_t noted_ms; /* time of the last submit_line_note(); 0: there was a person */
	/* no person can have typed since the text, so its end is enough to find it */
	bool is_sole;
	bool was_entered; /* Enter was pressed, or may have been */
	/* output offsets: of the screen before typing, and of the last look */
	uint64_t typed_offset, seen_offset;
	uint64_t before_enter; /* output offset from which on the output is an effect of Enter */
	unsigned entered_row, entered_column; /* position of the cursor before Enter */
};

void submit_line_init(struct submit_line *line);
void submit_line_finish(struct submit_line *line);
/* Erases the text, which may be a secret. The observations about it are kept. */
void submit_line_wipe(struct submit_line *line);
/* Drops the text, and what was seen of it. */
void submit_line_reset(struct submit_line *line);

/* Call this before the text is typed at the prompt of this screen. */
void submit_line_begin(
    struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty);
/* Call this instead for a text that is at the prompt already. */
void submit_line_resume(struct submit_line *line, const struct pane_tty *tty);

/*
 * Call this after each listing of tmux, before submit_line_stands(), with the results of
 * submit_guard_activity() and submit_has_person(). A person who uses other panes cannot come and go
 * between two such notes in short succession.
 */
void submit_line_note(struct submit_line *line, uint64_t activity, bool has_person);
/* Returns true if a new listing is needed for submit_line_note(). */
bool submit_line_note_is_due(const struct submit_line *line);

/* Returns true if the text is alone on the prompt line. */
bool submit_line_stands(const struct submit_line *line, const struct pane_screen *screen);
/* Returns true if the text is at the prompt, or if its end is there and no more is in sight. */
bool submit_line_may_stand(const struct submit_line *line, const struct pane_screen *screen);

/*
 * Returns true if the text is seen. is_lenient: the program is known to take the text, so a secret
 * counts as seen, and other forms too: a folded paste or a text beside other text when the screen
 * has settled, an echo of the kernel beside output, or a text at a changed prompt.
 */
bool submit_line_is_shown(struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, bool is_lenient);
/* Returns why the text will not be seen any more, or NULL if it still may. */
const char *submit_line_echo_late(const struct submit_line *line, const struct pane_tty *tty);

/*
 * Returns how long to wait before Enter, in ms. Programs that handle Ctrl-C as a key take an Enter
 * that follows the text at once as part of a paste. Others, such as line editors, need no pause if
 * the text is seen exactly.
 */
int64_t submit_line_rest_ms(const struct submit_line *line, const struct pane_tty *tty);

/* Call submit_line_press() before Enter is pressed on this screen, submit_line_pressed() after. */
void submit_line_press(struct submit_line *line, const struct pane_screen *screen);
void submit_line_pressed(struct submit_line *line);

/* Call this at each look after Enter. Returns true when two looks in a row show the text taken. */
bool submit_line_is_taken(struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, enum submit_sight sight);
/* Returns true if Enter may be due again: it was read a while ago, but the text is still there. */
bool submit_line_needs_enter(
    const struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty);
/*
 * Returns true when two looks without output between them found the program at rest, so that it
 * has handled Enter and left the text. is_computing: it uses the CPU now.
 */
bool submit_line_is_left(
    struct submit_line *line, const struct pane_screen *screen, bool is_computing);
/* Returns why the text will not be taken any more, or NULL if it still may. */
const char *submit_line_taken_late(const struct submit_line *line, const struct pane_tty *tty);
/* Returns true if Enter has been put off for longer than even a slow program would need. */
bool submit_line_is_late(const struct submit_line *line);

/*
 * Returns how many characters to delete at the begin of the line to remove the text; 0: unknown,
 * for example after Enter, for a secret, or if line editors may count its characters differently.
 */
size_t submit_line_characters(const struct submit_line *line);
/*
 * Call submit_line_retract() when the text was deleted. Then submit_line_is_retracted() returns
 * true when two looks in a row miss the text, and submit_line_retract_is_late() if that takes too
 * long.
 */
void submit_line_retract(struct submit_line *line);
bool submit_line_is_retracted(
    struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty);
bool submit_line_retract_is_late(const struct submit_line *line);

/* Returns true if the menu should have taken its choice long ago. */
bool submit_line_choice_is_late(const struct submit_line *line);

/* Returns the time until the next look if no output comes, in ms. */
int64_t submit_line_look_ms(const struct submit_line *line);
