/* SPDX-License-Identifier: ISC */
/*
 * The draft in a pane: text in the input line at the cursor that Muxbus did not type. The line
 * begins behind the prompt that the shell marked (OSC 133 A and B), or else behind what looks like
 * a prompt. Without either, only a shell that edits its line shows a draft. Pure functions of a
 * screen.
 */
#pragma once

#include "daemon/pane/prompt.h"

enum { DRAFT_TEXT_SIZE = 41 }; /* bytes of the text that is given as evidence */

/* The evidence for or against a draft, weakest first. */
enum draft_sign {
	DRAFT_BY_KEYS, /* only keys that a person pressed count */
	DRAFT_BY_PROMPT, /* text that looks like a prompt with typed text */
	DRAFT_BY_MARK, /* the shell marked where its prompt ends */
};

struct draft_facts {
	const struct prompt_view *view;
	const char *lead; /* the prompt that the shell marked; NULL: unknown */
	const char *cwd; /* of the program: signs in its path end no prompt; NULL: unknown */
	bool is_shell; /* false: an input line may begin above the cursor's row */
	bool is_editing; /* a shell is editing a line, and shows all that Muxbus typed */
	const char *typed; /* what Muxbus typed into the line, UTF-8; lent */
	size_t typed_len;
	size_t fresh; /* offset in typed of what was typed since the line was seen empty */
	const char *ended; /* lines that Muxbus ended and the program may not have read; lent */
	size_t ended_len;
	bool is_untouched; /* no key of a person since, so the screen may lag behind */
	bool is_other_form; /* the program may show a text in another form: "[Pasted …]" */
};

struct draft {
	enum draft_sign sign;
	bool is_there;
	bool is_empty;
	char text[DRAFT_TEXT_SIZE]; /* beginning of the draft; '.' for other than ASCII */
};

void draft_read(const struct draft_facts *facts, struct draft *ret_draft);

const char *draft_sign_name(enum draft_sign sign);
