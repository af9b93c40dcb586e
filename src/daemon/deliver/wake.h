/* SPDX-License-Identifier: ISC */
/* The way in which a notification would wake the requester, or the call that waits for it. */
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

/* Writes message (done: a sentence), wake, and durable if false. */
void wake_write(
    struct request *request, const char *done, const char *id, const struct pane_ref *address);
const struct way *wake_write_way(
    struct request *request, const char *id, const struct pane_ref *address);
/* For the agent of another address, which need not call anything. */
void wake_write_other(struct request *request, const struct pane_ref *address);
