/* SPDX-License-Identifier: ISC */
/* The turn that a task begins: reported by the agent, or shown by its screen. */
#pragma once

#include "daemon/agent/agent_state.h"

/* How often the agent has reported that a turn began; 0 if it does not report. */
uint64_t agent_turns(const struct agent *agent);

/*
 * Whether the prompt at the cursor may be that of before the turn: the agent reports its turns, and
 * not that of the task yet, or not its end. Its hooks and its screen take their time. An answer
 * begins no turn: the one that asked goes on. Without reports its screen has to show work.
 */
bool agent_turn_is_due(
    struct agent_task *task, const struct agent_verdict *verdict, const struct pane_screen *screen);
