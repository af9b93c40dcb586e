/* SPDX-License-Identifier: ISC */
/*
 * Adoption: an agent that a person started in a pane is kept under a name. The pane stays the
 * person's: its size, its history and its options are left alone, its program is never started
 * again, and the end of the program is the end of the agent.
 */
#pragma once

#include "daemon/agent/agent_state.h"

/* From a mark of an agent behind ssh or su until the mark says no more that the agent is there. */
#define AGENT_MARK_LIVE_MS (5 * 60 * 1000)

/* A program that can be adopted. */
struct agent_adoptee {
	struct foreground front;
	char name[AGENT_NAME_MAX + 1]; /* of its kind, as a name for the agent */
	bool is_known_agent;
};

/* Finds the program in front of a pane. False after failing the request: it is no agent. */
bool agent_adopt_look(const struct daemon *parts, struct request *request,
    const struct muxbus_pane *pane, struct agent_adoptee *ret_adoptee);

/* The first name of this kind that is free: "claude", "claude-2". */
void agent_adopt_name(const struct agent_set *set, const char *kind, char out[AGENT_NAME_MAX + 1]);

/* Fills a plan with all that is known of the program. */
void agent_adopt_plan(
    const struct agent_adoptee *adoptee, const struct muxbus_pane *pane, struct agent_spec *plan);

/* Makes an agent, whose plan is set, that of a program in a pane. */
void agent_adopt_take(struct agent *agent, const struct agent_adoptee *adoptee, uint32_t pane);

/* Watches the program: its end calls roof->ended(). False if it has ended already. */
bool agent_adopt_watch(struct agent *agent);

/* The first process of a pane has ended: if it is that of the agent, keeps its exit status. */
void agent_adopt_note_exit(struct agent *agent, const struct event_entry *event);

/* The program has ended, or is another one's: the agent has neither program nor pane. */
void agent_adopt_forget(struct agent *agent);
