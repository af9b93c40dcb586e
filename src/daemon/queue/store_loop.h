/* SPDX-License-Identifier: ISC */
/* The store on the event loop: calls the functions of the journal when they are due. */
#pragma once

#include "base/base.h"

struct event_base;
struct json_writer;

/*
 * Opens the store of a state directory. Returns NULL with a reason on failure. If the journal
 * cannot be written, that is no failure: the journal begins degraded.
 */
struct store_loop *store_loop_new(
    struct event_base *base, const char *state_dir, char *ret_reason, size_t reason_size);
/* Syncs and closes the store, and calls all waiters. store_loop may be NULL. */
void store_loop_free(struct store_loop *store_loop);

/* Calls store_settle(). store_loop may be NULL here. */
void store_loop_settle(struct store_loop *store_loop);
struct store *store_loop_store(struct store_loop *store_loop);

void store_loop_write(struct store_loop *store_loop, struct json_writer *writer, const char *name);
