/* SPDX-License-Identifier: ISC */
/*
 * The screen of a pane, read once: its text, its cursor, the prompt that the cursor is at,
 * and its place in the pane's output. Output from that offset on is not on the screen.
 */
#pragma once

#include "daemon/pane/prompt.h"

struct tmux;

struct pane_screen {
	struct prompt_view view; /* lent; its cursor is where the program shows one */
	bool has_cursor; /* false: none is seen, so it is not known where input goes */
	bool is_alternate; /* a full-screen program draws */
	unsigned cursor_row; /* tmux's own */
	unsigned cursor_column;
	struct prompt prompt;
	uint64_t offset; /* in the pane's output */
};

/* error as of the library; screen NULL then. Lent until it returns. */
typedef void pane_screen_fn(void *data, int error, const struct pane_screen *screen);

/* Reads a pane. Returns an error, and does not call done, if tmux is not followed. */
int pane_screen_read(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data);

/* The same for a caller that has listed the window of the pane just now. */
int pane_screen_read_listed(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data);
