/* SPDX-License-Identifier: ISC */
/*
 * Which tmux commands run_tmux lets through: some would wedge our connection, print into a
 * user's pane, or be lost on a client that no one sees; some can end what people work with.
 */
#pragma once

#include "base/base.h"

enum command_verdict {
	COMMAND_ALLOWED,
	COMMAND_NEEDS_FORCE, /* reason says why */
	COMMAND_REFUSED, /* also with force; reason says what to use instead */
	COMMAND_CLOSES, /* closes or ends its target: that is to be looked at */
};

enum command_target {
	COMMAND_TARGET_SERVER,
	COMMAND_TARGET_SESSION,
	COMMAND_TARGET_WINDOW,
	COMMAND_TARGET_PANE,
};

struct command_judgement {
	enum command_verdict verdict;
	const char *name; /* the command's full name, NULL if it is not known */
	const char *nearest; /* then perhaps what was meant */
	const char *reason; /* half a sentence */
	enum command_target target; /* COMMAND_CLOSES: what kind of thing it closes */
	const char *target_text; /* the value of its -t, NULL if it has none */
	bool types; /* it gives keys to its target */
	bool only_looks; /* it changes nothing that has to be read back */
	uint32_t needs_caps; /* of tmux: without them it refuses this, or worse */
	uint32_t fatal_caps; /* of tmux: with them it can die of this; 0: of none */
};

/*
 * Judges a command by its words. Names are read as tmux reads them: by alias, in full, or by an
 * unambiguous beginning. Words that run later, those of a key binding, a hook, an option or a
 * shell, are not looked at. This guards against mistakes, and not against intent.
 */
void command_judge(const char *const *words, size_t count, struct command_judgement *ret_judgement);
