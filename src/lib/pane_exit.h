/* SPDX-License-Identifier: ISC */
/*
 * The ends of panes' processes: each is told once, before its pane is closed, with the
 * status if it can be known. tmux knows it for a pane that it keeps, once it has reaped
 * the process; the kernel knows it for a while; so both are waited for, a little.
 */
#ifndef LIB_PANE_EXIT_H
#define LIB_PANE_EXIT_H

#include <muxbus.h>

struct change_list;

/* Appends the ends that are to be told with a new model. Returns 0 or MUXBUS_ERR_NOMEM. */
int pane_exit_find(
    const struct muxbus_sync *sync, struct change_list *list, const struct muxbus_model *now);

/* Notes which of them were found, so that they are not found again. */
void pane_exit_note_told(struct muxbus_sync *sync, const struct change_list *list);

/* The process of a pane has ended: it will be told, by and by. */
void pane_exit_ended(struct muxbus_sync *sync, uint32_t pane);

/* The time has come to look again for panes whose process has ended. */
void pane_exit_look_again(struct muxbus_sync *sync);

#endif
