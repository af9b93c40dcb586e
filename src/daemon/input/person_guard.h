/* SPDX-License-Identifier: ISC */
/*
 * The person first: a request types into a pane only if no other line would go with it. The
 * caller's own pane and those that it made are free. In any other a draft (pane/draft.h), or a
 * key of a person in the last SUBMIT_HUMAN_MS, is a refusal, unless the request has force. This
 * is the one place that decides it, for all methods that type what a caller says.
 */
#pragma once

#include "base/base.h"

struct muxbus_pane;
struct request;

/*
 * may: type now. sign, of static storage, names what says so, for the answer; NULL if the pane is
 * free. Else the request has been failed, and data is only to be freed.
 */
typedef void person_guard_fn(void *data, bool may, const char *sign);

/*
 * Calls done before it returns, if the pane is free, or once tmux has answered. Requests for one
 * pane go on in their order.
 */
void person_guard(struct request *request, const struct muxbus_pane *pane, bool force,
    person_guard_fn *done, void *data);

/* Writes the member sign of an answer; nothing for NULL. */
#define PERSON_GUARD_RESULT                                                                        \
	{                                                                                          \
		"sign", "string",                                                                  \
		    "in a pane of others: what tells that no draft stands there: osc133, prompt, " \
		    "or keys, if only that no person typed for 5 s is known"                       \
	}
