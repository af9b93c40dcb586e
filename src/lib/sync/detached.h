/* SPDX-License-Identifier: ISC */
/*
 * Commands of a detached sync, which has no connection, so that tmux has no client of ours: each
 * list runs as a one-shot, one behind the other in their order.
 */
#pragma once

#include <muxbus.h>

/* NULL: out of memory. */
struct detached *detached_new(struct muxbus_sync *sync);
/* All commands get MUXBUS_ERR_CANCELLED. Accepts NULL. */
void detached_free(struct detached *detached);

/* Runs a list and always frees it; an error comes to reply. */
int detached_run(
    struct detached *detached, struct muxbus_command *command, muxbus_reply_fn *reply, void *data);

/* Whether commands wait for their replies. */
bool detached_is_busy(const struct detached *detached);
