/* SPDX-License-Identifier: ISC */
/*
 * The draft in a pane: text in the input line at the cursor that Muxbus did not type. The line
 * begins behind the prompt that the shell marked (OSC 133 A and B), or else behind what looks like
 * a prompt. Without either, only a shell that edits its line shows a draft. The functions use only
 * the screen that they get.
 */
#pragma once

#include "daemon/pane/prompt.h"

enum { DRAFT_TEXT_SIZE = 41 }; /* bytes of the text that is given as evidence */

/* The evidence for or against a draft, weakest first. */
enum draft_sign {
	DRAFT_BY_KEYS, /* the screen shows nothing: only keys that a person pressed count */
	DRAFT_BY_PROMPT, /* what looks like a prompt, and the text behind it */
	DRAFT_BY_MARK, /* the shell has marked where its prompt ends */
};

struct draft_facts {
	const struct prompt_view *view;
	const char *lead; /* text of the prompt that the shell has marked; NULL: unknown */
	/* the program's directory, as signs in its path do not end the prompt; NULL: unknown */
	const char *cwd;
	bool is_shell; /* false: the input line may begin above the cursor's row */
	bool is_editing; /* a shell is editing a line, and has drawn all that Muxbus typed */
	const char *typed; /* what Muxbus typed into the line, UTF-8 */
	size_t typed_len;
	size_t fresh; /* offset in `typed` of what was typed after the line was seen empty */
	/* lines that Muxbus typed and ended, and that the program may not have read yet */
	const char *ended;
	size_t ended_len;
	/* no person has pressed a key since, so the screen may only lag behind */
	bool is_untouched;
	bool is_other_form; /* the program may show a text in another form, as "[Pasted …]" */
};

struct draft {
	enum draft_sign sign;
	bool is_there;
	bool is_empty;
	/* begin of the draft, with '.' for characters that are not ASCII */
	char text[DRAFT_TEXT_SIZE];
};

void draft_read(const struct draft_facts *facts, struct draft *ret_draft);

const char *draft_sign_name(enum draft_sign sign);
