/* SPDX-License-Identifier: ISC */
/* How a conversation with tmux begins: who it is, and what its refusals mean. */
#ifndef LIB_GREETING_H
#define LIB_GREETING_H

#include <stdbool.h>

#include "lib/parser.h"

/* The command that asks, and what comes of it. */
extern const char greeting_question[];

struct greeting_answer {
	char version[32];
	unsigned session;
	long pid; /* of the control client, in the eyes of tmux */
	char flags[160]; /* of the control client, joined by commas */
};

/* Reads the answer, at the beginning of text. False if it is none. */
bool greeting_read_answer(const char *text, struct greeting_answer *ret_answer);

/* Whether a command that does not exist, named probe, was answered as the parser knows it. */
bool greeting_is_probe_answered(const char *text, const struct nonce *probe);

bool greeting_has_flag(const char *flags, const char *flag);

/* The error that a text of tmux's means, or otherwise. */
int greeting_error(const char *text, int otherwise);

#endif
