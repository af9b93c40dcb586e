/* SPDX-License-Identifier: ISC */
/*
 * The screen of a pane, read once: its text, its cursor, the prompt at the cursor, and its offset
 * in the pane's output. If the output comes by a pipe, the screen may show some after this offset.
 */
#pragma once

#include "daemon/pane/prompt.h"

struct tmux;

struct pane_screen {
	/* text: valid as long as the screen; cursor: the one that the program shows or draws */
	struct prompt_view view;
	bool has_cursor; /* false: no cursor is seen, so the place of input is unknown */
	bool is_alternate;
	unsigned cursor_row; /* the cursor of tmux */
	unsigned cursor_column;
	struct prompt prompt;
	uint64_t offset; /* the end of the pane's output so far when the screen came */
};

/* screen is valid until this returns; NULL if error, an error of libmuxbus, is not 0. */
typedef void pane_screen_fn(void *data, int error, const struct pane_screen *screen);

/*
 * Reads the screen of a pane, and calls done. If this cannot begin, returns an error and does not
 * call done.
 */
int pane_screen_read(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data);

/* Like pane_screen_read(), for a pane whose window was listed just before. */
int pane_screen_read_listed(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data);
