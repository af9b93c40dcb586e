/* SPDX-License-Identifier: ISC */
/*
 * The feed: from the daemon to the publisher. Events come by a subscription behind the cursor;
 * notifications by list_notifications behind the place of a named consumer of the daemon, which
 * advances when JetStream has them. Nothing is passed over in silence: a gap is published as such.
 */
#pragma once

#include <stdbool.h>

#include "nats/cursor.h"
#include "nats/name.h"
#include "nats/publisher.h"

struct feed;

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
