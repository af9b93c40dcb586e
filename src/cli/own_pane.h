/* SPDX-License-Identifier: ISC */
/* The pane that this program was started in, according to its environment. */
#ifndef CLI_OWN_PANE_H
#define CLI_OWN_PANE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"

/*
 * Copies "%3" from $TMUX_PANE, if $TMUX names the chosen tmux server. Else returns false: the
 * daemon then finds the pane itself.
 */
bool own_pane(const struct cli *cli, char *out, size_t size);

#endif
