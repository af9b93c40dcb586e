/* SPDX-License-Identifier: ISC */
/*
 * Keeps the store on libevent: opens it in the state directory, takes up what the helper
 * thread has synced, and begins what is due. Without anything to sync it never wakes.
 */
#pragma once

#include "base/base.h"

struct event_base;
struct json_writer;

/* NULL on failure, with a reason; a disk that fails is no failure. */
struct store_loop *store_loop_new(
    struct event_base *base, const char *state_dir, char *ret_reason, size_t reason_size);
/* Syncs and closes. */
void store_loop_free(struct store_loop *store_loop);

/* Waits for the disk, and calls all who wait for it. NULL: nothing. */
void store_loop_settle(struct store_loop *store_loop);
struct store *store_loop_store(struct store_loop *store_loop);

/* The journal's figures, for status. */
void store_loop_write(struct store_loop *store_loop, struct json_writer *writer, const char *name);
