/* SPDX-License-Identifier: ISC */
/* Finds the daemon that a command line means, its tmux server, and the pane of this program. */
#pragma once

#include "cli/cli.h"

/*
 * Chooses the daemon by `socket` (-s, or NULL), else -L or -S, else $MUXBUS, else as tmux chooses
 * its server. Sets cli->socket and cli->tmux_socket. Returns 0, or -1 if a path is too long.
 */
int locate_daemon(struct cli *cli, const char *socket);

/*
 * Copies the pane of this program from $TMUX_PANE, such as "%3", if $TMUX names the tmux server in
 * use and that server still runs. Otherwise returns false; the daemon then finds the pane itself.
 */
bool locate_own_pane(const struct cli *cli, char *out, size_t size);

/* Chooses the daemon of the fleet. Returns 0, or -1 if its path is too long. */
int locate_fleet(struct cli *cli);

/* Returns true if the tmux server at cli->tmux_socket accepts connections; otherwise sets errno. */
bool locate_tmux_runs(const struct cli *cli);

/* Returns how to start the daemon, or that the tmux server of -L or -S must run first. */
const char *locate_remedy(const struct cli *cli);
