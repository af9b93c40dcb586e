/* SPDX-License-Identifier: ISC */
/* The record of an agent in the store: its plan, its pane, and what was learned of it. */
#pragma once

#include "daemon/queue/record.h"

struct agent;

/* Agents in the store. */
extern const struct record_kind agent_kind;
/* Writes it to the store. */
void agent_store(const struct agent *agent);
/* Fills plan, pane, teller and what was learned. False if value is no agent; finish the plan. */
bool agent_record_read(struct agent *agent, const struct json *value);
