/* SPDX-License-Identifier: ISC */
/*
 * Decides whether an empty prompt is on the screen. The cursor's row ends like a prompt, the shell
 * has marked its prompt (OSC 133), or the screen of a known agent shows it. Against it, for
 * example: the program in front runs, asks for a secret or offers a choice.
 */
#pragma once

#include "daemon/pane/foreground.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/screen_sign.h"

/* required ms without output, if it is not known whether the program waits for input */
#define PROMPT_DOUBT_MS 1500

/* The last mark of a shell (OSC 133) in the output. All zeros: none was seen. */
struct prompt_mark {
	char mark;
	bool is_passed; /* output after the mark has ended a line, or came after a pause */
	/* output has paused since the mark: later output is not of this prompt */
	bool has_rested;
	uint64_t to; /* output offset of the end of the mark */
};

void prompt_mark_set(struct prompt_mark *mark, char letter, uint64_t to);
/* Call this with all output, after prompt_mark_set() for the marks in it. */
void prompt_mark_output(
    struct prompt_mark *mark, uint64_t offset, const uint8_t *bytes, size_t len);
/* Returns true if the shell is still at the prompt that it marked (A or B). */
bool prompt_mark_holds(const struct prompt_mark *mark);

struct prompt_facts {
	const struct prompt *prompt;
	bool has_cursor;
	bool is_alternate;
	bool is_agent; /* the program is a known agent, which may use the alternate screen */
	bool is_marked; /* prompt_mark_holds() */
	bool asks;
	enum screen_sign_kind sign; /* the state that the agent's whole screen shows */
	enum agent_reads reads;
	struct pane_tty tty;
	int64_t quiet_ms; /* time since the last output */
};

/* Returns NULL if an empty prompt is on the screen, else the reason against it. */
const char *prompt_refusal(const struct prompt_facts *facts);
