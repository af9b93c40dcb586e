/* SPDX-License-Identifier: ISC */
/*
 * Kept agents: interactive programs, each with a name. An agent has a window of its own, or was
 * adopted in the pane where a person started it. A text is typed when the agent is ready, and the
 * output is returned when its prompt is back. If the program ends, or its shell is in front again,
 * the program is started again, unless it was adopted. Agents are in the store, so that the next
 * daemon finds them running.
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

/* Returns true if the pane is that of a kept agent. */
bool agent_is_kept(const struct daemon *daemon, uint32_t pane);
/* Returns true if the screen shows the kept agent of a pane at its prompt. */
bool agent_is_at_prompt(
    const struct daemon *daemon, const struct muxbus_pane *pane, const struct pane_screen *screen);

/*
 * Handles ensure_agent: makes the agent, or joins the one of this name. Takes what it needs out of
 * spec; the caller calls agent_spec_finish() for the rest. teller is the pane that is notified of
 * crashes; cleared: none.
 */
void agent_ensure(struct agent_set *set, struct request *request, struct agent_spec *spec,
    const struct pane_ref *teller);

/* Like agent_ensure(), for an agent that is known to run. May take spec->prompt. */
void agent_join(struct request *request, const struct agent *agent, struct agent_spec *spec,
    const struct pane_ref *teller);

/*
 * Keeps the agent that a person started in a pane. If it is kept already, the request joins it.
 * spec as in agent_ensure(); if its name is "", a name is chosen.
 */
void agent_adopt(struct agent_set *set, struct request *request, struct agent_spec *spec,
    const struct muxbus_pane *pane, const struct pane_ref *teller);

struct agent_listener {
	struct list link;
	/* Called after each change of a state; must not stop agents. */
	void (*changed)(struct agent_listener *listener, const struct agent *agent);
	/* Called when an agent was stopped, before it is freed. */
	void (*stopped)(struct agent_listener *listener, const struct agent *agent);
};

extern const struct method methods_agent[];
