/* SPDX-License-Identifier: ISC */
/*
 * The person first: a request types into a pane only if that does not add to a line of another
 * author. The caller's own pane and panes that it made are exempt. In any other pane a draft
 * (pane/draft.h), or a key of a person within the last SUBMIT_HUMAN_MS, refuses the request unless
 * it has force. All methods that type a caller's text ask here. Keys without force are bound to the
 * processes that were there when the panes were looked at.
 */
#pragma once

#include "base/base.h"

struct muxbus_pane;
struct request;
struct right_only;

/*
 * may: type now. sign: the evidence that there is no draft, for the answer, in static storage; NULL
 * by force or if the pane is exempt. If may is false, the request has failed already, and only data
 * must be freed.
 */
typedef void person_guard_fn(void *data, bool may, const char *sign);

/*
 * Calls done at once if no pane must be looked at, else when tmux answers. Requests keep their
 * order. only (NULL: not wanted): set to the processes that the keys are for, before done is called;
 * unchanged by force, and for narrow roles, see right_find_only().
 */
void person_guard(struct request *request, const struct muxbus_pane *pane, bool force,
    struct right_only *only, person_guard_fn *done, void *data);

/* Writes the member sign of an answer; for NULL, nothing. */
#define PERSON_GUARD_RESULT                                                                        \
	{                                                                                          \
		"sign", "string",                                                                  \
		    "in a pane of others: what tells that no draft stands there: osc133, prompt, " \
		    "or keys, if only that no person typed for 5 s is known"                       \
	}
