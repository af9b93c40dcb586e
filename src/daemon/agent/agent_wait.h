/* SPDX-License-Identifier: ISC */
/* Requests that wait until an agent is ready: those of ensure_agent. */
#pragma once

#include "base/base.h"

struct agent;
struct request;

/* Answers the request when the agent is at its prompt, asks something, or has failed. */
void agent_wait_add(struct agent *agent, struct request *request, bool is_started);
/* Call this when the state has changed or may answer requests. */
void agent_waiters_step(struct agent *agent);
/* The agent is removed: fails all waiting requests. */
void agent_waiters_end(struct agent *agent);
