/* SPDX-License-Identifier: ISC */
/*
 * Decides which tmux commands the method run_tmux allows. Some commands would, for example, block
 * our connection, print into a user's pane, act on our own client, or end what people work with.
 */
#pragma once

#include "base/base.h"

enum command_verdict {
	COMMAND_ALLOWED,
	COMMAND_NEEDS_FORCE, /* allowed with "force" */
	COMMAND_REFUSED, /* refused even with "force" */
	COMMAND_CLOSES, /* closes its target: the caller checks whether this may be done */
};

enum command_target {
	COMMAND_TARGET_SERVER,
	COMMAND_TARGET_SESSION,
	COMMAND_TARGET_WINDOW,
	COMMAND_TARGET_PANE,
};

struct command_judgement {
	enum command_verdict verdict;
	const char *name; /* full name of the command; NULL: not known */
	/* nearest known name to an unknown command or layout; or NULL */
	const char *nearest;
	const char *reason; /* why a command needs "force" or is refused: a clause */
	enum command_target target; /* for COMMAND_CLOSES: the kind of its target */
	const char *target_text; /* value of its flag -t; NULL: none */
	bool types; /* types into its target */
	bool only_looks; /* changes nothing in the model */
	/* capabilities (MUXBUS_CAP_…) without which tmux refuses the command or crashes; 0: none */
	uint32_t needs_caps;
	uint32_t fatal_caps; /* capabilities with which tmux may crash; 0: none */
};

/*
 * Judges a command by its words. words[0] may be an alias or the beginning of one name. Commands
 * that run later, as in key bindings, are not checked: the policy prevents mistakes, not attacks.
 */
void command_judge(const char *const *words, size_t count, struct command_judgement *ret_judgement);
