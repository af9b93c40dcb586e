/* SPDX-License-Identifier: ISC */
/* The daemon that a command line means, its tmux server, and the pane of this program. */
#pragma once

#include "cli/cli.h"

/*
 * Chooses by socket (-s, or NULL), else -L or -S, else $MUXBUS, else the tmux server that tmux
 * itself would take. Sets cli->socket and cli->tmux_socket. Returns -1 if a path is too long.
 */
int locate_daemon(struct cli *cli, const char *socket);

/*
 * The pane that this program was started in: copies "%3" from $TMUX_PANE, if $TMUX names the chosen
 * tmux server, and this is not a later server at the same socket. Else returns false: the daemon then
 * finds the pane itself.
 */
bool own_pane(const struct cli *cli, char *out, size_t size);

/* Chooses the daemon of the fleet. -1 if its path does not fit. */
int locate_fleet(struct cli *cli);

/* Whether the tmux server of cli->tmux_socket accepts connections; else sets errno. */
bool locate_tmux_runs(const struct cli *cli);

/* The way to start the daemon: none starts for a server of -L or -S that does not run. */
const char *locate_remedy(const struct cli *cli);
