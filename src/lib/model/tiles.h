/* SPDX-License-Identifier: ISC */
/*
 * The panes of a window as its layout places them. If no pane is zoomed or floats, no border shows
 * a status, and no scrollbar takes columns, then the panes lie exactly in the cells of the layout,
 * and in the same order. In this case a new layout tells where all panes are, and which panes have
 * closed.
 */
#pragma once

#include <muxbus.h>

/* The cells of a layout that have a pane, in the order of the layout. */
struct tiles {
	struct muxbus_layout *layout;
	const struct muxbus_cell **cells;
	uint32_t count;
};

/* Reads a layout. Returns false if that fails, or if the layout has floating panes. */
bool tiles_read(struct tiles *tiles, const char *text);
void tiles_finish(struct tiles *tiles);

const struct muxbus_cell *tiles_find(const struct tiles *tiles, uint32_t pane); /* or NULL */

/* Returns true if a layout has all known panes of a window, or if tiles_read() fails. */
bool tiles_have_all(const struct muxbus_model *model, uint32_t window, const char *layout);

/*
 * Copies a model with a new layout of a window, without the panes that the layout lacks. active is
 * the window's new active pane; MUXBUS_NO_ID: unchanged. Returns 0, or MUXBUS_ERR_NOT_FOUND if the
 * layout does not tell where the panes are, or no pane is active. Out of memory returns
 * MUXBUS_ERR_NOMEM or MUXBUS_ERR_NOT_FOUND.
 */
int tiles_apply(const struct muxbus_model *before, uint32_t window, const char *layout,
    uint32_t active, struct muxbus_model **ret_model);
