/* SPDX-License-Identifier: ISC */
/* Pending: requests that end with a notification, and notifications on their way. */
#pragma once

#include "base/base.h"

struct daemon;

struct pending_entry {
	const char *kind; /* timer, job, watch, wait, command or notification */
	const char *id;
	const struct pane_ref *address; /* cleared: none */
	int64_t due_ms; /* CLOCK_REALTIME: at the latest; 0: not known */
	const char *what; /* the command, the file, or the text; NULL: none */
};

typedef void pending_fn(void *data, const struct pending_entry *pending);

/* Calls fn for all that is pending for an address; NULL: for any, without notifications. */
void pending_each(
    const struct daemon *daemon, const struct pane_ref *address, pending_fn *fn, void *data);

/* Whether anything is pending for an address. */
bool pending_is_any(const struct daemon *daemon, const struct pane_ref *address);

/* After a restart: promises of the addresses that something is pending for. */
void pending_restore(struct daemon *daemon);
