/* SPDX-License-Identifier: ISC */
/*
 * The fields of panes that tmux does not announce. Command and directory are read from /proc. The
 * others change only if tmux runs a command or the terminal is written to, as the time of its
 * device shows.
 */
#pragma once

#include <muxbus.h>

struct listing;
struct parts;

/*
 * Adds the windows of panes whose terminal may have been written to since they were listed. Instead
 * of too many windows, adds the details (or, if claimed, the titles) of all panes.
 */
void details_add_written(const struct muxbus_sync *sync, struct parts *parts);

/* Adds the windows of dead panes, as tmux does not announce that a program runs there again. */
void details_add_dead(const struct muxbus_sync *sync, struct parts *parts);

/* Reads commands and directories while tmux works on a listing, for details_read(). */
void details_read_ahead(struct muxbus_sync *sync);

/*
 * Reads all commands and directories into the listing's model. A listing without a model gets a
 * copy of the current one if a pane has changed. Panes that cannot be read are added to
 * listing->more. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int details_read(struct muxbus_sync *sync, struct listing *listing);
