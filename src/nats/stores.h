/* SPDX-License-Identifier: ISC */
/*
 * The stores in JetStream: events and notifications, posts, presence. A missing store is created;
 * an existing store is not changed.
 */
#pragma once

#include "nats/broker.h"

#define STORES_BUCKET "MUXBUS_PRESENCE"
#define STORES_POSTS "MUXBUS_POSTS"
#define STORES_TTL_SEC 90 /* lifetime of a presence entry */

struct stores_options {
	const char *stream; /* name of the stream of events and notifications */
	int64_t replicas;
	int64_t max_age_sec; /* of messages in the stream, and of posts */
	int64_t max_bytes; /* size of the stream; 0: limit of the account */
	bool drops_old; /* the stream drops its oldest messages if full; else it refuses new ones */
	bool has_posts;
};

struct stores_handlers {
	void (*ready)(void *data); /* each time stores_check() has found or created all */
	void (*failed)(void *data, const char *reason); /* will be retried */
	void *data;
};

struct stores *stores_new(struct event_base *base, struct broker *broker,
    const struct stores_options *options, const struct stores_handlers *handlers);
void stores_free(struct stores *stores); /* stores may be NULL */
/* Checks all stores, and creates missing ones. Call this when the broker is up. */
void stores_check(struct stores *stores);
/* If all stores were found, checks them again soon. For handlers.unheard of the broker. */
void stores_look(struct stores *stores);
bool stores_are_ready(const struct stores *stores);
/* Call this when the broker is down. */
void stores_reset(struct stores *stores);
