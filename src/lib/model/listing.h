/* SPDX-License-Identifier: ISC */
/*
 * Reading a server: the commands that list it, or parts of it, in one tick, and their replies as
 * a model.
 */
#pragma once

#include <muxbus.h>

#include "lib/model/parts.h"

/* The model, and further results of a listing. */
struct listing {
	struct muxbus_model *model; /* the caller frees it */
	const char *version; /* of the server; lent from the model; NULL if no session was listed */
	bool exit_unattached; /* with a version: the server ends when its last client leaves */
	unsigned malformed; /* invalid records, which were left out */
	struct parts more; /* must be listed as well: the server has changed without a word */
	bool is_cut; /* tmux has given up some of the records */
	bool is_torn; /* a pane has left its window for one that was not listed */
};

/* Adds the commands; they must run as one list with nothing between them. */
void listing_write(struct muxbus_command *command, const struct parts *parts);

/* The number of these commands, and of the replies to listing_read(). */
size_t listing_commands(const struct parts *parts);

/*
 * Reads their replies. All that the parts leave out comes from the model before; NULL with the
 * whole server. Returns MUXBUS_ERR_COMMAND if a command failed (a listed object is gone),
 * MUXBUS_ERR_INVALID if count is not listing_commands(), or MUXBUS_ERR_NOMEM.
 */
int listing_read(const struct muxbus_reply *replies, size_t count, uint32_t caps,
    const struct parts *parts, const struct muxbus_model *before, struct listing *ret_listing);

/*
 * Whether the replies are of a server without a session, as it is with exit-empty off: tmux lists
 * the sessions, of which there are none, and each further command fails.
 */
bool listing_has_no_session(
    const struct parts *parts, const struct muxbus_reply *replies, size_t count);
