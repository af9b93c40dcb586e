/* SPDX-License-Identifier: ISC */
/*
 * Reports the end of a pane's process once, before the pane is closed, but not if the server is
 * lost. The status, if known, comes from tmux if the pane is kept, else from the kernel
 * (pane_pidfd.h). Both know it only after tmux has reaped the process, so the report may wait.
 */
#pragma once

#include <muxbus.h>

struct change_list;
struct track;

/*
 * Appends the ends to report before the model `now` replaces the current one. New panes that are
 * dead count too, but not those that died before the sync began.
 */
void pane_exit_find(
    const struct muxbus_sync *sync, struct change_list *list, const struct muxbus_model *now);

void pane_exit_note_reported(struct muxbus_sync *sync, const struct change_list *list);

/*
 * Called when a pane is listed for the first time. tmux 3.8 announces neither the end of a process
 * nor the death of its pane, and shows no process in between. So a new pane without a process is
 * listed again.
 */
void pane_exit_listed(struct muxbus_sync *sync, const struct track *track);

/* Notes that the process of a pane has ended; the report follows. */
void pane_exit_ended(struct muxbus_sync *sync, uint32_t pane);

/* Lists the panes again that have no process or whose process has ended. */
void pane_exit_look_again(struct muxbus_sync *sync);

/* Closes adopted panes that are dead and whose end was reported, except those to be kept. */
void pane_exit_close_adopted(struct muxbus_sync *sync);
