/* SPDX-License-Identifier: ISC */
/*
 * The command that has tmux pipe a pane to the daemon. The command to pipe to is a format, a text of
 * strftime(3) and a command of sh(1) in one, so each word is written so that it means itself in
 * all three.
 */
#pragma once

#include <stdint.h>

#define PIPE_COMMAND_MAX 8192 /* bytes of the command of sh */

struct buf;
struct muxbus_command;

/*
 * Writes the command of sh: a program that hands its standard input over to a socket with a nonce.
 * Returns 0, or -1 if it would be too long.
 */
int pipe_command_write_sh(
    struct buf *out, const char *program, const char *socket, const char *nonce);

/*
 * Makes the commands of tmux. The first prints "%ID PIPE DEAD" of the pane, the last two 0 or 1, as
 * they were before; the next pipes the pane only if it had no pipe. NULL if they cannot be made.
 */
struct muxbus_command *pipe_command_new(
    uint32_t pane, const char *program, const char *socket, const char *nonce);
