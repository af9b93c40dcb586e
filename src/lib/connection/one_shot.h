/* SPDX-License-Identifier: ISC */
/* One-shot commands on connections that were made in advance. */
#pragma once

#include <muxbus.h>

/*
 * As muxbus_one_shot_run(), on the connection fd, which is closed in the end; -1: a new connection.
 * The server does not exit while fd waits for a command.
 */
int one_shot_run(struct muxbus_loop *loop, const struct muxbus_one_shot_options *options, int fd,
    struct muxbus_command *command, muxbus_reply_fn *reply, void *data,
    struct muxbus_one_shot **ret_one_shot);

/* Removes the timeout. Returns the time that was left, in ms. */
int64_t one_shot_wait(struct muxbus_one_shot *one_shot);
