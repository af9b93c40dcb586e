/* SPDX-License-Identifier: ISC */
/* stop_agent: ends an agent, with its program and its pane. */
#pragma once

#include "base/base.h"

struct agent;
struct agent_ending;
struct agent_set;
struct request;

/*
 * Ends an agent. The request is answered when the agent has ended, or is failed. An adopted agent
 * is released: its program keeps running in its pane. With force it is ended too.
 */
void agent_stop(
    struct agent_set *set, struct request *request, const char *name, int64_t grace_ms, bool force);

void agent_ending_free(struct agent_ending *ending);
/* Takes the next step of stopping an agent. Called by the agent's timer. */
void agent_ending_step(struct agent *agent);
