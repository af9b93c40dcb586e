/* SPDX-License-Identifier: ISC */
/* One look at the screen of an agent, and its place in the pane's output. */
#include "daemon/pane/agent_look.h"

#include <muxbus.h>

#include "base/xalloc.h"
#include "daemon/tmux/tmux.h"

struct looking {
	agent_look_fn *done;
	void *data;
};

static void on_capture(void *data, int error, const struct muxbus_capture *capture)
{
	struct looking *looking = data;
	struct agent_look look = {0};

	if (error == 0) {
		look.offset = capture->offset;
		look.is_alternate = capture->alternate_screen;
		look.screen.view = (struct prompt_view){
		    .text = (const char *)capture->text,
		    .len = capture->text_len,
		    .columns = capture->columns,
		    .cursor_row = capture->cursor_row,
		    .cursor_column = capture->cursor_column,
		};
		look.screen.cursor_row = capture->cursor_row;
		look.screen.cursor_column = capture->cursor_column;
		look.screen.has_cursor = capture->cursor_visible;
		if (!look.screen.has_cursor)
			look.screen.has_cursor = prompt_find_cursor(&look.screen.view);
		prompt_read(&look.screen.view, &look.screen.prompt);
	}
	looking->done(looking->data, error, error == 0 ? &look : NULL);
	mem_free(looking);
}

int agent_look_take(struct tmux *tmux, uint32_t pane, agent_look_fn *done, void *data)
{
	struct looking *looking = xcalloc(1, sizeof *looking);
	int error;

	looking->done = done;
	looking->data = data;
	error = muxbus_sync_capture(
	    tmux_sync(tmux), pane, 0, MUXBUS_CAPTURE_ESCAPES, on_capture, looking);
	if (error < 0)
		mem_free(looking);
	return error;
}
