/* SPDX-License-Identifier: ISC */
/* One-shot commands for a sync, which runs many lists, one after another. */
#pragma once

#include <muxbus.h>

/* Removes the timeout of a running one-shot. Returns the milliseconds that were left. */
int64_t one_shot_wait(struct muxbus_one_shot *one_shot);

/*
 * A channel is a one-shot that runs several lists, one after another. It needs tmux 3.4 or later.
 * While a channel is open, a server without sessions does not exit.
 */
enum channel_state {
	CHANNEL_NONE,
	CHANNEL_OPENS,
	CHANNEL_READY, /* can run a list */
	CHANNEL_RUNS,
	CHANNEL_ENDS,
	CHANNEL_OVER, /* closed; only to be freed */
	CHANNEL_REFUSED, /* closed before it was ready */
};

/* Opens a channel without waiting. The options tmux_path and timeout_ms are ignored. */
int channel_open(struct muxbus_loop *loop, const struct muxbus_one_shot_options *options,
    struct muxbus_one_shot **ret_channel);

enum channel_state channel_state(const struct muxbus_one_shot *channel);

/*
 * Runs a list on a ready channel, and always frees the list. command_is_synchronous() must be true
 * for the list. timeout_ms: as in the options of a one-shot. The channel is freed after the
 * callback, unless the callback keeps it. If this function returns an error, the channel is freed.
 */
int channel_run(struct muxbus_one_shot *channel, unsigned timeout_ms,
    struct muxbus_command *command, muxbus_reply_fn *reply, void *data);

/* In the callback of a list: keeps the channel. Returns false if it can run no more lists. */
bool channel_keep(struct muxbus_one_shot *channel);

/* Has tmux end the channel, which later becomes CHANNEL_OVER. The channel must not run a list. */
void channel_end(struct muxbus_one_shot *channel);
