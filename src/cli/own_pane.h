/* SPDX-License-Identifier: ISC */
/* The pane that this program was started in, as its environment says. */
#ifndef CLI_OWN_PANE_H
#define CLI_OWN_PANE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"

/*
 * "%3" from $TMUX_PANE, if $TMUX speaks of the tmux server that is meant. False if not: then
 * the daemon finds out by itself.
 */
bool own_pane(const struct cli *cli, char *out, size_t size);

#endif
