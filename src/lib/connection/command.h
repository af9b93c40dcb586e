/* SPDX-License-Identifier: ISC */
/* The text of a list of commands, and the offsets of its nonces. */
#pragma once

#include "lib/stream/parser.h"

/* The maximum number of commands in a list. */
#define COMMAND_COUNT_MAX 4096

/* The words of a command that prints an empty line, for its reply or its place among others. */
#define COMMAND_NOTHING "list-commands", "-F", "", "list-commands"

/*
 * Returns an empty list, or a list whose first command has these words, up to NULL. Returns NULL if
 * out of memory: functions that add words then do nothing, and attachment_run() and
 * attach_delay_run() return MUXBUS_ERR_NOMEM.
 */
struct muxbus_command *command_new(void);
struct muxbus_command *command_with(const char *name, ...) __attribute__((sentinel));

/* Returns 0 with the number of commands, or the first error of the list. */
int command_check(const struct muxbus_command *command, size_t *ret_count);

/*
 * Writes the nonces of the sentinels between the commands. The connection adds the sentinel of the
 * last command. Returns the text, a line without its newline, lent.
 */
const struct buf *command_fill(struct muxbus_command *command, const struct nonce *nonces);

/* Returns true if the last command runs others, so that an error may follow their output. */
bool command_runs_others(const struct muxbus_command *command);

/* Returns true if the last command is source-file. */
bool command_reads_file(const struct muxbus_command *command);

/* Returns the pane that is the default target, or MUXBUS_NO_ID. */
uint32_t command_pane(const struct muxbus_command *command);

/*
 * Returns true if a list may run on the connection. Then none of its commands shows something to a
 * person or is likely to run a slow hook, and the list has no default target, which a control
 * client cannot have.
 */
bool command_is_quick(const struct muxbus_command *command);

/* Returns true if the last command prints nothing: only a sentinel then proves its success. */
bool command_is_silent(const struct muxbus_command *command);

/*
 * Appends the data of IMSG_COMMAND to an empty buffer: the number of arguments, then each argument
 * with a NUL. A sentinel follows each command but the last, and the last too if has_end. Returns 0,
 * MUXBUS_ERR_NOMEM, or MUXBUS_ERR_LIMIT if the list is too long.
 */
int command_pack(const struct muxbus_command *command, const struct nonce *nonces, bool has_end,
    struct buf *ret_out);
