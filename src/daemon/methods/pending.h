/* SPDX-License-Identifier: ISC */
/* Requests that will end with a notification, and notifications not yet delivered. */
#pragma once

#include "base/base.h"

struct daemon;

struct pending_entry {
	const char *kind; /* timer, job, watch, wait, command or notification */
	const char *id;
	const struct pane_ref *address; /* cleared: none */
	int64_t due_ms; /* latest time, CLOCK_REALTIME; 0: not known */
	const char *what; /* command, file or text; NULL: none */
};

typedef void pending_fn(void *data, const struct pending_entry *pending);

/* address NULL: all addresses, without notifications. */
void pending_each(
    const struct daemon *daemon, const struct pane_ref *address, pending_fn *fn, void *data);

bool pending_is_any(const struct daemon *daemon, const struct pane_ref *address);

/* After a restart, makes the promises again for all addresses with pending entries. */
void pending_restore(struct daemon *daemon);
