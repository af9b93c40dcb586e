/* SPDX-License-Identifier: ISC */
/* Makes lists of tmux commands. If memory runs out, the process ends. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/* Returns an empty list; tmux_command() returns one command of these words, which end with NULL. */
struct muxbus_command *tmux_command_new(void);
struct muxbus_command *tmux_command(const char *name, ...) __attribute__((sentinel));

/*
 * list-commands, abbreviated because an alias of the user may have the whole name. With
 * TMUX_LIST_ONE it prints the text after -F once.
 */
#define TMUX_LIST_COMMANDS "list-comman"
#define TMUX_LIST_ONE "lscm"

/* An id as a word, valid until the end of the block: TMUX_ID('%', pane->id). */
#define TMUX_ID(sigil, id) tmux_id((char[TMUX_ID_SIZE]){""}, sigil, id)
#define TMUX_ID_SIZE 12
const char *tmux_id(char text[TMUX_ID_SIZE], char sigil, uint32_t id);
