/* SPDX-License-Identifier: ISC */
/* One-shot commands over connections that were made in advance. */
#pragma once

#include <muxbus.h>

/*
 * Connects to the server and identifies, for one later command: that one then costs the server's
 * way to accept no time. While the connection is open, the server does not end of itself, so it
 * is for a moment only. Returns a descriptor, which the caller closes or gives to one_shot_run(),
 * or -1.
 */
int one_shot_connect(const struct muxbus_one_shot_options *options);

/*
 * The same as muxbus_one_shot_run(), over that connection with the same options. The descriptor
 * is closed in any case; -1, or one that the server has closed: a new one is made.
 */
int one_shot_run(struct muxbus_loop *loop, const struct muxbus_one_shot_options *options, int fd,
    struct muxbus_command *command, muxbus_reply_fn *reply, void *data,
    struct muxbus_one_shot **ret_one_shot);

/* It waits for its answer without a limit from now on. Returns the rest of its time-out in ms. */
int64_t one_shot_wait(struct muxbus_one_shot *one_shot);
