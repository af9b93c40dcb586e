/* SPDX-License-Identifier: ISC */
/* An errand: a list of commands whose reply waits until the model shows what it did. */
#ifndef LIB_ERRAND_H
#define LIB_ERRAND_H

#include <muxbus.h>

/* Runs it on the primary connection. Errors as muxbus_sync_run(). */
int errand_run(
    struct muxbus_sync *sync, struct muxbus_command *command, muxbus_reply_fn *reply, void *data);

#endif
