/* SPDX-License-Identifier: ISC */
/* A list of commands as it is written: its bytes, and the places where nonces go. */
#ifndef LIB_COMMAND_H
#define LIB_COMMAND_H

#include <muxbus.h>

#include <stddef.h>

#include "base/buf.h"
#include "lib/parser.h"

/* The most commands that one list may have. */
#define COMMAND_COUNT_MAX 4096

/* What a connection needs to run it: how many commands, or the error that was remembered. */
int command_check(const struct muxbus_command *command, size_t *ret_count);

/*
 * Writes the nonces of the sentinels between the commands: one less than there are
 * commands, since the sentinel behind the last is the connection's. Lends the text, a
 * line without its newline.
 */
const struct buf *command_fill(struct muxbus_command *command, const struct nonce *nonces);

#endif
