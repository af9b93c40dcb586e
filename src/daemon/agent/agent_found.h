/* SPDX-License-Identifier: ISC */
/*
 * Agents that are not kept: those that report themselves, however they were started, and those
 * whose command line is known. ensure_agent adopts one by its pane.
 *
 * Most agents report nothing when a person ends a turn or a dialog by Escape. So the screen of one
 * that reports to be busy or to ask is read: a dialog there counts, and a prompt does if the report
 * is three seconds old.
 */
#pragma once

#include "base/base.h"

struct agent_look;
struct agent_set;
struct json_writer;

/* look: the screens as they were read, lent until it returns. */
typedef void agent_look_fn(void *data, const struct agent_look *look);

/* Reads the screens that count, of at most 32 panes, and calls done once; perhaps at once. */
void agent_found_look(struct agent_set *set, agent_look_fn *done, void *data);

/* Writes them as elements of a list: those that ask something, or all others. */
void agent_write_found(struct json_writer *writer, struct agent_set *set,
    const struct agent_look *look, bool is_blocked);
