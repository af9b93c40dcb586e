/* SPDX-License-Identifier: ISC */
/*
 * An audit compares the model with a listing. A difference counts only if tmux should have
 * announced it, and no event announces it before another listing has ended.
 */
#pragma once

#include <muxbus.h>

struct change_list;

/* Counts the differences of a new listing that tmux should have announced. */
void drift_note(struct muxbus_sync *sync, const struct change_list *list);
