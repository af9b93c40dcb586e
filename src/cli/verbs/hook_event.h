/* SPDX-License-Identifier: ISC */
/*
 * The events that agents pass to hooks on standard input, their meaning, and the output that an
 * agent expects from a hook. No I/O: a table of events, text in, text out.
 */
#pragma once

#include "base/base.h"

#define HOOK_INPUT_MAX ((size_t)4 * 1024 * 1024) /* bytes of standard input that are read */
#define HOOK_WORD_MAX 128
#define HOOK_REPLY_MAX ((size_t)512 * 1024) /* bytes; a longer one is not reported */

/* The way in which an agent takes notifications from the output of this hook. */
enum hook_handing {
	HOOK_NOTHING, /* not at all */
	HOOK_CONTEXT, /* as context of the current turn */
	HOOK_BLOCK, /* as a reason to continue the turn that was about to end */
};

struct hook_event {
	char agent[HOOK_WORD_MAX + 1]; /* "claude"; "agent" if unknown */
	char session[HOOK_WORD_MAX + 1]; /* "": not given, or of an unknown form */
	char name[HOOK_WORD_MAX + 1]; /* as the agent spells it, for the output */
	const char *state; /* idle, busy, asking, gone; NULL: unknown */
	enum hook_handing handing;
	char *reply; /* the agent's last message, in memory of mem_alloc(); NULL: not given */
};

/*
 * Reads an event. agent and name come from the command line (NULL: not given; a single name may
 * be that of an agent), the rest from the input (len 0: none; input that is not a JSON object
 * counts as none). The caller frees the reply. Never fails: for an unknown event, state is NULL and
 * nothing is handed over.
 */
void hook_event_read(struct hook_event *ret_event, const char *agent, const char *name,
    const char *input, size_t len);

/* Writes the output that gives text to the agent: one line of JSON with its newline. */
void hook_event_write(struct buf *out, const struct hook_event *event, const char *text);
