/* SPDX-License-Identifier: ISC */
/* The record of an agent in the store: its plan, its pane, and what was learned of its prompt. */
#pragma once

#include "daemon/queue/record.h"

struct agent;

extern const struct record_kind agent_kind;
void agent_store(const struct agent *agent);
/* Fills plan, which the caller finishes, pane, teller and profile. False if invalid. */
bool agent_record_read(struct agent *agent, const struct json *value);
