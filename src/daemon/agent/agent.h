/* SPDX-License-Identifier: ISC */
/*
 * Kept agents: interactive programs, each with a name. An agent has a window of its own, or was
 * adopted in the pane where a person started it. A task is typed when the agent is ready, and
 * answered with the agent's output, usually when the prompt is back. An agent that was ready and
 * then ends, or whose shell is in front again, is restarted within limits; an adopted agent is not
 * restarted. Agents are in the store, so that the next daemon finds them running.
 */
#pragma once

#include "daemon/agent/agent_state.h"
#include "daemon/server/method.h"

/*
 * Loads the agents from the store. Their panes are found later, by agent_set_wake(), which is
 * called when tmux is connected.
 */
struct agent_set *agent_set_new(const struct daemon *parts);
void agent_set_free(struct agent_set *set);
void agent_set_wake(struct agent_set *set);

bool agent_is_kept(const struct daemon *daemon, uint32_t pane);
/* Returns true if the screen shows the kept agent of a pane at its prompt. */
bool agent_is_at_prompt(
    const struct daemon *daemon, const struct muxbus_pane *pane, const struct pane_screen *screen);

/*
 * Handles ensure_agent with a command: starts the agent, lets the request wait for the agent of
 * this name, or fails it. May take parts of spec; the caller calls agent_spec_finish() for the
 * rest. teller is the pane that is notified of crashes; cleared: none, or as before.
 */
void agent_ensure(struct agent_set *set, struct request *request, struct agent_spec *spec,
    const struct pane_ref *teller);

/*
 * Handles ensure_agent without a command, for an agent that exists: lets the request wait for this
 * agent. If the agent has ended, it is started again with spec->resumes where this is possible;
 * else the request fails. May take spec->prompt.
 */
void agent_join(struct request *request, const struct agent *agent, struct agent_spec *spec,
    const struct pane_ref *teller);

/*
 * Keeps the agent that a person started in a pane. If the agent is kept already, this is
 * agent_join(). spec as in agent_ensure(); if its name is "", a name is chosen.
 */
void agent_adopt(struct agent_set *set, struct request *request, struct agent_spec *spec,
    const struct muxbus_pane *pane, const struct pane_ref *teller);

struct agent_listener {
	struct list link;
	/* Called after each change of a state; must not stop agents. */
	void (*changed)(struct agent_listener *listener, const struct agent *agent);
	/* Called when an agent was stopped or released, before it is freed. */
	void (*stopped)(struct agent_listener *listener, const struct agent *agent);
};

extern const struct method methods_agent[];
