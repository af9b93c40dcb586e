/* SPDX-License-Identifier: ISC */
/*
 * The screen of a pane, read once: its text, its cursor, the prompt at the cursor, and its offset
 * in the pane's output. Output from that offset on is not on the screen.
 */
#pragma once

#include "daemon/pane/prompt.h"

struct tmux;

struct pane_screen {
	/*
	 * its text is valid as long as the screen; has the cursor that the program shows or draws
	 */
	struct prompt_view view;
	bool has_cursor; /* false: no cursor is seen, so it is not known where input goes */
	bool is_alternate;
	unsigned cursor_row; /* where tmux has the cursor */
	unsigned cursor_column;
	struct prompt prompt;
	uint64_t offset; /* offset in the pane's output that the screen shows */
};

/* screen is valid only until this returns; NULL if error, an error of libmuxbus, is not 0. */
typedef void pane_screen_fn(void *data, int error, const struct pane_screen *screen);

/*
 * Reads the screen of a pane, and calls done. Returns an error, without calling done, if tmux is
 * not connected.
 */
int pane_screen_read(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data);

/* The same for a caller that has just had the pane's window listed. */
int pane_screen_read_listed(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data);
