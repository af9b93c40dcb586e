/* SPDX-License-Identifier: ISC */
/* Panes that remain when their programs have ended. */
#include "lib/sync/adopted.h"

#include <muxbus.h>

#include "lib/sync/attach_delay.h"
#include "lib/sync/state.h"
#include "lib/sync/track.h"

static void end_one(struct muxbus_sync *sync, struct track *track)
{
	struct muxbus_command *command;
	if (muxbus_command_new(&command) != 0)
		return;
	track->is_ending = true;
	muxbus_command_args(command, "if-shell", "-F", "-t", NULL);
	muxbus_command_argf(command, "%%%u", track->pane);
	muxbus_command_args(command, "#{pane_dead}", NULL);
	muxbus_command_argf(command, "kill-pane -t %%%u", track->pane);
	(void)attach_delay_run(sync, command, NULL, NULL, NULL);
}

void adopted_end(struct muxbus_sync *sync)
{
	size_t cursor = 0;
	struct track *track;
	while ((track = track_next(sync, &cursor)) != NULL) {
		if (track->is_adopted && !track->is_kept && !track->is_ending &&
		    track->exit_is_reported && track->now != NULL && track->now->is_dead)
			end_one(sync, track);
	}
}

int muxbus_sync_adopt_pane(struct muxbus_sync *sync, uint32_t pane, bool keep)
{
	struct track *track = track_find(sync, pane);
	struct muxbus_command *command;
	int error;
	if (sync->state != MUXBUS_SYNC_LIVE || sync->primary == NULL)
		return MUXBUS_ERR_UNAVAILABLE;
	if (track == NULL)
		return MUXBUS_ERR_NOT_FOUND;
	error = muxbus_command_new(&command);
	if (error != 0)
		return error;
	muxbus_command_args(command, "set-option", "-p", "-t", NULL);
	muxbus_command_argf(command, "%%%u", pane);
	muxbus_command_args(command, "remain-on-exit", "on", NULL);
	error = attach_delay_run(sync, command, NULL, NULL, NULL);
	if (error != 0)
		return error;
	track->is_adopted = true;
	track->is_kept = keep;
	track->is_ending = false;
	return 0;
}
