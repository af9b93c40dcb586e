/* SPDX-License-Identifier: ISC */
/* Runs the commands of a detached sync, as one-shots in order: tmux has no client of ours. */
#pragma once

#include <muxbus.h>

struct detached *detached_new(struct muxbus_sync *sync);
/* Cancels all lists, with MUXBUS_ERR_CANCELLED. NULL is accepted. */
void detached_free(struct detached *detached);

/* Runs a list and always frees it. reply gets errors too, unless this function returns one. */
int detached_run(
    struct detached *detached, struct muxbus_command *command, muxbus_reply_fn *reply, void *data);

/* Begins the next list after may_run_beside() has refused it. */
void detached_go_on(struct detached *detached);

/* Returns the number of the newest list; 0 if detached is NULL. */
uint64_t detached_last(const struct detached *detached);
/* Returns true if a later list need not wait for the lists up to a number. NULL is accepted. */
bool detached_is_past(const struct detached *detached, uint64_t number);
/* Returns true if a list runs that is not held. NULL is accepted. */
bool detached_runs_now(const struct detached *detached);

/* Returns true if a hook or person has delayed a list in the last ten minutes. */
bool detached_is_hooked(const struct muxbus_sync *sync);
/* Returns HOLD_MS, or less if a list was delayed. */
int64_t detached_hold_ms(const struct muxbus_sync *sync);

bool detached_is_busy(const struct detached *detached);
