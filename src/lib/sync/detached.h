/* SPDX-License-Identifier: ISC */
/*
 * Runs lists of commands as one-shots, so that tmux has no client of ours. A list begins when the
 * one before has ended or is held. A detached sync runs all its lists in this way. A sync with
 * connections runs lists in this way that a hook, a person or another list may delay.
 */
#pragma once

#include <muxbus.h>

struct detached *detached_new(struct muxbus_sync *sync); /* NULL: out of memory */
/* Cancels all lists, with MUXBUS_ERR_CANCELLED. NULL is accepted. */
void detached_free(struct detached *detached);

/* Runs a list and always frees it. If this returns an error, reply is not called. */
int detached_run(
    struct detached *detached, struct muxbus_command *command, muxbus_reply_fn *reply, void *data);

/* Begins the next list if none runs. Also called after may_run_beside() has refused the list. */
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

/* Returns true if a hook or person has delayed a list in the last HOOKED_MS. */
bool detached_is_hooked(const struct muxbus_sync *sync);
/* Returns how long a list may run until a ping is sent. If tmux answers, the list is held. */
int64_t detached_hold_ms(const struct muxbus_sync *sync);

bool detached_is_busy(const struct detached *detached); /* a list waits, runs or is held */
