/* SPDX-License-Identifier: ISC */
/* The text of a list of commands, and the places for its nonces. */
#pragma once

#include "lib/stream/parser.h"

/* The most commands that one list may have. */
#define COMMAND_COUNT_MAX 4096

/* Counts the commands, or returns the first error of the list. */
int command_check(const struct muxbus_command *command, size_t *ret_count);

/*
 * Writes the nonces of the sentinels between the commands: one less than there are commands,
 * since the connection adds the last sentinel. Lends the text, a line without its newline.
 */
const struct buf *command_fill(struct muxbus_command *command, const struct nonce *nonces);

/* Whether the last command runs commands, which may fail behind output of others. */
bool command_runs_others(const struct muxbus_command *command);

/* Whether no command shows something to a person, or is likely to have a hook that waits. */
bool command_is_quick(const struct muxbus_command *command);

/* Whether the last command prints nothing: only a sentinel behind it shows that it has not failed. */
bool command_is_silent(const struct muxbus_command *command);

/*
 * Appends the data of IMSG_COMMAND to an empty buffer: the count of arguments, and each with its
 * NUL, with the same sentinels, and a last one at the end if has_end. Returns MUXBUS_ERR_NOMEM, or
 * MUXBUS_ERR_LIMIT if they do not fit.
 */
int command_pack(const struct muxbus_command *command, const struct nonce *nonces, bool has_end,
    struct buf *ret_out);
