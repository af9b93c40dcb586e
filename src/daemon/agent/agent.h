/* SPDX-License-Identifier: ISC */
/*
 * Agents: interactive programs kept alive, each by a name and in a window of its own. Its state is
 * known with the fact that shows it. A text is typed when the agent is ready, and its output is
 * handed over when its prompt is back. A program that ends, or falls back to the shell that it was
 * started from, is started again. Agents are kept in the store: the next daemon finds them running.
 */
#pragma once

#include "daemon/agent/agent_json.h"
#include "daemon/agent/agent_state.h"
#include "daemon/server/method.h"

/* Loads what the store holds; they are found by agent_set_wake(), once tmux is followed. */
struct agent_set *agent_set_new(const struct daemon *parts);
void agent_set_free(struct agent_set *set);
void agent_set_wake(struct agent_set *set);

/*
 * For rooms that know no agents: whether one is in a pane; and whether the screen shows it at its
 * prompt. agents is the place of the set, which may be made later.
 */
bool agent_is_kept(const struct daemon *daemon, uint32_t pane);
bool agent_is_at_prompt(
    const struct daemon *daemon, const struct muxbus_pane *pane, const struct pane_screen *screen);

/* Takes the contents of plan. teller is notified of crashes; cleared: no pane is. */
void agent_ensure(struct agent_set *set, struct request *request, struct agent_spec *plan,
    const struct pane_ref *teller);

/* Waits for an agent that runs, as agent_ensure() does. Takes the prompt of plan. */
void agent_join(struct request *request, const struct agent *agent, struct agent_spec *plan,
    const struct pane_ref *teller);

/*
 * Adopts the agent that a person started in a pane, unless it is kept already. Takes the contents
 * of plan; a name "" is chosen.
 */
void agent_adopt(struct agent_set *set, struct request *request, struct agent_spec *plan,
    const struct muxbus_pane *pane, const struct pane_ref *teller);

struct agent_listener {
	struct list link;
	/* After each change of a state; must not stop agents. */
	void (*changed)(struct agent_listener *listener, const struct agent *agent);
	/* It was stopped: agent must not be kept. */
	void (*stopped)(struct agent_listener *listener, const struct agent *agent);
};
void agent_listen(struct agent_set *set, struct agent_listener *listener);

/* The methods of agents, in agent_methods.c. */
extern const struct method methods_agent[];
