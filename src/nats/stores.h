/* SPDX-License-Identifier: ISC */
/*
 * The stores in JetStream: the stream of events and notifications, the stream of posts, and the
 * bucket of presence. A store that is absent is made; one that is there stays as it is.
 */
#pragma once

#include "nats/broker.h"

#define STORES_BUCKET "MUXBUS_PRESENCE"
#define STORES_POSTS "MUXBUS_POSTS"
#define STORES_TTL_SEC 90 /* of presence */

struct stores_options {
	const char *stream; /* "MUXBUS" */
	int64_t replicas;
	int64_t max_age_sec; /* of the stream */
	int64_t max_bytes; /* of the stream; 0: as many as the account may have */
	bool drops_old; /* a full stream drops its oldest messages; else it takes no new ones */
	bool has_posts;
};

struct stores_handlers {
	void (*ready)(void *data); /* after each stores_check() that found or made all */
	void (*failed)(void *data, const char *reason); /* tried again later */
	void *data;
};

struct stores *stores_new(struct event_base *base, struct broker *broker,
    const struct stores_options *options, const struct stores_handlers *handlers);
void stores_free(struct stores *stores); /* NULL is allowed */
/* Begins with the first store; call it when the broker is up. */
void stores_check(struct stores *stores);
/* Looks soon whether all are there, and makes those that are not: a request found none. */
void stores_look(struct stores *stores);
bool stores_are_ready(const struct stores *stores);
/* The broker is down. */
void stores_reset(struct stores *stores);
