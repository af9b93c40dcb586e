/* SPDX-License-Identifier: ISC */
/* What may follow on a command line: for the completion of shells. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <stddef.h>

#include "base/buf.h"
#include "cli/cli.h"

/*
 * Appends a line for each word that the last of the words, which may be empty, can become:
 * the word, and behind a tab what it is. The words are those behind "muxbus". Ids are asked of
 * the daemon, if it runs; names and titles are shown, and never offered as words.
 */
void complete_words(struct buf *out, struct cli *cli, size_t count, char *const *words);

#endif
