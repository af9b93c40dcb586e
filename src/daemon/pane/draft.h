/* SPDX-License-Identifier: ISC */
/*
 * The draft in a pane: text in the input line at the cursor that Muxbus did not type. The line
 * begins behind the prompt that the shell marked (OSC 133 A and B), else behind what looks like
 * one. Without either, nothing on the screen tells. Pure: a screen in, a verdict out.
 */
#pragma once

#include "daemon/pane/prompt.h"

enum { DRAFT_TEXT_SIZE = 41 }; /* of the text that is shown as evidence */

/* Which sign tells whether there is a draft. */
enum draft_sign {
	DRAFT_BY_KEYS, /* none on the screen: only the keys that a person pressed count */
	DRAFT_BY_PROMPT, /* the line looks like a prompt and what was typed there */
	DRAFT_BY_MARK, /* the shell marked where its prompt ends */
};

struct draft_facts {
	const struct prompt_view *view;
	const char *lead; /* the prompt that the shell marked; NULL: none is known */
	const char *cwd; /* of the program: signs in its names end no prompt; NULL: not known */
	bool is_shell; /* else a line may begin above the cursor's row */
	bool is_editing; /* a shell edits a line just now, and what Muxbus typed is shown by now */
	const char *typed; /* UTF-8: what Muxbus has typed into the line; lent */
	size_t typed_len;
	size_t fresh; /* where in it begins what was typed since the line was seen empty */
	const char *ended; /* lines that Muxbus has ended and the program may not have read; lent */
	size_t ended_len;
	bool is_untouched; /* no person has pressed a key since: what is shown may still grow */
	bool is_other_form; /* the program may show what Muxbus typed as other text: "[Pasted …]" */
};

struct draft {
	enum draft_sign sign;
	bool is_there;
	bool is_empty; /* nothing is in the line */
	char text[DRAFT_TEXT_SIZE]; /* its beginning; not ASCII: a full stop */
};

void draft_read(const struct draft_facts *facts, struct draft *ret_draft);

const char *draft_sign_name(enum draft_sign sign);
