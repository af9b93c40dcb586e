/* SPDX-License-Identifier: ISC */
/*
 * The common part of the results of methods that arm something: in which way its notification
 * would wake the requester now, or the call that waits for it where no way does.
 */
#pragma once

#include "daemon/deliver/way.h"

struct request;

/* One short row: it is in many schemas of the default list of tools. */
#define WAKE_RESULTS                                                             \
	{                                                                        \
		"wake", "object",                                                \
		    "way (typed, queue_command, follow, hook, shown, none...), " \
		    "pane and text: its way to you now"                          \
	}

/* Writes the members message (done: what was done, a sentence), wake, and durable if false. */
void wake_write(
    struct request *request, const char *done, const char *id, const struct pane_ref *address);
/* Writes wake alone. */
const struct way *wake_write_way(
    struct request *request, const char *id, const struct pane_ref *address);
/* The same about the agent of another address, which has nothing to call. */
void wake_write_other(struct request *request, const struct pane_ref *address);
