/* SPDX-License-Identifier: ISC */
/* The text of a list of commands, and the offsets of its nonces. */
#pragma once

#include "lib/stream/parser.h"

#define COMMAND_COUNT_MAX 4096

/* The words of a command that prints an empty line, for its reply or its place among others. */
#define COMMAND_NOTHING "list-commands", "-F", "", "list-commands"

/*
 * Return a list, empty or with these words up to NULL. Out of memory, they return NULL: functions
 * that add words then do nothing, and those that run a list return MUXBUS_ERR_NOMEM.
 */
struct muxbus_command *command_new(void);
struct muxbus_command *command_with(const char *name, ...) __attribute__((sentinel));

/* Returns 0 with the number of commands, or the first error of the list. */
int command_check(const struct muxbus_command *command, size_t *ret_count);

/* Writes the nonces between the commands; the connection adds the last. Returns the text, lent. */
const struct buf *command_fill(struct muxbus_command *command, const struct nonce *nonces);

/* Returns true if the last command runs others, so that an error may follow their output. */
bool command_runs_others(const struct muxbus_command *command);

bool command_reads_file(const struct muxbus_command *command);

/* Returns the pane that is the default target, or MUXBUS_NO_ID. */
uint32_t command_pane(const struct muxbus_command *command);

/* Returns true if a list shows a person nothing, runs no slow hook, and has no default target. */
bool command_is_quick(const struct muxbus_command *command);

/*
 * Returns the number of sentinels to print behind the last command. 0: it may end or fail after the
 * next one has begun, so that a sentinel proves nothing. 2: it may print nothing, and tmux does not
 * wait before it writes the second text.
 */
unsigned command_sentinels(const struct muxbus_command *command);

/* Appends the data of IMSG_COMMAND, with so many sentinels behind the last command. */
int command_pack(const struct muxbus_command *command, const struct nonce *nonces,
    unsigned sentinels, struct buf *ret_out);
