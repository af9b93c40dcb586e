/* SPDX-License-Identifier: ISC */
/*
 * Whether a prompt is in sight: more than quiet. A row that ends as prompts do, with nothing
 * behind it, or the marks of shell integration (OSC 133), and nothing that speaks against it: the
 * program in front computes or sleeps, asks for a secret, offers a choice, or fills the screen.
 * Pure: facts in, a verdict out.
 */
#pragma once

#include "daemon/pane/foreground.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/screen_sign.h"

#define PROMPT_DOUBT_MS 1500 /* of quiet where it is not known what the program waits for */

/* The last mark of a shell in the output. Zeroed: none was seen. */
struct prompt_mark {
	char mark;
	bool is_passed; /* a line has ended behind it, or more came after a rest */
	bool has_rested;
	uint64_t to; /* offset behind it */
};

void prompt_mark_set(struct prompt_mark *mark, char letter, uint64_t to);
/* Output, the marks of which were set before. */
void prompt_mark_output(
    struct prompt_mark *mark, uint64_t offset, const uint8_t *bytes, size_t len);
/* The output rests: text that comes later, without a mark, is no part of the prompt. */
void prompt_mark_rest(struct prompt_mark *mark);
/* Whether the shell is at the prompt that it marked (A or B). */
bool prompt_mark_holds(const struct prompt_mark *mark);

struct prompt_facts {
	const struct prompt *prompt;
	bool has_cursor;
	bool is_alternate; /* the alternate screen is shown */
	bool is_agent; /* the program is a known agent: these may fill the screen */
	bool is_marked; /* the shell says so */
	bool asks; /* the row asks for an answer */
	enum screen_sign_kind sign; /* of the agent, on its whole screen */
	enum agent_reads reads;
	struct pane_tty tty;
	int64_t quiet_ms; /* since the last output */
};

/* NULL if an empty prompt is in sight, else what speaks against it. */
const char *prompt_refusal(const struct prompt_facts *facts);
