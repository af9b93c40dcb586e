/* SPDX-License-Identifier: ISC */
/*
 * Adoption: an agent that a person started in a pane is kept under a name. The pane stays the
 * person's: its size, its history and its options do not change. Its program is never started
 * again: when it ends, the agent ends.
 */
#pragma once

#include "daemon/agent/agent_state.h"

/* How long after a mark in the output an agent behind ssh or su counts as being there. */
#define AGENT_MARK_LIVE_MS (5 * 60 * 1000)

/* A program that can be adopted. */
struct agent_adoptee {
	struct foreground front;
	char name[AGENT_NAME_MAX + 1]; /* name of its kind: the default for the agent's name */
	bool is_known_agent;
};

/* Finds the program in front of a pane. If it is no agent, fails the request and returns false. */
bool agent_adopt_look(const struct daemon *parts, struct request *request,
    const struct muxbus_pane *pane, struct agent_adoptee *ret_adoptee);

/* Writes the first free name: "claude", "claude-2". */
void agent_adopt_name(const struct agent_set *set, const char *kind, char out[AGENT_NAME_MAX + 1]);

/* Fills plan with what is known of the program. */
void agent_adopt_plan(
    const struct agent_adoptee *adoptee, const struct muxbus_pane *pane, struct agent_spec *plan);

/* Assigns a program in a pane to an agent, whose plan is set. */
void agent_adopt_take(struct agent *agent, const struct agent_adoptee *adoptee, uint32_t pane);

/* Calls roof->ended() when the program ends. Returns false if it has ended already. */
bool agent_adopt_watch(struct agent *agent);

/* The first process of a pane has ended. If it is the agent's, keeps its exit status. */
void agent_adopt_note_exit(struct agent *agent, const struct event_entry *event);

/* The program has ended or is released: the agent has neither program nor pane. */
void agent_adopt_forget(struct agent *agent);
