/* SPDX-License-Identifier: ISC */
/*
 * The fields of panes that tmux does not announce. The command and the directory come from /proc;
 * the others change only if tmux runs a command, or if a program writes to the terminal, which
 * the time of its device shows.
 */
#pragma once

#include <muxbus.h>

struct listing;
struct parts;

/*
 * Adds the windows of the panes whose terminal a program may have written to since what the lister
 * claims of it was listed, details or titles; these of all panes if there are too many.
 */
void details_add_written(const struct muxbus_sync *sync, struct parts *parts);

/* Adds the windows of dead panes: tmux does not announce that one runs a program again. */
void details_add_dead(const struct muxbus_sync *sync, struct parts *parts);

/*
 * Reads the commands and directories while tmux prepares a listing, and notes the panes that have
 * the same as in the model: details_read() does not read them again for this listing.
 */
void details_read_ahead(struct muxbus_sync *sync);

/*
 * Reads the commands and directories of all panes into the model of a listing, or into a copy of
 * the current one if there is none and something has changed. Panes whose processes cannot be
 * read here are added to listing->more. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int details_read(struct muxbus_sync *sync, struct listing *listing);
