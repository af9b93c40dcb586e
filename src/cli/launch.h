/* SPDX-License-Identifier: ISC */
/* Starts muxbusd if it does not run. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stddef.h>

#include "cli/cli.h"

#define LAUNCH_TIMEOUT_MS 20000

/*
 * Starts muxbusd (that beside our own program, else that in PATH) for cli->tmux_socket at
 * cli->socket, and waits until it is ready or fails. A running daemon is fine too. Returns 0, or
 * -1 with a human-readable reason of one line.
 */
int launch_daemon(const struct cli *cli, char *ret_reason, size_t size);

#endif
