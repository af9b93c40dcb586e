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

/* Begins the next list, if may_run_beside() has refused it. */
void detached_go_on(struct detached *detached);

/* The number of the newest list; of NULL 0. */
uint64_t detached_last(const struct detached *detached);
/* Whether that one and those before it are answered or held. Accepts NULL. */
bool detached_is_past(const struct detached *detached, uint64_t number);
/* Whether tmux has a list that is not held. Accepts NULL. */
bool detached_runs_now(const struct detached *detached);

/* Whether commands wait for their replies. */
bool detached_is_busy(const struct detached *detached);
