/* SPDX-License-Identifier: ISC */
/* The store on the event loop. It wakes the process only to sync or to rewrite the journal. */
#pragma once

#include "base/base.h"

struct event_base;
struct json_writer;

/*
 * Opens the store of a state directory. Returns NULL with a reason on failure. A failing disk is no
 * failure: the journal is degraded then.
 */
struct store_loop *store_loop_new(
    struct event_base *base, const char *state_dir, char *ret_reason, size_t reason_size);
/* Syncs and closes the store. */
void store_loop_free(struct store_loop *store_loop);

/* Waits for the disk, and calls all waiters of the store. NULL is accepted. */
void store_loop_settle(struct store_loop *store_loop);
struct store *store_loop_store(struct store_loop *store_loop);

void store_loop_write(struct store_loop *store_loop, struct json_writer *writer, const char *name);
