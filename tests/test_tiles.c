/* SPDX-License-Identifier: ISC */
/* New layouts of windows, applied to the panes that are known. */
#include "lib/model/tiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/model.h"
#include "tap.h"

/* Three panes side by side, then one of them alone above and so on. */
#define THREE "9bb2,80x24,0,0{26x24,0,0,0,26x24,27,0,1,26x24,54,0,2}"
#define TWO "0206,80x24,0,0{40x24,0,0,0,39x24,41,0,2}"
#define SWAPPED "9bce,80x24,0,0{26x24,0,0,1,26x24,27,0,0,26x24,54,0,2}"
#define OTHER "1bb6,80x24,0,0{26x24,0,0,0,26x24,27,0,1,26x24,54,0,9}"
#define LOW "d22d,80x1,0,0{26x1,0,0,0,26x1,27,0,1,26x1,54,0,2}"
#define NARROW "d878,5x24,0,0{1x24,0,0,0,1x24,2,0,1,1x24,4,0,2}"
#define LARGE "bc01,100x30,0,0{26x30,0,0,0,26x30,27,0,1,46x30,54,0,2}"

/* The panes of THREE: how large each is, how far they are apart, and how far down they lie. */
struct place {
	unsigned width, height;
	int step, top;
};
static const struct place at_top = {26, 24, 27, 0};

static void add_pane(struct muxbus_model *model, uint32_t id, const struct place *place)
{
	const struct muxbus_pane pane = {.id = id,
	    .window = 5,
	    .index = (int32_t)id + 1,
	    .width = place->width,
	    .height = place->height,
	    .left = (int)id * place->step,
	    .top = place->top,
	    .is_active = id == 1,
	    .tty = "",
	    .title = "",
	    .command = "",
	    .path = "",
	    .mode = "",
	    .exit_status = -1};
	model_add_pane(model, &pane);
}

static struct muxbus_model *placed(const char *layout, bool is_zoomed, const struct place *place)
{
	const struct muxbus_session session = {
	    .id = 0, .name = "s", .current_window = MUXBUS_NO_ID, .group = MUXBUS_NO_ID};
	const struct muxbus_window window = {.id = 5,
	    .name = "w",
	    .width = 80,
	    .height = 24,
	    .layout = layout,
	    .visible_layout = layout,
	    .is_zoomed = is_zoomed,
	    .active_pane = MUXBUS_NO_ID};
	const struct muxbus_link link = {.session = 0, .window = 5, .is_current = true};
	struct muxbus_model *model;
	if (model_new(&model) != 0)
		abort();
	model_add_session(model, &session);
	model_add_window(model, &window);
	model_add_link(model, &link);
	for (uint32_t id = 0; id < 3; id++)
		add_pane(model, id, place);
	(void)model_finish(model);
	return model;
}

static struct muxbus_model *example(const char *layout)
{
	return placed(layout, false, &at_top);
}

static const char *panes_of(const struct muxbus_model *model)
{
	static char text[512];
	const struct muxbus_pane *pane = NULL;
	size_t len = 0;
	while ((pane = muxbus_model_next_pane(model, pane)) != NULL)
		len += (size_t)snprintf(text + len, sizeof text - len, "%d:%%%u %ux%u,%d,%d%s ",
		    pane->index, pane->id, pane->width, pane->height, pane->left, pane->top,
		    pane->is_active ? "*" : "");
	return text;
}

static void is_applied(const char *layout, uint32_t active, const char *expected, const char *what)
{
	struct muxbus_model *before = example(THREE), *now;
	if (is_int(tiles_apply(before, 5, layout, active, &now), 0, "%s", what)) {
		is_str(panes_of(now), expected, "the panes then");
		is_str(muxbus_model_window(now, 5)->layout, layout, "the layout");
		model_free(now);
	}
	is_str(panes_of(before), "1:%0 26x24,0,0 2:%1 26x24,27,0* 3:%2 26x24,54,0 ", "before");
	model_free(before);
}

static void is_refused(struct muxbus_model *before, const char *layout, const char *what)
{
	struct muxbus_model *now;
	is_int(
	    tiles_apply(before, 5, layout, MUXBUS_NO_ID, &now), MUXBUS_ERR_NOT_FOUND, "%s", what);
	model_free(before);
}

int main(void)
{
	struct muxbus_model *model = example(THREE), *now;
	char cut[sizeof THREE];
	unsigned bad = 0;
	ok(tiles_have_all(model, 5, SWAPPED), "all panes are in the layout");
	ok(!tiles_have_all(model, 5, TWO), "one is not");
	for (size_t len = 0; len < sizeof THREE - 1; len++) {
		memcpy(cut, THREE, len);
		cut[len] = '\0';
		if (tiles_apply(model, 5, cut, MUXBUS_NO_ID, &now) == 0) {
			model_free(now);
			bad++;
		}
	}
	is_int(bad, 0, "a layout that ends anywhere is refused");
	model_free(model);
	is_applied(LARGE, MUXBUS_NO_ID, "1:%0 26x30,0,0 2:%1 26x30,27,0* 3:%2 46x30,54,0 ",
	    "a larger window");
	is_applied(TWO, 2, "1:%0 40x24,0,0 2:%2 39x24,41,0* ", "a pane is gone, another is active");
	is_refused(example(THREE), TWO, "the active pane is gone, and none is named");
	is_refused(example(THREE), SWAPPED, "another order");
	is_refused(example(THREE), OTHER, "an unknown pane");
	is_refused(example(THREE), "", "no layout");
	is_refused(placed(THREE, true, &at_top), LARGE, "a zoomed window");
	is_refused(placed(THREE, false, &(struct place){26, 24, 27, 1}), LARGE,
	    "panes below a line of status");
	is_refused(placed(LOW, false, &(struct place){26, 1, 27, 0}), LARGE,
	    "panes of one row, which have none for a status below them");
	is_refused(placed(NARROW, false, &(struct place){1, 24, 2, 0}), LARGE,
	    "panes of one column, which have none for a scrollbar");
	is_refused(example(SWAPPED), LARGE, "panes that lie otherwise");
	return done_testing();
}
