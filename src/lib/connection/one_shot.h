/* SPDX-License-Identifier: ISC */
/* One-shot commands on connections that were made in advance. */
#pragma once

#include <muxbus.h>

/*
 * Does muxbus_one_shot_run() on the connection fd, which was made to the same socket. Always
 * closes fd in the end. If fd is -1, or the server has closed it, makes a new connection. While fd
 * waits for a command, the server does not exit by itself, so keep it for a moment only.
 */
int one_shot_run(struct muxbus_loop *loop, const struct muxbus_one_shot_options *options, int fd,
    struct muxbus_command *command, muxbus_reply_fn *reply, void *data,
    struct muxbus_one_shot **ret_one_shot);

/* Removes the timeout. Returns the time that was left, in ms. */
int64_t one_shot_wait(struct muxbus_one_shot *one_shot);
