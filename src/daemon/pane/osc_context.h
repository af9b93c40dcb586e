/* SPDX-License-Identifier: ISC */
/*
 * Contexts: OSC 3008 as systemd writes it, "3008;start=ID;KEY=VALUE;..." or "3008;end=ID;...". In
 * a value "\xHH" is a byte. Of the keys only those of muxbus are read, in any order:
 * muxbus (the token), agent, session, state, question, wake and to. A word that is too long or
 * has other characters than a word may have is as absent; texts are cleaned and cut.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "daemon/tmux/osc_report.h"

#define OSC_TOKEN_MAX 64
#define OSC_QUESTION_MAX 256 /* bytes; more is cut at a character */

struct osc_context {
	bool is_end;
	char id[OSC_ID_MAX + 1]; /* "" if it is no word */
	char token[OSC_TOKEN_MAX + 1]; /* "": absent, as the others */
	char agent[32 + 1];
	char session[128 + 1];
	char state[16 + 1];
	char to[16 + 1];
	char question[OSC_QUESTION_MAX + 1];
	char wake[OSC_TEXT_MAX + 1];
};

/* Reads the string of an OSC, from its number on. False if it is no context. */
bool osc_context_read(const char *string, size_t len, struct osc_context *ret_context);
