/* SPDX-License-Identifier: ISC */
/* A text as a paste. */
#include "daemon/input/paste.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/input/typing.h"
#include "daemon/tmux/tmux.h"

enum { PIECE_BYTES = 64 * 1024 };

static void add_buffer(
    const struct paste *paste, struct muxbus_command *command, const uint8_t *text, size_t len)
{
	for (size_t at = 0; at < len; at += PIECE_BYTES) {
		size_t piece = len - at < PIECE_BYTES ? len - at : PIECE_BYTES;
		muxbus_command_args(command, "set-buffer", (char *)NULL);
		if (at > 0)
			muxbus_command_args(command, "-a", (char *)NULL);
		muxbus_command_args(command, "-b", paste->buffer, "--", (char *)NULL);
		muxbus_command_arg(command, text + at, piece);
		muxbus_command_next(command);
	}
}

void paste_add(struct paste *paste, struct tmux *tmux, struct muxbus_command *command,
    struct typing *typing, const void *text, size_t len, bool is_bracketed)
{
	static unsigned number;
	bool has_vis = (tmux_caps(tmux) & MUXBUS_CAP_PASTE_VIS) != 0;
	char line[256];
	snprintf(paste->buffer, sizeof paste->buffer, "muxbus-%d-%u", (int)getpid(), ++number);
	snprintf(paste->otherwise, sizeof paste->otherwise, "delete-buffer -b %s", paste->buffer);
	add_buffer(paste, command, text, len);
	snprintf(line, sizeof line, "paste-buffer -d -r %s %s -b %s -t %%%u",
	    is_bracketed ? "-p" : "", has_vis ? "-S" : "", paste->buffer, typing->pane);
	typing_command(typing, line);
	typing_keys(typing, text, len);
	typing->is_bracketed = is_bracketed;
}

void paste_remove(const struct paste *paste, struct tmux *tmux)
{
	struct muxbus_command *command;
	if (paste->buffer[0] == '\0' || !tmux_is_live(tmux) || muxbus_command_new(&command) < 0)
		return;
	muxbus_command_args(command, "delete-buffer", "-b", paste->buffer, (char *)NULL);
	(void)muxbus_sync_run(tmux_sync(tmux), command, false, tmux_ignore_reply, NULL);
}
