/* SPDX-License-Identifier: ISC */
/* The events of hooks on standard input, their meaning, and the output for agents. No I/O. */
#pragma once

#include "base/base.h"

#define HOOK_INPUT_MAX ((size_t)4 * 1024 * 1024) /* bytes of JSON on standard input */
#define HOOK_WORD_MAX 128
#define HOOK_REPLY_MAX ((size_t)512 * 1024) /* bytes; a longer message is not reported */

/* How an agent accepts notifications in the output of a hook. */
enum hook_handing {
	HOOK_NOTHING, /* not at all */
	HOOK_CONTEXT, /* as context of the current turn */
	HOOK_BLOCK, /* as a reason to continue a turn that is ending */
};

struct hook_event {
	char agent[HOOK_WORD_MAX + 1]; /* such as "claude"; "agent" if unknown */
	char session[HOOK_WORD_MAX + 1]; /* "" if missing or not valid */
	char name[HOOK_WORD_MAX + 1]; /* as the agent spells it, for the output */
	const char *state; /* idle, busy, asking or gone; NULL: unknown or unchanged */
	enum hook_handing handing;
	char *reply; /* the agent's last message; NULL if missing or too long */
};

/*
 * Reads an event. agent and name are words of the command line, or NULL; without agent, name may be
 * the name of an agent. Reads the rest from the input, which may be empty or invalid. The caller
 * frees reply with mem_free(). For an unknown event, state is NULL and handing is HOOK_NOTHING.
 */
void hook_event_read(struct hook_event *ret_event, const char *agent, const char *name,
    const char *input, size_t len);

/* Appends the output that hands a text to the agent: one line of JSON. */
void hook_event_write(struct buf *out, const struct hook_event *event, const char *text);
