/* SPDX-License-Identifier: ISC */
/*
 * Passes events and notifications from the daemon to the publisher; gaps too. The position of a
 * named consumer advances when JetStream has stored the notifications.
 */
#pragma once

#include "nats/name.h"
#include "nats/publisher.h"

/*
 * The cursor is a small file with the number of the last event that JetStream has stored, and a
 * random id for the daemon's journal. Only one muxbus-nats at a time can lock the file.
 */

#define CURSOR_ID_SIZE 17 /* 16 hexadecimal digits and the NUL */

/* Opens the file, or returns NULL with a reason. An absent or damaged file gets a new id. */
struct cursor *cursor_open(const char *path, char *ret_reason, size_t size);
void cursor_close(struct cursor *cursor); /* saves the cursor; it may be NULL */

const char *cursor_id(const struct cursor *cursor); /* lent; message ids begin with this id */
uint64_t cursor_seq(const struct cursor *cursor);
void cursor_set(struct cursor *cursor, uint64_t seq); /* a smaller number is ignored */
/* Begins again with a new id and number 0, as for a new journal of the daemon. */
void cursor_renew(struct cursor *cursor);
/* Saves changes since the last call, in one system call. */
void cursor_keep(struct cursor *cursor);

struct feed_options {
	const char *socket; /* path of muxbusd's socket */
	const struct names *names;
	const char *kinds; /* kinds of events, with commas; or "none"; NULL: default of subscribe */
	const char *consumer;
};

/* The caller frees cursor and broker after the feed. */
struct feed *feed_new(struct event_base *base, const struct feed_options *options,
    struct cursor *cursor, struct broker *broker);
void feed_free(struct feed *feed); /* feed may be NULL */
void feed_start(struct feed *feed);
struct publisher *feed_publisher(struct feed *feed); /* lent */
/* Saves the cursor. Call this after each turn of the event loop. */
void feed_turn(struct feed *feed);
/*
 * Before exit, acknowledges the stored notifications to the daemon. Call this again while it
 * returns true: the daemon has not answered.
 */
bool feed_end(struct feed *feed);
