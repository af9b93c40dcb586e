/* SPDX-License-Identifier: ISC */
/*
 * The callers of typing: how their guards differ, the text that they hand over, and what they
 * are called back with.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/server/right.h"

#define SUBMIT_REASON_SIZE 160
#define SUBMIT_BUSY_QUIET_MS 15000 /* then a pane whose agent reports busy is looked at */
#define SUBMIT_TEXT_MAX (1024 * 1024 + 4) /* bytes of a text */

/* Whether a known agent shows its empty prompt. */
enum submit_sight {
	SIGHT_UNKNOWN, /* it works or asks, or is no known agent */
	SIGHT_FREE,
	SIGHT_NOT_FREE, /* a draft, or nothing that is known */
};

/*
 * How a caller's guards differ. Without a flag: only while the agent in the pane is idle or
 * the pane is quiet, only into a program that is expected or edits lines, never into a shell,
 * and only at an empty prompt without a question.
 */
struct submit_policy {
	bool is_once; /* a guard that holds is the end, as SUBMIT_HELD; else it is tried again */
	bool knows_prompt; /* judge() decides on program and prompt: the program may be a shell */
	bool answers_question; /* the text is an answer: a question on the screen is no reason */
	bool keeps_pane; /* a submitted text keeps the pane until submit_release() */
	bool is_raw; /* keys for any program: only the pane's state counts, and no echo */
	bool leaves_mode; /* end a mode of the pane, such as copy mode, first */
	struct right_only only; /* as of typing */
};

/* A text, and how it is typed. */
struct submit_text {
	struct buf bytes;
	bool is_paste;
	bool is_bracketed; /* a paste: with brackets, if the program asked for them */
	bool is_unseen; /* the program does not show it: a secret */
	bool has_no_enter;
	bool is_choice; /* of a menu, by its number; empty: the marked one */
};

/* A menu on a screen, as the program shows it after a choice was typed. */
enum submit_choice {
	CHOICE_OPEN, /* it is there, and another choice is marked */
	CHOICE_MARKED, /* it is there: Enter takes the choice */
	CHOICE_TAKEN, /* it is gone, or is another one: Enter would answer something else */
	CHOICE_ASTRAY, /* the same, and the number stands in what came instead */
	CHOICE_WORKS, /* it is gone, and the program shows that it works */
};

enum submit_result {
	SUBMIT_SUBMITTED, /* seen on the prompt line, and seen to leave it after Enter */
	SUBMIT_TYPED, /* the text may stand there, or not: a person has to look */
	SUBMIT_HELD, /* is_once: nothing was typed; a later try may succeed */
	SUBMIT_REFUSED, /* nothing was typed, and nothing ever will: the pane is gone */
	SUBMIT_NOTHING, /* there is nothing to type any more */
};

struct submit_end {
	enum submit_result result;
	const char *reason; /* NULL: none */
	uint64_t before_enter; /* offset in the output where the effects of Enter begin */
	int error; /* is_raw: of the library, where tmux refused; else 0 */
	const struct muxbus_reply *replies; /* is_raw: of the command that did not type */
	size_t count;
};

struct submit_handlers {
	/* Whether there is still something to type; asked at each look. NULL: always. */
	bool (*is_wanted)(void *data);
	/*
	 * text.is_choice: what has become of the menu. Of another answer: CHOICE_TAKEN once neither
	 * the question nor the answer stands there.
	 */
	enum submit_choice (*choice)(void *data, const struct pane_screen *screen);
	/*
	 * Appends patterns for rows that must stand on the screen in the moment of typing, each ended
	 * by a newline: letters, digits and '*'. NULL: there are none.
	 */
	void (*stands)(void *data, const struct pane_screen *screen, struct buf *out);
	/* knows_prompt: whether the program takes the text now; false with a reason. */
	bool (*judge)(void *data, const struct muxbus_pane *pane, const struct pane_screen *screen,
	    char ret_reason[SUBMIT_REASON_SIZE]);
	/* The guards agree: writes the text to type now. False: there is none any more. */
	bool (*compose)(void *data, struct submit_text *text);
	/* Not now, for a reason; tried again. is_new: another reason than before. */
	void (*deferred)(void *data, const char *reason, bool is_new);
	/* The submit rests then. May free it. */
	void (*ended)(void *data, const struct submit_end *end);
};
