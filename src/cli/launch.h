/* SPDX-License-Identifier: ISC */
/* Starting muxbusd where none runs. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"

#define LAUNCH_TIMEOUT_MS 20000

/* Writes the path of muxbusd: beside our own program, else in PATH. False if there is none. */
bool launch_find(char *out, size_t size);

/*
 * Starts muxbusd for cli->tmux_socket at cli->socket, and waits until it is ready or says why
 * not; one that runs already is as good. Returns 0, or -1 with a reason, one line for people.
 */
int launch_daemon(const struct cli *cli, char *ret_reason, size_t size);

#endif
