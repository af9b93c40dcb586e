/* SPDX-License-Identifier: ISC */
/* The text of a list of commands, and the offsets of its nonces. */
#pragma once

#include "lib/stream/parser.h"

#define COMMAND_COUNT_MAX 4096

/* The words of a command that does and prints nothing, for callers that want just a reply. */
#define COMMAND_NOTHING LIST_COMMANDS, "-F", "", LIST_ONE

/*
 * Return an empty list, or a list whose first command has these words, ended by NULL. Out of memory
 * returns NULL. The functions that add words accept NULL. attachment_run() and attach_delay_run()
 * return MUXBUS_ERR_NOMEM for NULL, so a caller needs to check only their result.
 */
struct muxbus_command *command_new(void);
struct muxbus_command *command_with(const char *name, ...) __attribute__((sentinel));

/* Returns 0 with the number of commands, the first error, or MUXBUS_ERR_INVALID for no command. */
int command_check(const struct muxbus_command *command, size_t *ret_count);

/*
 * Writes the nonces of all sentinels but the last, which the caller adds. Returns the text: one
 * line without its newline, valid until the list is changed or freed.
 */
const struct buf *command_fill(struct muxbus_command *command, const struct nonce *nonces);

/* Returns true if the last command is source-file; false for a long list. */
bool command_reads_file(const struct muxbus_command *command);

/* Returns the pane that is the default target, or MUXBUS_NO_ID. */
uint32_t command_pane(const struct muxbus_command *command);

/*
 * Returns true if a list may run on the connection, because its commands usually answer at once;
 * the commands of a long list are not checked. Returns false for a list with a default target,
 * which a control client cannot have.
 */
bool command_is_quick(const struct muxbus_command *command);

/*
 * Returns the number of sentinels to print behind the last command. 0: the list is long, or the
 * command may end or fail after the next one has begun, so that a sentinel proves nothing. 2: the
 * command may print nothing, so the first sentinel is the first text of the stream. tmux waits
 * before it writes the first text, but not before the second.
 */
unsigned command_sentinels(const struct muxbus_command *command);

/* Returns false for a long list, and if a command may end after the next command has begun. */
bool command_is_synchronous(const struct muxbus_command *command);

/*
 * Appends the data of IMSG_COMMAND to an empty buffer: the number of words, then each word with a
 * NUL. One sentinel follows each command but the last, and `sentinels` follow the last. Returns 0,
 * MUXBUS_ERR_NOMEM, or MUXBUS_ERR_LIMIT if the list is too long.
 */
int command_pack(const struct muxbus_command *command, const struct nonce *nonces,
    unsigned sentinels, struct buf *ret_out);
