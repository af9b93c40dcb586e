/* SPDX-License-Identifier: ISC */
/*
 * Presence: what this host says of itself in a key-value bucket, under FLEET.HOST.SERVER: the
 * versions, counts of the daemon's status, and how far the stream is. A host that says nothing for
 * STORES_TTL_SEC is no longer in the bucket.
 */
#pragma once

#include "nats/posts.h"
#include "nats/publisher.h"

#define PRESENCE_MS 30000 /* between two entries */

struct presence_parts {
	struct broker *broker;
	struct loop_link *daemon;
	struct publisher *publisher;
	struct posts *posts; /* NULL: none are taken */
	const struct names *names;
};

struct nats_presence *presence_new(struct event_base *base, const struct presence_parts *parts);
void presence_free(struct nats_presence *presence); /* NULL is allowed; after the link */
/* Writes an entry now, and again and again; or no more. */
void presence_run(struct nats_presence *presence, bool is_running);
/* Something changed: an entry soon. */
void presence_renew(struct nats_presence *presence);
/* The last entry: this program ends. */
void presence_end(struct nats_presence *presence);
