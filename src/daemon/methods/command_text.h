/* SPDX-License-Identifier: ISC */
/*
 * Text of tmux commands, as key bindings and hooks have them, cut into commands and words in the
 * way that tmux reads it: quotes, escapes, blocks in braces, comments, conditions.
 */
#ifndef DAEMON_METHODS_COMMAND_TEXT_H
#define DAEMON_METHODS_COMMAND_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define COMMAND_TEXT_WORDS 1000 /* of one command; the rest is not read */

/* Takes one command. False ends the reading. */
typedef bool command_text_fn(void *data, const char *const *words, size_t count);

/*
 * Reads a text. A block is one word, its text without the braces. Variables are left as they are
 * written. Returns false if the function ended the reading.
 */
bool command_text_read(const char *text, command_text_fn *take, void *data);

/* Reads words, of which a last ";" ends a command, in the same way. */
bool command_text_words(const char *const *words, size_t count, command_text_fn *take, void *data);

#endif
