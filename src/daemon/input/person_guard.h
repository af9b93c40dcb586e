/* SPDX-License-Identifier: ISC */
/*
 * The guard of the person: a request types into a pane only if that does not add to a line that
 * someone else has begun. The caller's own pane and panes that it made are exempt. In other panes a
 * draft (pane/draft.h), tmux's prefix key, or a key of a person within the last SUBMIT_HUMAN_MS,
 * refuses the request unless it has force. Without force the keys can be bound to the processes
 * that were there when the panes were looked at. A limited role cannot reach other panes, so its
 * requests pass.
 */
#pragma once

#include "base/base.h"

struct muxbus_pane;
struct request;
struct role_only;

/*
 * may: the caller may type now. false: the request has failed already, and the caller only frees
 * data. sign: the evidence that there is no draft, a static string; NULL: no pane was checked, by
 * force or as all are exempt.
 */
typedef void person_guard_fn(void *data, bool may, const char *sign);

/*
 * Calls done once, perhaps before this function returns. Unless force is set or the role is
 * limited, sets *only (which may be NULL) to the processes that get the keys, before it calls done
 * with true.
 */
void person_guard(struct request *request, const struct muxbus_pane *pane, bool force,
    struct role_only *only, person_guard_fn *done, void *data);

/* The row of the member sign in a result. */
#define PERSON_GUARD_RESULT                                                                        \
	{                                                                                          \
		"sign", "string",                                                                  \
		    "in a pane of others: what tells that no draft stands there: osc133, prompt, " \
		    "or keys, if only that no person typed for 5 s is known"                       \
	}
