/* SPDX-License-Identifier: ISC */
/*
 * The two sides of muxbus relay: the command that ssh runs on the other machine, and the hello
 * that its relay says first. Noise of a login shell before the hello is no response, and a relay
 * of another protocol is refused before the first request.
 */
#pragma once

#include "base/base.h"

#define RELAY_HELLO "muxbus relay " /* the first line of a relay, up to its protocol and version */
#define RELAY_PROTOCOL 1
#define RELAY_LINE_MAX 1024 /* bytes of the hello, and of each line before it */
#define RELAY_NOISE_MAX 1000 /* lines of a login shell before the hello */
#define RELAY_SSH_MAX \
	40 /* words of $MUXBUS_SSH, of which 32 count, and of the options behind them */
#define RELAY_SSH_SIZE 4096

/*
 * Appends the command for the shell of the other machine: program (NULL: $MUXBUS_REMOTE, else
 * "muxbus") with the tmux server by name (-L) or path (-S), either of which may be NULL. False: no
 * room.
 */
bool relay_append_command(
    struct buf *out, const char *program, const char *tmux_name, const char *tmux_path);

/*
 * Writes the words of $MUXBUS_SSH, else "ssh", into argv, which has room for RELAY_SSH_MAX; they
 * lie in words, of RELAY_SSH_SIZE bytes. Behind them are options for a link that may last all day:
 * it forwards neither the keys nor the display nor ports of the user, whatever ssh_config(5) says.
 * Returns their number.
 */
size_t relay_ssh_words(char *words, const char **argv);

/* Reads a line that may be the hello. */
bool relay_read_hello(
    const char *line, unsigned *ret_protocol, char *ret_version, size_t version_size);

/* Writes the reason why the protocol of the hello cannot be used. */
void relay_refuse(const char *host, const char *far_version, unsigned far_protocol,
    char *ret_reason, size_t size);
