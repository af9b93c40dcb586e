/* SPDX-License-Identifier: ISC */
/* Makes lists of tmux commands. If memory runs out, the process ends. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/*
 * The first returns an empty list; the second one whose first command has these words, up to NULL.
 */
struct muxbus_command *tmux_command_new(void);
struct muxbus_command *tmux_command(const char *name, ...) __attribute__((sentinel));

/*
 * list-commands by a part of its name, since an alias of the user may have the whole name. It prints
 * the text behind -F once if TMUX_LIST_ONE follows.
 */
#define TMUX_LIST_COMMANDS "list-comman"
#define TMUX_LIST_ONE "lscm"

/* An id as a word, valid until the end of the block: TMUX_ID('%', pane->id). */
#define TMUX_ID(sigil, id) tmux_id((char[TMUX_ID_SIZE]){""}, sigil, id)
#define TMUX_ID_SIZE 12
const char *tmux_id(char text[TMUX_ID_SIZE], char sigil, uint32_t id);
