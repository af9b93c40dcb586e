/* SPDX-License-Identifier: ISC */
/*
 * Lists a server or parts of it: writes the commands, which tmux runs in one tick, and reads their
 * replies into a model.
 */
#pragma once

#include <muxbus.h>

#include "lib/model/parts.h"

/* The results of a listing. */
struct listing {
	struct muxbus_model *model; /* the caller frees it with model_free() */
	const char *version; /* of the server; lent from the model; NULL if no session was listed */
	bool exit_unattached; /* if version is set: the server exits when no client is attached */
	unsigned malformed; /* number of invalid records, which were skipped */
	struct parts more; /* to list next: changes of the server that no event announced */
	bool is_cut; /* some records were cut off by tmux */
	bool is_torn; /* a pane is now in a window that was not listed */
};

/* Adds the commands of a listing. The caller runs them as one list without other commands. */
void listing_write(struct muxbus_command *command, const struct parts *parts);

/* Returns the number of commands, and of replies to listing_read(). */
size_t listing_commands(const struct parts *parts);

/*
 * Reads the replies. Takes all that the parts do not include from before, which is NULL only for
 * the whole server. Returns 0, MUXBUS_ERR_COMMAND if a command failed (a listed object does not
 * exist), MUXBUS_ERR_INVALID if count is not listing_commands(), or MUXBUS_ERR_NOMEM.
 */
int listing_read(const struct muxbus_reply *replies, size_t count, uint32_t caps,
    const struct parts *parts, const struct muxbus_model *before, struct listing *ret_listing);

/*
 * Returns true if the server has no session, as it may with the option exit-empty off: the list of
 * sessions is empty, and all further commands fail.
 */
bool listing_has_no_session(
    const struct parts *parts, const struct muxbus_reply *replies, size_t count);
