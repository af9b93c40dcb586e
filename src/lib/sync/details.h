/* SPDX-License-Identifier: ISC */
/*
 * Fields of panes that tmux does not announce. Command and directory are read from /proc if
 * possible. Titles change only if tmux runs a command or a program writes to the terminal; the time
 * of the terminal's device shows such a write.
 */
#pragma once

#include <muxbus.h>

struct listing;
struct parts;

/*
 * Adds the windows of panes whose terminal may have been written to since they were listed. If
 * listing these windows costs more, adds the claimed fields (details or titles) of all panes
 * instead.
 */
void details_add_written(const struct muxbus_sync *sync, struct parts *parts);

/* Adds the windows of dead panes: tmux does not announce that a program runs there again. */
void details_add_dead(const struct muxbus_sync *sync, struct parts *parts);

/* Reads commands and directories while tmux works on a listing, for details_read(). */
void details_read_ahead(struct muxbus_sync *sync);

/*
 * Adds the commands and directories that a listing lacks to its model. A listing without a model
 * gets a copy of the current one if a pane has changed. The windows of panes that cannot be read
 * are added to listing->more. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int details_read(struct muxbus_sync *sync, struct listing *listing);
