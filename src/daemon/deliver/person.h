/* SPDX-License-Identifier: ISC */
/*
 * Panes of people: no agent has reported itself in such a pane, is kept there or runs in its
 * foreground, and no program in the pane waits for notifications. A notification for such a pane is
 * for the person.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

struct pane_ref;

#define PERSON_CLIENTS_MAX 32 /* maximum number of clients that show one message */

/* Returns true if a pane is a person's; false also for a thread, or a closed or dead pane. */
bool person_has_pane(const struct daemon *parts, const struct pane_ref *pane);

/*
 * Finds the tmux clients on terminals at which a person may look: those of the sessions that have
 * the pane's window; if there are none, all. Returns their number; 0 also if the pane is closed.
 * The names are valid until the model changes.
 */
size_t person_clients(const struct daemon *parts, const struct pane_ref *pane,
    const char *ret_names[PERSON_CLIENTS_MAX]);
