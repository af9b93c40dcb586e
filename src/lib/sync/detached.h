/* SPDX-License-Identifier: ISC */
/*
 * Runs the commands of a detached sync as one-shots, one after the other, so that tmux has no
 * client of ours. A sync with connections runs in this way the lists that a hook or a person may
 * delay.
 */
#pragma once

#include <muxbus.h>

struct detached *detached_new(struct muxbus_sync *sync); /* NULL: out of memory */
/* Cancels all lists, with MUXBUS_ERR_CANCELLED. NULL is accepted. */
void detached_free(struct detached *detached);

/* Runs a list and always frees it. reply gets errors too, unless this function returns one. */
int detached_run(
    struct detached *detached, struct muxbus_command *command, muxbus_reply_fn *reply, void *data);

/* Begins the next list after may_run_beside() has refused it. */
void detached_go_on(struct detached *detached);

/* Returns the number of the newest list; 0 if detached is NULL. */
uint64_t detached_last(const struct detached *detached);
/* Returns true if the lists up to a number have been answered, or are held. NULL is accepted. */
bool detached_is_past(const struct detached *detached, uint64_t number);
/*
 * Returns true if a list runs that is not held. A list that a hook or a person delays is held: it
 * still runs, but later lists need not wait for its reply. NULL is accepted.
 */
bool detached_runs_now(const struct detached *detached);

/* Returns true if a hook or person has delayed a list in the last ten minutes. */
bool detached_is_hooked(const struct muxbus_sync *sync);
/* Returns how long a list may run until it is held if tmux answers a ping. */
int64_t detached_hold_ms(const struct muxbus_sync *sync);

bool detached_is_busy(const struct detached *detached); /* a list waits for its reply */
