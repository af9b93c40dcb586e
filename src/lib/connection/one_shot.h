/* SPDX-License-Identifier: ISC */
/* One-shot commands for a sync, which runs many lists, one after another. */
#pragma once

#include <muxbus.h>

/* Removes the timeout. Returns the time that was left, in ms. */
int64_t one_shot_wait(struct muxbus_one_shot *one_shot);

/*
 * A channel: a one-shot that runs list after list on one connection, on tmux 3.4 and later. The
 * server does not exit while a channel is open.
 */
enum channel_state {
	CHANNEL_NONE,
	CHANNEL_OPENS,
	CHANNEL_READY, /* takes a list */
	CHANNEL_RUNS,
	CHANNEL_ENDS,
	CHANNEL_OVER, /* closed: only to be freed */
	CHANNEL_REFUSED, /* closed before it was ready: this server takes no channel */
};

/* Opens a channel without waiting. Its lists have the options socket_path, pane and flags. */
int channel_open(struct muxbus_loop *loop, const struct muxbus_one_shot_options *options,
    struct muxbus_one_shot **ret_channel);

enum channel_state channel_state(const struct muxbus_one_shot *channel);

/*
 * Runs a list on a ready channel, and always frees the list, for which command_is_synchronous()
 * must hold. timeout_ms: as in the options of a one-shot. The channel is freed after the callback,
 * unless the callback keeps it; if this returns an error, at once.
 */
int channel_run(struct muxbus_one_shot *channel, unsigned timeout_ms,
    struct muxbus_command *command, muxbus_reply_fn *reply, void *data);

/* In the callback of a list: keeps the channel. Returns false if it takes no further list. */
bool channel_keep(struct muxbus_one_shot *channel);

/* Has tmux end the channel, which is over then. It must not run a list. */
void channel_end(struct muxbus_one_shot *channel);
