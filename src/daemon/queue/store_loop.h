/* SPDX-License-Identifier: ISC */
/*
 * Keeps the store on libevent: opens it in the state directory, takes up what the helper
 * thread has synced, and begins what is due. Without anything to sync it never wakes.
 */
#ifndef DAEMON_QUEUE_STORE_LOOP_H
#define DAEMON_QUEUE_STORE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
struct keeper;
struct json_writer;
struct store;

/* NULL on failure, with a reason; a disk that fails is no failure. */
struct keeper *keeper_new(
    struct event_base *base, const char *state_dir, char *ret_reason, size_t reason_size);
/* Syncs and closes. */
void keeper_free(struct keeper *keeper);

struct store *keeper_store(struct keeper *keeper);

/* What was lost to damage, found when the journal was read; 0 and NULL: nothing. */
const char *keeper_loss(const struct keeper *keeper);

/* The journal's figures, for status. */
void keeper_write(struct keeper *keeper, struct json_writer *writer, const char *name);

#endif
