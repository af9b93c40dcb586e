/* SPDX-License-Identifier: ISC */
/* Lists requests that will end with a notification, and notifications not delivered yet. */
#pragma once

#include "base/base.h"

struct daemon;

struct pending_entry {
	const char *kind; /* "timer", "job", "watch", "wait", "command" or "notification" */
	const char *id;
	const struct pane_ref *address; /* cleared: none */
	int64_t due_ms; /* CLOCK_REALTIME of the latest end; 0: not known */
	const char *what; /* command, file, condition or text; NULL: none */
};

typedef void pending_fn(void *data, const struct pending_entry *pending);

/* Calls fn for what is pending for an address; NULL: for all addresses, but no notifications. */
void pending_each(
    const struct daemon *daemon, const struct pane_ref *address, pending_fn *fn, void *data);

bool pending_is_any(const struct daemon *daemon, const struct pane_ref *address);

/*
 * Call this after a restart: makes the promises (deliver/way_promise.h) again for all addresses
 * with pending requests.
 */
void pending_restore(struct daemon *daemon);
