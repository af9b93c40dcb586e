/* SPDX-License-Identifier: ISC */
/*
 * People's panes: no agent has reported itself there, is kept there or is in the foreground, and no
 * program there waits for notifications. A notification for such a pane is for the person.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

struct pane_ref;

#define PERSON_CLIENTS_MAX 32 /* most clients that show one message */

/* Returns false if the pane is closed, or tmux is not connected. */
bool person_has_pane(const struct daemon *parts, const struct pane_ref *pane);

/*
 * Returns the number of clients at which a person may look: those of the sessions with the pane's
 * window, or without such a client all. The names are lent until the model changes.
 */
size_t person_clients(const struct daemon *parts, const struct pane_ref *pane,
    const char *ret_names[PERSON_CLIENTS_MAX]);
