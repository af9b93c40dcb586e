/* SPDX-License-Identifier: ISC */
/* The turn that a task begins: reported by the agent, or shown by its screen. */
#pragma once

#include "daemon/agent/agent_state.h"

/* Returns how many turns the agent has reported; 0 if it does not report. */
uint64_t agent_turns(const struct agent *agent);

/*
 * Returns true if the prompt at the cursor may be older than the task's turn. It may if the agent
 * reports turns, but has not reported this one or its end yet, because reports and screens take
 * time. An answer begins no turn: the turn that asked continues. Without reports, the prompt may be
 * older until the screen has shown work.
 */
bool agent_turn_is_due(
    struct agent_task *task, const struct agent_verdict *verdict, const struct pane_screen *screen);
