/* SPDX-License-Identifier: ISC */
/* A list of commands whose reply waits until the model shows their effect. */
#ifndef LIB_SYNC_READ_BACK_H
#define LIB_SYNC_READ_BACK_H

#include <muxbus.h>

struct parts;

/*
 * Runs the list on the primary connection; parts is what it can change. Errors as
 * muxbus_sync_run().
 */
int read_back_run(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *parts, muxbus_reply_fn *reply, void *data);

#endif
