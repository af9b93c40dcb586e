/* SPDX-License-Identifier: ISC */
#include "lib/model/tiles.h"

#include "lib/model/merge.h"
#include "lib/model/model.h"

void tiles_finish(struct tiles *tiles)
{
	mem_free(tiles->cells);
	muxbus_layout_free(tiles->layout);
	*tiles = (struct tiles){0};
}

bool tiles_read(struct tiles *tiles, const char *text)
{
	*tiles = (struct tiles){0};
	if (muxbus_layout_parse(text, strlen(text), &tiles->layout) != 0 ||
	    tiles->layout->floating_count > 0) {
		tiles_finish(tiles);
		return false;
	}
	tiles->cells = mem_calloc(tiles->layout->count, sizeof *tiles->cells);
	if (tiles->cells == NULL) {
		tiles_finish(tiles);
		return false;
	}
	for (uint32_t i = 0; i < tiles->layout->count; i++) {
		const struct muxbus_cell *cell = &tiles->layout->cells[i];
		if (cell->pane != MUXBUS_NO_ID)
			tiles->cells[tiles->count++] = cell;
	}
	return true;
}

static bool is_tile(const struct muxbus_pane *pane, const struct muxbus_cell *cell)
{
	return pane->id == cell->pane && pane->width == cell->width &&
	    pane->height == cell->height && pane->left == cell->left && pane->top == cell->top;
}

/*
 * For a border status, tmux takes a row from the bottom panes; for a scrollbar, columns from all
 * panes. But tmux leaves each pane one row and one column. So a bottom cell of several rows and a
 * cell of several columns prove that there is neither, if their panes fill them.
 */
static bool is_proof(const struct tiles *tiles)
{
	const struct muxbus_cell *root = &tiles->layout->cells[0];
	bool is_high = false, is_wide = false;
	for (uint32_t i = 0; i < tiles->count; i++) {
		const struct muxbus_cell *cell = tiles->cells[i];
		is_high |= cell->height > 1 &&
		    cell->top + (int)cell->height == root->top + (int)root->height;
		is_wide |= cell->width > 1;
	}
	return is_high && is_wide;
}

static bool is_tiled(const struct muxbus_model *model, const struct muxbus_window *window)
{
	const struct muxbus_pane *pane = model_first_pane(model, window->id);
	struct tiles tiles;
	bool is_same;
	if (window->is_zoomed || !tiles_read(&tiles, window->layout))
		return false;
	is_same = is_proof(&tiles);
	for (uint32_t i = 0; is_same && i < tiles.count; i++) {
		is_same = pane != NULL && is_tile(pane, tiles.cells[i]);
		if (is_same)
			pane = model_next_window_pane(model, pane);
	}
	tiles_finish(&tiles);
	return is_same && pane == NULL;
}

const struct muxbus_cell *tiles_find(const struct tiles *tiles, uint32_t pane)
{
	for (uint32_t i = 0; i < tiles->count; i++)
		if (tiles->cells[i]->pane == pane)
			return tiles->cells[i];
	return NULL;
}

/* Finds panes that the new layout lacks. False: new panes, another order, no panes or no memory. */
static bool find_lost(
    const struct muxbus_model *model, uint32_t window, const struct tiles *tiles, struct map *lost)
{
	const struct muxbus_pane *pane = model_first_pane(model, window);
	uint32_t kept = 0;
	for (; pane != NULL; pane = model_next_window_pane(model, pane)) {
		if (tiles_find(tiles, pane->id) == NULL) {
			if (map_set(lost, pane->id, lost) != 0)
				return false;
			continue;
		}
		if (kept == tiles->count || tiles->cells[kept]->pane != pane->id)
			return false;
		kept++;
	}
	return kept == tiles->count && kept > 0;
}

static void place_panes(struct muxbus_model *model, const struct tiles *tiles, int32_t index)
{
	for (uint32_t i = 0; i < tiles->count; i++) {
		const struct muxbus_cell *cell = tiles->cells[i];
		struct muxbus_pane *pane = model_pane_entry(model, cell->pane);
		pane->index = index + (int32_t)i;
		pane->width = cell->width;
		pane->height = cell->height;
		pane->left = cell->left;
		pane->top = cell->top;
	}
}

static int copy_without(const struct muxbus_model *before, uint32_t window,
    const struct tiles *tiles, struct muxbus_model **ret_model)
{
	struct merge_drop drop = {.window = MUXBUS_NO_ID};
	int error = MUXBUS_ERR_NOT_FOUND;
	map_init(&drop.panes);
	if (find_lost(before, window, tiles, &drop.panes))
		error = merge_copy(before, &drop, ret_model);
	map_finish(&drop.panes);
	return error;
}

/* Returns false if out of memory, or if no pane is active: the caller then frees the model. */
static bool set_layout(struct muxbus_model *model, uint32_t id, const char *layout,
    const struct tiles *tiles, uint32_t active)
{
	struct muxbus_window *window = model_window_entry(model, id);
	window->width = tiles->layout->cells[0].width;
	window->height = tiles->layout->cells[0].height;
	window->layout = model_string(model, layout, strlen(layout));
	window->visible_layout = window->layout;
	if (active != MUXBUS_NO_ID)
		model_set_active_pane(model, id, active);
	return window->layout != NULL && window->active_pane != MUXBUS_NO_ID;
}

int tiles_apply(const struct muxbus_model *before, uint32_t id, const char *layout, uint32_t active,
    struct muxbus_model **ret_model)
{
	const struct muxbus_window *window = muxbus_model_window(before, id);
	const struct muxbus_pane *first = model_first_pane(before, id);
	struct muxbus_model *model = NULL;
	struct tiles tiles;
	int error;
	if (window == NULL || first == NULL || !is_tiled(before, window) ||
	    !tiles_read(&tiles, layout))
		return MUXBUS_ERR_NOT_FOUND;
	error = copy_without(before, id, &tiles, &model);
	if (error == 0 && !set_layout(model, id, layout, &tiles, active)) {
		model_free(model);
		error = MUXBUS_ERR_NOT_FOUND;
	}
	if (error == 0) {
		place_panes(model, &tiles, first->index);
		*ret_model = model;
	}
	tiles_finish(&tiles);
	return error;
}

bool tiles_have_all(const struct muxbus_model *model, uint32_t window, const char *layout)
{
	const struct muxbus_pane *pane = model_first_pane(model, window);
	struct tiles tiles;
	if (!tiles_read(&tiles, layout))
		return true;
	while (pane != NULL && tiles_find(&tiles, pane->id) != NULL)
		pane = model_next_window_pane(model, pane);
	tiles_finish(&tiles);
	return pane == NULL;
}
