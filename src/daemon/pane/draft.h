/* SPDX-License-Identifier: ISC */
/*
 * The draft in a pane: text in the input line at the cursor that Muxbus did not type. The line
 * begins after the prompt that the shell marked (OSC 133 A and B), or else after a text that looks
 * like a prompt. Without either, only a shell that edits its line shows a draft. The functions use
 * only their arguments.
 */
#pragma once

#include "daemon/pane/prompt.h"

enum { DRAFT_TEXT_SIZE = 41 }; /* bytes of the text that is given as evidence */

/* The evidence for or against a draft, weakest first. */
enum draft_sign {
	DRAFT_BY_KEYS, /* the screen shows nothing: only keys that a person pressed count */
	DRAFT_BY_PROMPT, /* text after what looks like a prompt, or in a row that a shell edits */
	DRAFT_BY_MARK, /* the shell has marked where its prompt ends */
};

struct draft_facts {
	const struct prompt_view *view;
	const char *lead; /* text of the prompt that the shell has marked; NULL: unknown */
	/* the program's directory, in whose path signs do not end the prompt; NULL: unknown */
	const char *cwd;
	bool is_shell;
	bool is_editing; /* a shell edits its line, and has had time to draw what Muxbus typed */
	const char *typed; /* what Muxbus typed into the line, UTF-8 */
	size_t typed_len;
	size_t fresh; /* offset in `typed` of what was typed after the line was seen empty */
	/* lines that Muxbus typed and ended, and that the program may not have read yet */
	const char *ended;
	size_t ended_len;
	/* no person has pressed a key since Muxbus typed, but the screen may be late */
	bool is_untouched;
	bool is_other_form; /* the program may show a text in another form, as "[Pasted …]" */
};

struct draft {
	enum draft_sign sign;
	bool is_there;
	bool is_empty;
	/* start of the input line's text, with '.' for characters that are not ASCII */
	char text[DRAFT_TEXT_SIZE];
};

void draft_read(const struct draft_facts *facts, struct draft *ret_draft);

const char *draft_sign_name(enum draft_sign sign);
