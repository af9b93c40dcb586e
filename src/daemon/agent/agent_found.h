/* SPDX-License-Identifier: ISC */
/*
 * Agents that are not kept: they report themselves, or their command line is known. ensure_agent
 * can adopt one by its pane.
 *
 * Most agents do not report that a person ended a turn or a dialog by Escape. So the screen of an
 * agent that reports to be busy or to ask is read. A dialog on it counts; a prompt counts if the
 * report is at least three seconds old.
 */
#pragma once

#include "base/base.h"

struct agent_look;
struct agent_set;
struct json_writer;

/* look: the screens that were read, lent until this returns. */
typedef void agent_look_fn(void *data, const struct agent_look *look);

/* Reads the screens that may count, of up to 32 panes. Calls done once, perhaps at once. */
void agent_found_look(struct agent_set *set, agent_look_fn *done, void *data);

/* Writes agents as list elements: if is_blocked those that ask something, else the others. */
void agent_write_found(struct json_writer *writer, struct agent_set *set,
    const struct agent_look *look, bool is_blocked);
