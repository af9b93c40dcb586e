/* SPDX-License-Identifier: ISC */
/*
 * Input for a pane, as tmux commands that arrive whole or not at all. tmux loses keys in
 * silence while a pane is in a mode, has its input switched off, or has no program: so it
 * is asked in the very command that types, and says so instead of typing.
 *
 * Text goes by `send-keys -l` as far as it is ASCII, and byte by byte (-H) where a terminal
 * mode or tmux's own idea of characters could change it. Measured: control-mode 8.1.
 */
#pragma once

#include <muxbus.h>

#include "daemon/server/right.h"

struct tmux;

#define TYPING_BYTES_MAX (64 * 1024) /* more is for a paste */

struct stream_set;

struct typing {
	uint32_t pane;
	bool leaves_mode; /* end a mode of the pane first, instead of giving up */
	struct right_only only;
	const char *condition; /* a format that must be true too, or NULL: no foreign text in it */
	struct buf commands; /* in tmux's grammar */
	struct buf keys; /* the bytes that they type */
	bool is_bracketed; /* keys are a paste with brackets */
};

void typing_init(struct typing *typing, uint32_t pane, bool leaves_mode);
void typing_finish(struct typing *typing);

/* name is one that keys_classify() knows. */
void typing_key(struct typing *typing, const char *name);
/* Deletes count characters at the beginning of the edited line, and keeps the rest. */
void typing_retract(struct typing *typing, size_t count);
void typing_bytes(struct typing *typing, const void *bytes, size_t len);

/* Notes in the input of the pane what is typed. pane NULL: it has gone. */
void typing_note(
    const struct typing *typing, struct stream_set *streams, const struct muxbus_pane *pane);

/*
 * Adds the guarded commands to a list. otherwise, if not NULL, is a command of our own
 * making that runs if the pane takes no input.
 */
void typing_add(const struct typing *typing, struct muxbus_command *command, const char *otherwise);

/*
 * Whether the pane took it. If not, the request is failed as not_ready, with what tmux said
 * as evidence, or by its role. typed says what had been typed before.
 */
bool typing_check(
    struct request *request, uint32_t pane, const struct muxbus_reply *reply, const char *typed);

/* Fails the request if tmux found no such pane for the keys, with an error or without. */
bool typing_fail_gone(
    struct request *request, uint32_t pane, const struct muxbus_reply *reply, const char *typed);

/*
 * The error of these commands. A client of a single command gets the error of a hook, such as
 * after-send-keys, as if it were its own: 0 if the keys were typed all the same.
 */
int typing_error(int error, const struct muxbus_reply *replies, size_t count);

/* Whether tmux says that it did not type. */
bool typing_was_held(const struct muxbus_reply *reply);

/*
 * A text as a paste: it goes into a tmux buffer of its own that is pasted and deleted in the
 * command that checks the pane. Pasting into a dead pane ends tmux up to 3.3a.
 */

struct paste {
	char buffer[64]; /* name of the tmux buffer; "": none was made */
	char otherwise[96]; /* for typing_add(): the command that removes it */
};

/* Adds the buffer to a list of commands, and its pasting to what is typed. */
void paste_add(struct paste *paste, struct tmux *tmux, struct muxbus_command *command,
    struct typing *typing, const void *text, size_t len, bool is_bracketed);
/* Removes the buffer of a paste that failed half-way. */
void paste_remove(const struct paste *paste, struct tmux *tmux);
