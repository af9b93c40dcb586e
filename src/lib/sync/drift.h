/* SPDX-License-Identifier: ISC */
/*
 * Audits compare the model with a listing. A difference counts only if tmux did not announce it. An
 * announcement may come late, so a difference counts only after another listing without one. Fields
 * that tmux never announces (title, command, path, the death of a kept pane) are not compared.
 */
#pragma once

#include <muxbus.h>

struct change_list;

/* Counts the differences of a new listing that tmux should have announced. */
void drift_note(struct muxbus_sync *sync, const struct change_list *list);
