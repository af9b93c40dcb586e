/* SPDX-License-Identifier: ISC */
/*
 * The feed: from the daemon to the publisher. Events come by a subscription behind the cursor;
 * notifications by list_notifications behind the place of a named consumer of the daemon, which
 * advances when JetStream has them. Nothing is passed over in silence: a gap is published as such.
 */
#pragma once

#include "nats/name.h"
#include "nats/publisher.h"

/*
 * The cursor of the events: the number of the last event that JetStream has, and the id of the
 * journal that message ids begin with, in a small file. Only one muxbus-nats holds the file.
 */

#define CURSOR_ID_SIZE 17 /* 16 hexadecimal digits and the NUL */

/* NULL with a reason. A file that is damaged or absent begins a new journal id, at number 0. */
struct cursor *cursor_open(const char *path, char *ret_reason, size_t size);
void cursor_close(struct cursor *cursor); /* keeps what is set; NULL is allowed */

const char *cursor_id(const struct cursor *cursor);
uint64_t cursor_seq(const struct cursor *cursor);
void cursor_set(struct cursor *cursor, uint64_t seq);
/* The daemon began a new journal: a new id, at number 0. */
void cursor_renew(struct cursor *cursor);
/* Writes what was set since the last call, in one system call. */
void cursor_keep(struct cursor *cursor);

struct feed_options {
	const char *socket; /* of muxbusd */
	const struct names *names;
	const char *kinds; /* of events, with commas; "none"; NULL: those of subscribe */
	const char *consumer;
};

/* The cursor and the broker live longer than the feed. */
struct feed *feed_new(struct event_base *base, const struct feed_options *options,
    struct cursor *cursor, struct broker *broker);
void feed_free(struct feed *feed); /* NULL is allowed */
void feed_start(struct feed *feed);
/* The publisher, to run and to show. */
struct publisher *feed_publisher(struct feed *feed);
/* After each turn of the loop: keeps the cursor. */
void feed_turn(struct feed *feed);
/* At the end: acknowledges at once. Returns whether the daemon has yet to answer. */
bool feed_end(struct feed *feed);
