/* SPDX-License-Identifier: ISC */
/*
 * An audit: is the model what tmux lists? A difference counts only if tmux did not
 * announce it, so another listing must pass without any announcement. What tmux never
 * announces (title, command, path, the death of a kept pane) is not compared.
 */
#ifndef LIB_AUDIT_H
#define LIB_AUDIT_H

#include <muxbus.h>

struct change_list;

/* Notes how many differences a new listing had that should have been announced. */
void audit_note(struct muxbus_sync *sync, const struct change_list *list);

#endif
