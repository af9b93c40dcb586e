/* SPDX-License-Identifier: ISC */
/* Words for a POSIX shell. */
#ifndef CLI_SHELL_WORD_H
#define CLI_SHELL_WORD_H

#include "base/buf.h"

/*
 * Appends a word, quoted so that a POSIX shell reads back exactly its bytes in any position of a
 * command. Returns 0 or an enum buf_error.
 */
int shell_word(struct buf *out, const char *word);

#endif
