/* SPDX-License-Identifier: ISC */
/*
 * Input for a pane, as tmux commands that have their full effect or none. Keys do not reach the
 * program while the pane is in a mode, which takes them itself. tmux drops keys silently if the
 * input is switched off or there is no program. So the command that types checks the pane first; if
 * it cannot type, it reports why.
 *
 * Printable ASCII is sent by `send-keys -l`. Other bytes are sent as numbers (`send-keys -H`), as a
 * mode of the terminal or tmux's idea of characters could otherwise change them.
 */
#pragma once

#include <muxbus.h>

#include "daemon/server/role.h"

struct tmux;

#define TYPING_BYTES_MAX (64 * 1024) /* maximum of typed input; longer input must be a paste */

struct stream_set;

struct typing {
	uint32_t pane;
	/* ends a mode of the pane (such as copy mode) first, instead of failing */
	bool leaves_mode;
	struct role_only only;
	/* a tmux format that must be true too, without foreign text; or NULL */
	const char *condition;
	struct buf commands; /* the commands, in tmux's syntax */
	struct buf keys; /* the bytes that these commands type, as for pane_input_type() */
	bool is_bracketed; /* `keys` are a bracketed paste */
};

void typing_init(struct typing *typing, uint32_t pane, bool leaves_mode);
void typing_finish(struct typing *typing);

/* Adds a key. name is one that keys_classify() calls KEYS_NAME. */
void typing_key(struct typing *typing, const char *name);
/* Adds keys that delete count characters at the begin of the line. columns: width of the pane. */
void typing_retract(struct typing *typing, size_t count, unsigned columns);
/* Adds bytes. All bytes and names of keys of a typing together: at most TYPING_BYTES_MAX. */
void typing_bytes(struct typing *typing, const void *bytes, size_t len);

/* Records the bytes as typed in the pane's input (pane_input.h). pane NULL: records nothing. */
void typing_note(
    const struct typing *typing, struct stream_set *streams, const struct muxbus_pane *pane);

/*
 * Adds the commands, with their condition, to command. otherwise: a tmux command without foreign
 * text that runs if tmux does not type; or NULL.
 */
void typing_add(const struct typing *typing, struct muxbus_command *command, const char *otherwise);

/*
 * Returns false if the reply says that tmux did not type. Then fails the request: as gone, as
 * not_ready with tmux's report as evidence, or as refused by its role. typed: text for the error
 * that says what was typed before.
 */
bool typing_check(
    struct request *request, uint32_t pane, const struct muxbus_reply *reply, const char *typed);

/* If the reply says that the pane is closed, fails the request and returns true. */
bool typing_fail_gone(
    struct request *request, uint32_t pane, const struct muxbus_reply *reply, const char *typed);

/*
 * Returns error, or 0 if the reply says that the keys were typed: then a hook has failed, such as
 * after-send-keys, whose error tmux reports as the command's own.
 */
int typing_error(int error, const struct muxbus_reply *replies, size_t count);

/* Returns true if the reply says that tmux did not type. */
bool typing_was_held(const struct muxbus_reply *reply);

/* A paste uses a tmux buffer of its own. Pasting into a dead pane crashes tmux up to 3.3a. */

struct paste {
	char buffer[64]; /* name of the tmux buffer; "": none */
	char otherwise[96]; /* argument for typing_add(): the command that deletes the buffer */
};

/* Adds the making of the buffer to command, and pasting it to typing. */
void paste_add(struct paste *paste, struct tmux *tmux, struct muxbus_command *command,
    struct typing *typing, const void *text, size_t len, bool is_bracketed);
/* Deletes the buffer of a paste that may have failed half-way, if there is one. */
void paste_remove(const struct paste *paste, struct tmux *tmux);
