/* SPDX-License-Identifier: ISC */
/*
 * The screen of a pane, read once: its text, its cursor, the prompt at the cursor, and its offset
 * in the pane's output. Output from that offset on is not on the screen.
 */
#pragma once

#include "daemon/pane/prompt.h"

struct tmux;

struct pane_screen {
	struct prompt_view view; /* lent; with the cursor that the program shows or draws */
	bool has_cursor; /* false: no cursor is seen, so it is unknown where input goes */
	bool is_alternate;
	unsigned cursor_row; /* the cursor by tmux */
	unsigned cursor_column;
	struct prompt prompt;
	uint64_t offset; /* in the pane's output */
};

/* screen is lent until this returns; NULL if error, of the library, is not 0. */
typedef void pane_screen_fn(void *data, int error, const struct pane_screen *screen);

/* Returns an error, without calling done, if tmux is not connected. */
int pane_screen_read(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data);

/* For a caller that has just listed the pane's window. */
int pane_screen_read_listed(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data);
