/* SPDX-License-Identifier: ISC */
/*
 * People's panes: those in which no agent lives. No agent has reported itself there, is kept there
 * or is in front, and no program has asked for itself: a shell, or what a person runs in it. A
 * notification for such a pane is for the person.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

struct pane_ref;

#define PERSON_CLIENTS_MAX 32 /* clients that show a message; further ones do not */

/* Whether a pane is a person's; false too if it is gone, or tmux is not followed. */
bool person_has_pane(const struct daemon *parts, const struct pane_ref *pane);

/*
 * The names of the clients at which people look, lent until the model changes: those of the
 * sessions that have the pane's window, or any if there are none. Returns how many.
 */
size_t person_clients(const struct daemon *parts, const struct pane_ref *pane,
    const char *ret_names[PERSON_CLIENTS_MAX]);
