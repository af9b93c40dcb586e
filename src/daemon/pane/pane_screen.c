/* SPDX-License-Identifier: ISC */
/* Reading the screen of a pane. */
#include "daemon/pane/pane_screen.h"

#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>

#include "base/xalloc.h"
#include "daemon/tmux/tmux.h"

struct reading {
	pane_screen_fn *done;
	void *data;
};

static bool read_cursor(const char *text, struct pane_screen *screen)
{
	unsigned is_shown;

	if (sscanf(text, "%u %u %u %u", &screen->view.columns, &screen->cursor_column,
		&screen->cursor_row, &is_shown) != 4)
		return false;
	screen->view.cursor_column = screen->cursor_column;
	screen->view.cursor_row = screen->cursor_row;
	screen->has_cursor = is_shown != 0;
	return true;
}

static void on_read(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct reading *reading = data;
	struct pane_screen screen = {0};

	if (error == 0 && (count < 2 || !read_cursor((const char *)replies[0].body, &screen)))
		error = MUXBUS_ERR_SYNTAX;
	if (error == 0) {
		screen.view.text = (const char *)replies[1].body;
		screen.view.len = replies[1].body_len;
		if (!screen.has_cursor)
			screen.has_cursor = prompt_find_cursor(&screen.view);
		prompt_read(&screen.view, &screen.prompt);
	}
	reading->done(reading->data, error, error == 0 ? &screen : NULL);
	mem_free(reading);
}

int pane_screen_read(struct tmux *tmux, uint32_t pane, pane_screen_fn *done, void *data)
{
	struct muxbus_command *command;
	struct reading *reading;
	char target[32];
	int error = muxbus_command_new(&command);

	if (error < 0)
		return error;
	snprintf(target, sizeof target, "%%%" PRIu32, pane);
	muxbus_command_args(command, "display-message", "-p", "-t", target,
	    "#{pane_width} #{cursor_x} #{cursor_y} #{cursor_flag}", (char *)NULL);
	muxbus_command_next(command);
	muxbus_command_args(command, "capture-pane", "-p", "-e", "-t", target, (char *)NULL);
	reading = xcalloc(1, sizeof *reading);
	reading->done = done;
	reading->data = data;
	error = muxbus_sync_run(tmux_sync(tmux), command, false, on_read, reading);
	if (error < 0)
		mem_free(reading);
	return error;
}
