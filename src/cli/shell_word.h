/* SPDX-License-Identifier: ISC */
/* Words for a POSIX shell. */
#ifndef CLI_SHELL_WORD_H
#define CLI_SHELL_WORD_H

#include "base/buf.h"

/*
 * Appends a word so that a POSIX shell, in any position of a command, reads back exactly its
 * bytes. Returns 0 or an enum buf_error.
 */
int shell_word(struct buf *out, const char *word);

#endif
