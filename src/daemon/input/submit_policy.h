/* SPDX-License-Identifier: ISC */
/* The callers of typing: how their guards differ, their texts, and their callbacks. */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/server/role.h"

#define SUBMIT_REASON_SIZE 160
#define SUBMIT_BUSY_QUIET_MS 15000 /* quiet after which a busy agent's screen is looked at */
#define SUBMIT_TEXT_MAX (1024 * 1024 + 4) /* bytes of a text */

enum submit_sight {
	SIGHT_UNKNOWN, /* the agent works or asks, or is unknown */
	SIGHT_FREE,
	SIGHT_NOT_FREE, /* the prompt has a draft, or no known sign is shown */
};

/*
 * How the guards differ. Without any flag a text is typed only while the pane is quiet, into a
 * program that is expected or that edits lines but is no shell, at an empty prompt without a
 * question.
 */
struct submit_policy {
	bool is_once; /* ends with SUBMIT_HELD if a guard prevents typing */
	bool knows_prompt; /* judge() checks program and prompt; shells are allowed */
	/* The text is an answer, so a question on the screen is no obstacle. */
	bool answers_question;
	bool keeps_pane; /* a submitted text keeps the pane, until submit_release() */
	/* Keys for any program: only the pane's state is checked, and no echo is needed. */
	bool is_raw;
	bool leaves_mode; /* ends a mode of the pane first, such as copy mode */
	struct role_only only; /* processes that may get the keys; none: any */
};

struct submit_text {
	struct buf bytes;
	bool is_paste;
	bool is_bracketed; /* with the brackets of a paste, if the program asked for them */
	bool is_unseen; /* not shown by the program: a secret */
	bool has_no_enter;
	bool is_choice; /* the number of a choice in a menu; empty: the marked choice */
};

/* A menu on the screen, after its choice was typed. */
enum submit_choice {
	CHOICE_OPEN, /* the menu, with another choice marked */
	CHOICE_MARKED, /* the menu, with this choice marked: Enter takes it */
	CHOICE_TAKEN, /* no menu, or another one: Enter would answer something else */
	CHOICE_ASTRAY, /* like CHOICE_TAKEN, but the number was typed into what followed */
	CHOICE_WORKS, /* no menu, and the program works */
};

enum submit_result {
	SUBMIT_SUBMITTED, /* seen on the prompt line, and gone from it after Enter */
	SUBMIT_TYPED, /* typed, perhaps not submitted, so a person has to look */
	SUBMIT_HELD, /* is_once: nothing was typed, and a later try may succeed */
	SUBMIT_REFUSED, /* nothing was typed, nor ever will be, as the pane is closed */
	SUBMIT_NOTHING, /* the text is no longer wanted */
};

struct submit_end {
	enum submit_result result;
	const char *reason; /* NULL: none */
	uint64_t before_enter; /* offset in the output where the effects of Enter begin */
	int error; /* is_raw: the library's error if tmux refused the command; else 0 */
	const struct muxbus_reply *replies; /* is_raw: of the command that did not type */
	size_t count;
};

struct submit_handlers {
	/* Returns true if the text is still wanted. Called at each look. NULL: always wanted. */
	bool (*is_wanted)(void *data);
	/* Returns what became of the menu. CHOICE_TAKEN if no question or answer is left. */
	enum submit_choice (*choice)(void *data, const struct pane_screen *screen);
	/* Appends patterns (letters, digits, '*') that rows must match, each with a newline. */
	void (*stands)(void *data, const struct pane_screen *screen, struct buf *out);
	/* knows_prompt: returns true if the program takes the text now; false with a reason. */
	bool (*judge)(void *data, const struct muxbus_pane *pane, const struct pane_screen *screen,
	    char ret_reason[SUBMIT_REASON_SIZE]);
	/* The guards allow typing: writes the text. Returns false if there is none any more. */
	bool (*compose)(void *data, struct submit_text *text);
	/* Called before Enter, and when the text is taken back, to store this. May be NULL. */
	void (*entering)(void *data);
	/* Called when typing is deferred. is_new: the reason has changed. */
	void (*deferred)(void *data, const char *reason, bool is_new);
	/* Called at the end of a text, when the submit is resting. May free the submit. */
	void (*ended)(void *data, const struct submit_end *end);
};
