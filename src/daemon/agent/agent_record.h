/* SPDX-License-Identifier: ISC */
/* The record of an agent in the store: its plan, its pane, and what was learned of its prompt. */
#pragma once

#include "daemon/queue/record.h"

struct agent;

/* Records of agents. */
extern const struct record_kind agent_kind;
/* Writes the agent to the store. */
void agent_store(const struct agent *agent);
/*
 * Fills the agent's plan, pane, teller and prompt profile. Returns false if the record is invalid.
 * The caller must finish the plan in either case.
 */
bool agent_record_read(struct agent *agent, const struct json *value);
