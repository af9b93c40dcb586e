/* SPDX-License-Identifier: ISC */
/*
 * People's panes: those in which no agent lives. No agent has reported itself there, is kept there
 * or is in front, and no program has asked for itself: a shell, or what a person runs in it. A
 * notification for such a pane is for the person.
 */
#pragma once

#include "base/base.h"

struct pane_ref;

#define PERSON_CLIENTS_MAX 32 /* clients that show a message; further ones do not */

struct person_parts {
	struct tmux *tmux;
	struct store *store;
	struct presence_set *presences;
	const struct screen_sign_set *signs;
	/* Whether ensure_agent keeps an agent in a pane. */
	bool (*is_kept)(const void *agents, uint32_t pane);
	const void *agents;
};

/* Whether a pane is a person's; false too if it is gone, or tmux is not followed. */
bool person_has_pane(const struct person_parts *parts, const struct pane_ref *pane);

/*
 * The names of the clients at which people look, lent until the model changes: those of the
 * sessions that have the pane's window, or any if there are none. Returns how many.
 */
size_t person_clients(const struct person_parts *parts, const struct pane_ref *pane,
    const char *ret_names[PERSON_CLIENTS_MAX]);
