/* SPDX-License-Identifier: ISC */
/*
 * Decides which tmux commands run_tmux allows. Some would block our connection, print into a user's
 * pane, act on our own client, or end what people work with.
 */
#pragma once

#include "base/base.h"

enum command_verdict {
	COMMAND_ALLOWED,
	COMMAND_NEEDS_FORCE, /* allowed with "force"; reason says why */
	COMMAND_REFUSED, /* also refused with "force"; reason says what to use instead */
	COMMAND_CLOSES, /* closes or ends its target, which must be checked */
};

enum command_target {
	COMMAND_TARGET_SERVER,
	COMMAND_TARGET_SESSION,
	COMMAND_TARGET_WINDOW,
	COMMAND_TARGET_PANE,
};

struct command_judgement {
	enum command_verdict verdict;
	const char *name; /* full name of the command; NULL if it is not known */
	const char *nearest; /* if name is NULL, the nearest name; or NULL */
	const char *reason; /* part of a sentence */
	enum command_target target; /* if COMMAND_CLOSES, the kind of its target */
	const char *target_text; /* the value of its -t; NULL: none */
	bool types; /* the command gives keys to its target */
	bool only_looks; /* the command changes nothing in the model */
	uint32_t needs_caps; /* capabilities without which tmux refuses the command, or crashes */
	uint32_t fatal_caps; /* capabilities with which tmux can crash; 0: none */
};

/*
 * Judges a command by its words. The name may be an alias or an unambiguous beginning. Words that
 * run later, as in key bindings, are not checked: the policy prevents mistakes, not attacks.
 */
void command_judge(const char *const *words, size_t count, struct command_judgement *ret_judgement);
