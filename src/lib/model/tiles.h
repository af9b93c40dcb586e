/* SPDX-License-Identifier: ISC */
/*
 * The panes of a window as its layout places them. If the panes lie exactly as the cells of
 * the layout, in their order (no pane is zoomed or floats, no border shows a status, and no
 * scrollbar takes columns), then a new layout says where they are, and which of them are gone.
 */
#pragma once

#include <muxbus.h>

/* The cells with panes of a layout, in its order. */
struct tiles {
	struct muxbus_layout *layout;
	const struct muxbus_cell **cells;
	uint32_t count;
};

/* False if the text is no layout, or has floating panes, or if memory is out. */
bool tiles_read(struct tiles *tiles, const char *text);
void tiles_finish(struct tiles *tiles);

/* The cell of a pane, or NULL. */
const struct muxbus_cell *tiles_find(const struct tiles *tiles, uint32_t pane);

/* Whether a layout has all known panes of the window; true also if it cannot be read. */
bool tiles_have_all(const struct muxbus_model *model, uint32_t window, const char *layout);

/*
 * Copies a model with a new layout of a window, without the panes that the layout lacks. active is
 * the active pane, or MUXBUS_NO_ID if that stays. Returns 0, MUXBUS_ERR_NOT_FOUND if the
 * layout does not say enough, or MUXBUS_ERR_NOMEM.
 */
int tiles_apply(const struct muxbus_model *before, uint32_t window, const char *layout,
    uint32_t active, struct muxbus_model **ret_model);
