/* SPDX-License-Identifier: ISC */
/*
 * What the hooks of agents say on standard input, what it means, and what an agent takes from
 * a hook's output. No I/O: a table of events, text in, text out.
 */
#ifndef CLI_HOOK_EVENT_H
#define CLI_HOOK_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define HOOK_INPUT_MAX ((size_t)4 * 1024 * 1024) /* bytes of standard input that are looked at */
#define HOOK_WORD_MAX 128

/* How an agent takes what waits for it, from the output of this hook. */
enum hook_handing {
	HOOK_NOTHING, /* it does not */
	HOOK_CONTEXT, /* as context of the turn that goes on */
	HOOK_BLOCK, /* as what the turn, which was about to end, goes on with */
};

struct hook_event {
	char agent[HOOK_WORD_MAX + 1]; /* "claude"; "agent" if nobody says */
	char session[HOOK_WORD_MAX + 1]; /* "": not told, or of no form that is known */
	char name[HOOK_WORD_MAX + 1]; /* as the agent calls it, for its output */
	const char *state; /* idle, busy, asking, gone; NULL: nothing is known by it */
	enum hook_handing handing;
};

/*
 * Reads what is known: agent and name from the command line (NULL: not told; a name alone may
 * be that of an agent), the rest from the input (len 0: none; what is no JSON object counts as none). Never fails: of an event
 * that nobody knows state is NULL and nothing is handed over.
 */
void hook_event_read(struct hook_event *ret_event, const char *agent, const char *name,
    const char *input, size_t len);

/* Writes the output by which the agent gets text, one line of JSON with its newline. */
void hook_event_write(struct buf *out, const struct hook_event *event, const char *text);

#endif
