/* SPDX-License-Identifier: ISC */
/* stop_agent: the end of an agent, of its program and of its pane. */
#pragma once

#include "base/base.h"

struct agent;
struct agent_ending;
struct agent_set;
struct request;

/*
 * Answers the request when the agent is no more, or fails it. An adopted agent is released, unless
 * by force: its program goes on in its pane.
 */
void agent_stop(
    struct agent_set *set, struct request *request, const char *name, int64_t grace_ms, bool force);

void agent_ending_free(struct agent_ending *ending);
/* The program has ended, the pane is closed, or the time is up: from the agent's timer. */
void agent_ending_step(struct agent *agent);
