/* SPDX-License-Identifier: ISC */
/* The daemon that a command line means, and its tmux server. */
#ifndef CLI_LOCATE_H
#define CLI_LOCATE_H

#include "cli/cli.h"

/*
 * Chooses by socket (-s, or NULL), else -L or -S, else $MUXBUS, else the tmux server that tmux
 * itself would take. Sets cli->socket and cli->tmux_socket. Returns -1 if a path is too long.
 */
int locate_daemon(struct cli *cli, const char *socket);

/* Chooses the daemon of the fleet. -1 if its path does not fit. */
int locate_fleet(struct cli *cli);

/* Whether the tmux server of cli->tmux_socket accepts connections; else sets errno. */
bool locate_tmux_runs(const struct cli *cli);

#endif
