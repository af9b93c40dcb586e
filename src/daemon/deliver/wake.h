/* SPDX-License-Identifier: ISC */
/*
 * Results that are common to all methods that arm something: the way in which the notification
 * would wake the requester now, or if there is no way, the call that waits for the notification.
 */
#pragma once

#include "daemon/deliver/way.h"

struct request;

/* One short row, because many schemas in the default list of tools repeat it. */
#define WAKE_RESULTS                                                             \
	{                                                                        \
		"wake", "object",                                                \
		    "way (typed, queue_command, follow, hook, shown, none...), " \
		    "pane and text: its way to you now"                          \
	}

/* Writes the members message (done: a sentence), wake, and durable if false. */
void wake_write(
    struct request *request, const char *done, const char *id, const struct pane_ref *address);
/* Writes the member wake alone. */
const struct way *wake_write_way(
    struct request *request, const char *id, const struct pane_ref *address);
/* Like wake_write_way(), for the agent of another address, which need not call anything. */
void wake_write_other(struct request *request, const struct pane_ref *address);
