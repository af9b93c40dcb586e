/* SPDX-License-Identifier: ISC */
/*
 * The member `wake` of answers: the way in which a notification will wake the requester, or, if
 * none will, the call that waits for it.
 */
#pragma once

#include "daemon/deliver/way.h"

struct request;

/* One short row, as many schemas in the default list of tools repeat it. */
#define WAKE_RESULTS                                                             \
	{                                                                        \
		"wake", "object",                                                \
		    "way (typed, queue_command, follow, hook, shown, none...), " \
		    "pane and text: its way to you now"                          \
	}

/*
 * Writes the members message, wake, and durable if it is false. The message has `done`, a sentence,
 * and what to do next. id is that of the future notification. Gives a promise (way_promise.h).
 */
void wake_write(
    struct request *request, const char *done, const char *id, const struct pane_ref *address);
/* Writes only wake. id "": not known, so no promise is given. Returns the way. */
const struct way *wake_write_way(
    struct request *request, const char *id, const struct pane_ref *address);
/* Writes wake for an address that is not the requester's; its agent need not call anything. */
void wake_write_other(struct request *request, const struct pane_ref *address);
