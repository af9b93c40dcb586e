/* SPDX-License-Identifier: ISC */
/*
 * Audits compare the model with a listing. A difference counts only if tmux did not announce it, so
 * another listing must pass without an announcement. Fields that tmux never announces (title,
 * command, path, the death of a kept pane) are not compared.
 */
#pragma once

#include <muxbus.h>

struct change_list;

/* Counts the differences of a new listing that tmux should have announced. */
void drift_note(struct muxbus_sync *sync, const struct change_list *list);
