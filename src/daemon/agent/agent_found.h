/* SPDX-License-Identifier: ISC */
/*
 * Agents that are not kept: those that report themselves, however they were started, and those
 * whose command line is known. ensure_agent adopts one by its pane.
 */
#pragma once

#include <stdbool.h>

struct agent_set;
struct json_writer;

/* Writes them as elements of a list: those that ask something, or all others. */
void agent_write_found(struct json_writer *writer, struct agent_set *set, bool is_blocked);
