/* SPDX-License-Identifier: ISC */
/* Callers give a submit the guards that count, the text and callbacks, and get its result. */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/server/role.h"

#define SUBMIT_REASON_SIZE 160
/* after this time without output, signs that a program works no longer forbid typing */
#define SUBMIT_BUSY_QUIET_MS 15000
#define SUBMIT_TEXT_MAX (1024 * 1024 + 4) /* bytes of a text */
/* bytes; agents may show a placeholder for a longer paste (opencode), and none for a shorter one */
#define SUBMIT_PASTE_SHOWN_MAX 150

enum submit_sight {
	SIGHT_UNKNOWN, /* the agent works or asks, or is not known */
	/* The agent's empty prompt is shown. */
	SIGHT_FREE,
	SIGHT_NOT_FREE, /* the prompt has a draft, or no known sign is on the screen */
};

/*
 * Which guards count. Without any flag a text is typed only while the pane is quiet, into the
 * expected program, a known agent or a kept one, at an empty prompt without a question.
 */
struct submit_policy {
	bool is_once; /* no later try: where typing would be put off, ends (SUBMIT_HELD, _TYPED) */
	/* the handler judge() checks program and prompt, and shells are allowed */
	bool knows_prompt;
	/* The text is an answer, so a question on the screen is no obstacle. */
	bool answers_question;
	/* once submitted, the text keeps the pane (submit_keep()) */
	bool keeps_pane;
	/* Keys for any program: the screen is not looked at, and the text need not be seen. */
	bool is_raw;
	bool leaves_mode; /* ends a mode of the pane first, such as copy mode */
	struct role_only only; /* the processes that may get the keys; empty: any */
};

struct submit_text {
	struct buf bytes;
	bool is_paste;
	bool is_bracketed; /* a paste in brackets, if the program has asked for these (mode 2004) */
	bool is_unseen; /* a secret: the program does not show it */
	bool has_no_enter;
	/* the number of a choice in a menu; empty text: the choice that is marked */
	bool is_choice;
};

/*
 * Returns true if the text has "?" or "!". At the empty prompt of some agents, these are shortcuts
 * for help and for a shell command. Gemini CLI takes its prompt for empty until it has handled all
 * keys that came together, so the character may be anywhere in the text. In a paste it is text.
 */
bool submit_has_shortcut(const char *text, size_t len);

/* The state of a menu on the screen, for one of its choices. */
enum submit_choice {
	CHOICE_OPEN, /* the menu, and another choice is marked */
	CHOICE_MARKED, /* the menu, and this choice is marked: Enter takes it */
	CHOICE_TAKEN, /* no menu, or another one: Enter would answer something else */
	/* like CHOICE_TAKEN, but the number was typed into the screen after the menu */
	CHOICE_ASTRAY,
	CHOICE_WORKS, /* no menu, and the program works */
};

enum submit_result {
	SUBMIT_SUBMITTED, /* submitted, as far as this can be seen; with has_no_enter: typed */
	SUBMIT_TYPED, /* it may have been typed, but not submitted: a person has to look */
	SUBMIT_HELD, /* nothing was seen to be typed, and a later try may succeed */
	/* nothing was typed, and nothing will be, for example as the pane is closed */
	SUBMIT_REFUSED,
	SUBMIT_NOTHING, /* is_wanted() or compose() has returned false */
};

struct submit_end {
	enum submit_result result;
	const char *reason; /* NULL: none */
	uint64_t before_enter; /* output offset where the effects of Enter begin; 0: unknown */
	int error; /* with is_raw: libmuxbus's error for the command that did not type; else 0 */
	/* with is_raw: replies to the command that did not type; NULL: none */
	const struct muxbus_reply *replies;
	size_t count;
};

struct submit_handlers {
	/* Returns true if the text is still wanted. Not called with is_raw. NULL: it is wanted. */
	bool (*is_wanted)(void *data);
	/* Returns what became of the menu (CHOICE_TAKEN: no question or answer is left there). */
	enum submit_choice (*choice)(void *data, const struct pane_screen *screen);
	/* Appends patterns (letters, digits, '*') of rows that tmux must find, one a line. */
	void (*stands)(void *data, const struct pane_screen *screen, struct buf *out);
	/* With knows_prompt: returns true if the program takes the text; false with a reason. */
	bool (*judge)(void *data, const struct muxbus_pane *pane, const struct pane_screen *screen,
	    char ret_reason[SUBMIT_REASON_SIZE]);
	/* Writes the text, when the guards allow typing; false: nothing is to be typed. */
	bool (*compose)(void *data, struct submit_text *text);
	/*
	 * Called when was_entered of submit_read_past() changes, so that the caller stores it:
	 * before the first Enter, and if Enter counts as not pressed after all. May be NULL.
	 */
	void (*entering)(void *data);
	/* Called if typing is put off (not with is_once). is_new: another reason than before. */
	void (*deferred)(void *data, const char *reason, bool is_new);
	/* Called at the end of a text, but not by submit_drop(). May free the submit. */
	void (*ended)(void *data, const struct submit_end *end);
};
