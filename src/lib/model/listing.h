/* SPDX-License-Identifier: ISC */
/* Lists a server or parts by commands that tmux runs in one tick, unless a hook delays one. */
#pragma once

#include <muxbus.h>

#include "lib/model/parts.h"

struct listing {
	struct muxbus_model *model; /* the caller frees it with model_free() */
	const char *version; /* of the server; lent from the model; NULL if no session was listed */
	bool exit_unattached; /* if version is set: the server exits when no client is attached */
	bool has_hook; /* if version is set: a command of a listing has a hook of the user */
	unsigned malformed; /* number of invalid records, which were skipped */
	struct parts more; /* parts to list next, such as changes that no event announced */
	bool is_cut; /* some records were cut off by tmux */
	bool is_torn; /* must be repeated: a pane may be in a window that was not listed */
};

/* Adds the commands of a listing. The caller runs them as one list without other commands. */
void listing_write(struct muxbus_command *command, const struct parts *parts);

/*
 * Reads the replies. Objects that the parts do not include are copied from before, which may be
 * NULL only for the whole server. Returns 0, MUXBUS_ERR_COMMAND (a command failed, for example as a
 * listed object does not exist), MUXBUS_ERR_NOMEM, or MUXBUS_ERR_INVALID for a wrong count.
 */
int listing_read(const struct muxbus_reply *replies, size_t count, uint32_t caps,
    const struct parts *parts, const struct muxbus_model *before, struct listing *ret_listing);

/*
 * Returns true if replies for the whole server show that it has no session: it runs with the option
 * exit-empty off. Then the list of sessions is empty, and the further commands fail.
 */
bool listing_has_no_session(
    const struct parts *parts, const struct muxbus_reply *replies, size_t count);
