/* SPDX-License-Identifier: ISC */
/* The screen that delivery looks at: one reading of a pane, its cursor and its prompt line. */
#ifndef DAEMON_DELIVERY_SCREEN_H
#define DAEMON_DELIVERY_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/prompt.h"

struct tmux;

struct delivery_screen {
	struct prompt_view view; /* lent; its cursor is where the program shows one */
	bool has_cursor; /* false: none is seen, so it is not known where input goes */
	unsigned cursor_row; /* tmux's own */
	unsigned cursor_column;
	struct prompt prompt;
};

/* error as of the library; screen NULL then. Lent until it returns. */
typedef void delivery_screen_fn(void *data, int error, const struct delivery_screen *screen);

/* Reads a pane. Returns an error, and does not call done, if tmux is not followed. */
int delivery_screen_read(struct tmux *tmux, uint32_t pane, delivery_screen_fn *done, void *data);

#endif
