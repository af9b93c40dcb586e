/* SPDX-License-Identifier: ISC */
#include "daemon/pane/pane_screen.h"

#include "daemon/tmux/tmux.h"

struct screen_reading {
	struct tmux *tmux;
	uint32_t pane;
	pane_screen_fn *done;
	void *data;
};

static void take_capture(const struct muxbus_capture *capture, struct pane_screen *screen)
{
	*screen = (struct pane_screen){
	    .view =
		{
		    .text = (const char *)capture->text,
		    .len = capture->text_len,
		    .columns = capture->columns,
		    .cursor_row = capture->cursor_row,
		    .cursor_column = capture->cursor_column,
		},
	    .has_cursor = capture->cursor_visible,
	    .is_alternate = capture->alternate_screen,
	    .cursor_row = capture->cursor_row,
	    .cursor_column = capture->cursor_column,
	    .offset = capture->offset,
	};
	if (!screen->has_cursor)
		screen->has_cursor = prompt_find_cursor(&screen->view);
	prompt_read(&screen->view, &screen->prompt);
}

static void finish(struct screen_reading *reading, int error, const struct pane_screen *screen)
{
	reading->done(reading->data, error, screen);
	mem_free(reading);
}

static void on_capture(void *data, int error, const struct muxbus_capture *capture)
{
	struct pane_screen screen;
	if (error == 0)
		take_capture(capture, &screen);
	finish(data, error, error == 0 ? &screen : NULL);
}

static int capture(struct screen_reading *reading)
{
	return muxbus_sync_capture(tmux_sync(reading->tmux), reading->pane, 0,
	    MUXBUS_CAPTURE_ESCAPES, on_capture, reading);
}

static void on_listed(void *data, int error)
{
	struct screen_reading *reading = data;
	if (error == 0)
		error = capture(reading);
	if (error < 0)
		finish(reading, error, NULL);
}

static int begin(struct tmux *tmux, uint32_t pane, bool is_listed, pane_screen_fn *done, void *data)
{
	struct screen_reading *reading = xcalloc(1, sizeof *reading);
	const struct muxbus_pane *known = muxbus_model_pane(tmux_model(tmux), pane);
	struct muxbus_sync *sync = tmux_sync(tmux);
	int error;
	*reading = (struct screen_reading){.tmux = tmux, .pane = pane, .done = done, .data = data};
	if (is_listed)
		error = capture(reading);
	else if (known != NULL)
		error = muxbus_sync_refresh_window(sync, known->window, 0, on_listed, reading);
	else
		error = muxbus_sync_refresh(sync, MUXBUS_PART_PANES, 0, on_listed, reading);
	if (error < 0)
		mem_free(reading);
	return error;
}

int pane_screen_read(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data)
{
	/* While the daemon is detached from tmux, its model may not know that the pane is dead. */
	return begin(tmux, pane, !tmux_is_resting(tmux), done, data);
}

int pane_screen_read_listed(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data)
{
	return begin(tmux, pane, true, done, data);
}
