/* SPDX-License-Identifier: ISC */
/*
 * A text as a paste: it goes into a tmux buffer of its own that is pasted and deleted in the
 * command that checks the pane. Pasting into a dead pane ends tmux up to 3.3a.
 */
#pragma once

#include <muxbus.h>
#include <stdbool.h>
#include <stddef.h>

struct tmux;
struct typing;

struct paste {
	char buffer[64]; /* name of the tmux buffer; "": none was made */
	char otherwise[96]; /* for typing_add(): the command that removes it */
};

/* Adds the buffer to a list of commands, and its pasting to what is typed. */
void paste_add(struct paste *paste, struct tmux *tmux, struct muxbus_command *command,
    struct typing *typing, const void *text, size_t len, bool is_bracketed);
/* Removes the buffer of a paste that failed half-way. */
void paste_remove(const struct paste *paste, struct tmux *tmux);
